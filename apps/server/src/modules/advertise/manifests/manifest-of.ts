import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { and, eq, gt, gte, isNull, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { addDays } from '#core/time/zone.ts'
import { adPrograms, adProgramVersions, type ProgramBody } from '../schema.ts'
import { readApprovedAds } from '../approved-ads.ts'
import { type KnownAd, withFileDurations } from '../file-durations.ts'
import { resolveItemLimits } from '../item-limits.ts'

/** A program with its targets and the content that screens play. */
export interface LiveProgram {
  readonly id: number
  readonly tenantId: number
  readonly targetType: number
  readonly targetIds: readonly number[]
  readonly body: ProgramBody
}

/** Returns a query of the published programs with the content and targets of their published version. */
export const selectPublishedPrograms = (db: Db) =>
  db
    .select({
      id: adPrograms.id,
      tenantId: adPrograms.tenantId,
      targetType: adProgramVersions.targetType,
      targetIds: adProgramVersions.targetIds,
      body: adProgramVersions.body,
    })
    .from(adPrograms)
    .innerJoin(
      adProgramVersions,
      and(eq(adProgramVersions.programId, adPrograms.id), eq(adProgramVersions.verNo, adPrograms.publishedVer)),
    )

/** Loads the programs in force whose last date is not over in any zone. `db` must not have row-level security. */
export async function loadProgramsInForce(db: Db, now: Date): Promise<LiveProgram[]> {
  return selectPublishedPrograms(db)
    .where(
      and(
        isNull(adPrograms.deletedAt),
        gt(adPrograms.publishedVer, 0),
        eq(adPrograms.status, PROGRAM_STATUS.delivering),
        gte(sql`${adProgramVersions.body}->>'dateTo'`, addDays(now.toISOString().slice(0, 10), -2)),
      ),
    )
    .orderBy(adPrograms.id)
}

/** Loads the approved content of the enabled ads that programs use. */
export async function loadAdsOfPrograms(db: Db, programs: readonly ProgramBody[]): Promise<Map<number, KnownAd>> {
  const ids = [...new Set(programs.flatMap(({ items }) => items.map(({ adId }) => adId)))]
  return new Map([...(await readApprovedAds(db, ids))].map(([id, { ad, fileMs }]) => [id, withFileMs(ad, fileMs)]))
}

const withFileMs = (ad: KnownAd, fileMs: number | undefined): KnownAd => (fileMs === undefined ? ad : { ...ad, fileMs })

/** Builds the manifest of screens with one zone and these programs. Videos last as long as their approved files. */
export function buildManifest(
  zone: string,
  programs: readonly ProgramBody[],
  known: ReadonlyMap<number, KnownAd>,
): Manifest {
  const fileMs = (adId: number) => known.get(adId)?.fileMs
  const sorted = programs
    .toSorted((a, b) => a.id - b.id)
    .map((program) => resolveItemLimits(withFileDurations(program, fileMs), zone))
  const ids = [...new Set(sorted.flatMap(({ items }) => items.map(({ adId }) => adId)))].sort((a, b) => a - b)
  return { format: 1, zone, programs: sorted, ads: ids.flatMap((id) => contentOf(known.get(id))) }
}

function contentOf(known: KnownAd | undefined) {
  if (!known) return []
  const { fileMs: _, ...ad } = known
  return [ad]
}
