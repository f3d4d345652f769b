import type { ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { ads, adVersions } from './schema.ts'
import { fileMsOf } from './file-durations.ts'

const APPROVED = 2

/** The approved content of an ad, with the facts that a program needs. */
export interface ApprovedAd {
  readonly ad: ManifestAd
  readonly tenantId: number
  /** 0 any, 1 landscape, 2 portrait. */
  readonly orientation: number
  /** Milliseconds of one play: the duration of the file for video and audio, otherwise the default of the ad. */
  readonly durationMs: number
  /** Milliseconds of the file; absent for ads that are neither video nor audio. */
  readonly fileMs: number | undefined
}

/**
 * Returns the approved content of these ads by id. Ads that are deleted, disabled or never approved are absent. Expired
 * ads are included, because players compare the dates with their own clock.
 */
export async function readApprovedAds(db: Db, adIds: readonly number[]): Promise<Map<number, ApprovedAd>> {
  if (adIds.length === 0) return new Map()
  const rows = await db
    .select({ id: ads.id, tenantId: ads.tenantId, verNo: adVersions.verNo, body: adVersions.body })
    .from(ads)
    .innerJoin(adVersions, and(eq(adVersions.adId, ads.id), eq(adVersions.verNo, ads.approvedVer)))
    .where(and(among(ads.id, adIds), eq(ads.enableStat, 1), eq(adVersions.auditStatus, APPROVED), notDeleted(ads)))
  return new Map(
    rows.map(({ id, tenantId, verNo, body }) => {
      const { review, ...ad } = body
      const { orientation = 0, durationMs = 0 } = review ?? {}
      return [id, { ad: { ...ad, verNo }, tenantId, orientation, durationMs, fileMs: fileMsOf(ad.type, durationMs) }]
    }),
  )
}

/** Returns the milliseconds of the approved files of the video and audio ads among these ads, by id. */
export async function readFileDurations(db: Db, adIds: readonly number[]): Promise<Map<number, number>> {
  if (adIds.length === 0) return new Map()
  const rows = await db
    .select({
      id: ads.id,
      type: sql<number>`(${adVersions.body} ->> 'type')::int`,
      durationMs: sql<number>`coalesce((${adVersions.body} -> 'review' ->> 'durationMs')::int, 0)`,
    })
    .from(ads)
    .innerJoin(adVersions, and(eq(adVersions.adId, ads.id), eq(adVersions.verNo, ads.approvedVer)))
    .where(and(among(ads.id, [...new Set(adIds)]), eq(adVersions.auditStatus, APPROVED), notDeleted(ads)))
  return new Map(
    rows.flatMap(({ id, type, durationMs }) => {
      const fileMs = fileMsOf(type, durationMs)
      return fileMs === undefined ? [] : [[id, fileMs] as const]
    }),
  )
}
