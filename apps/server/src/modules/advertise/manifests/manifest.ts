import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { parseDay } from '@oms/contract/advertise/engine/dates.ts'
import type { Manifest, ManifestAd, ManifestFile, ManifestProgram } from '@oms/contract/advertise/engine/manifest.ts'
import { loadZone, type Zone } from '@oms/contract/advertise/engine/zone.ts'
import { PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { and, eq, gt, gte, isNull, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { addDays } from '#core/time/zone.ts'
import { readApprovedAds, type KnownAd, withFileDurations } from '../content.ts'
import { adPrograms, adProgramVersions, type ProgramBody, type ItemLimit } from '../schema.ts'

/** A program with its targets and the content that screens play. */
export interface ProgramInForce {
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
export async function loadProgramsInForce(db: Db, now: Date): Promise<ProgramInForce[]> {
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

/** A program in force with the JSON of its version. */
export interface LiveProgram {
  readonly id: number
  readonly body: ProgramBody
  readonly json: string
}

/** An approved and enabled ad with its JSON. */
export interface LiveAd {
  readonly body: ManifestAd
  readonly json: string
  /** Milliseconds of the file of a video or an audio; undefined for other kinds. */
  readonly fileMs: number | undefined
}

/** A manifest as players receive it. */
export interface RenderedManifest {
  /** sha256 of the body. */
  readonly etag: string
  readonly body: Buffer
  /** Compressed at the first request that accepts gzip. */
  readonly gzip: () => Buffer
  readonly files: ReadonlyMap<string, ManifestFile>
  /** Input of the schedule engine, which remembers what it planned for this object. */
  readonly schedule: Manifest
  /** Ids of the programs that are left out, because they exceed the limits of a screen. */
  readonly left: readonly number[]
}

/** Screens with the same zone, volume and programs, which share one rendered manifest. */
export interface ManifestSet {
  readonly number: number
  readonly key: string
  readonly zone: string
  readonly volume: number
  /** Sorted ids. */
  readonly programs: readonly number[]
  screens: number
  rendered: RenderedManifest | undefined
}

interface Source {
  readonly programs: ReadonlyMap<number, LiveProgram>
  readonly ads: ReadonlyMap<number, LiveAd>
  /** Hours of the day and rate at which players download. */
  readonly download: object
}

/** Renders the manifest of a set within the limits of a screen. */
export function renderManifest({ zone, volume, programs }: ManifestSet, source: Source): RenderedManifest {
  const live = programs.flatMap((id) => source.programs.get(id) ?? [])
  const { kept, left, files } = fitPrograms(live, (adId) => source.ads.get(adId)?.body.files ?? [])
  const ads = new Map(kept.flatMap((program) => adsOf(program, source).map((ad) => [ad.body.id, ad] as const)))
  const played = kept.map((program) => toPlayed(program, ads, zone)).toSorted((a, b) => a.id - b.id)
  const sortedAds = [...ads.values()].toSorted((a, b) => a.body.id - b.body.id)
  const text = `{"format":1,"zone":${JSON.stringify(zone)},"volume":${volume},"download":${JSON.stringify(source.download)},"programs":[${played.map(({ json }) => json).join(',')}],"ads":[${sortedAds.map(({ json }) => json).join(',')}]}`
  const body = Buffer.from(text)
  let packed: Buffer | undefined
  return {
    etag: hash('sha256', body),
    body,
    gzip: () => (packed ??= gzipSync(body)),
    files,
    schedule: { format: 1, zone, programs: played.map((each) => each.body), ads: sortedAds.map((each) => each.body) },
    left: left.map(({ id }) => id),
  }
}

/**
 * Returns the program as the manifest contains it, and its JSON: with the durations of the approved files, and instants
 * as limits.
 */
function toPlayed({ id, body, json }: LiveProgram, ads: ReadonlyMap<number, LiveAd>, zone: string) {
  const played: ManifestProgram = resolveItemLimits(
    withFileDurations(body, (adId) => ads.get(adId)?.fileMs),
    zone,
  )
  return { id, body: played, json: played === body ? json : JSON.stringify(played) }
}

function adsOf({ body }: LiveProgram, { ads }: Source): LiveAd[] {
  const ids = new Set(body.items.map(({ adId }) => adId))
  return [...ids].flatMap((id) => ads.get(id) ?? [])
}

const keyOf = (zone: string, volume: number, programs: readonly number[]) => `${zone} ${volume} ${programs.join(',')}`

/** The sets in use, by number. Set 0 stands for a screen in the console's zone without programs. */
export class ManifestSets {
  readonly #byKey = new Map<string, ManifestSet>()
  readonly #byNumber: (ManifestSet | undefined)[] = []
  readonly #free: number[] = []

  constructor(zone: string, volume: number) {
    this.of(zone, volume, [])
  }

  get count() {
    return this.#byKey.size
  }

  at(number: number): ManifestSet {
    return this.#byNumber[number]!
  }

  /** Returns the set with these sorted programs. */
  of(zone: string, volume: number, programs: readonly number[]): ManifestSet {
    const key = keyOf(zone, volume, programs)
    const known = this.#byKey.get(key)
    if (known) return known
    const number = this.#free.pop() ?? this.#byNumber.length
    const made = { number, key, zone, volume, programs, screens: 0, rendered: undefined }
    this.#byKey.set(key, made)
    this.#byNumber[number] = made
    return made
  }

  /** Removes the sets that no screen uses. */
  prune() {
    for (const set of this.#byKey.values()) {
      if (set.screens > 0 || set.number === 0) continue
      this.#byKey.delete(set.key)
      this.#byNumber[set.number] = undefined
      this.#free.push(set.number)
    }
  }

  /** Discards the rendered manifests of the sets with one of these programs. */
  markStale(programIds: ReadonlySet<number>) {
    for (const set of this.#byKey.values()) if (set.programs.some((id) => programIds.has(id))) set.rendered = undefined
  }

  values() {
    return this.#byKey.values()
  }
}

/** Limits of one screen. */
export const MAX_PROGRAMS = 50
export const MAX_FILES = 500
export const MAX_BYTES = 8 * 1024 ** 3

/** A program of a screen. The id 0 belongs to content that is not stored. */
interface FittedProgram {
  readonly id: number
  readonly body: ProgramBody
}

/** Ranks content that is not stored yet after all stored programs, because the content will get the highest id. */
const rankOf = ({ id }: FittedProgram) => id || Number.MAX_SAFE_INTEGER

/** Sorts programs by rank, highest first, so that the limits of a screen remove the programs of the lowest rank. */
const byImportance = (a: FittedProgram, b: FittedProgram) =>
  Number(a.body.fallback > 0) - Number(b.body.fallback > 0) ||
  b.body.insertMode - a.body.insertMode ||
  b.body.priority - a.body.priority ||
  rankOf(a) - rankOf(b)

/**
 * Divides the programs of a screen into the programs within its limits (`kept`) and the programs that exceed the limits
 * (`left`). Returns the files of the kept programs by sha256.
 */
export function fitPrograms<P extends FittedProgram>(
  programs: readonly P[],
  filesOf: (adId: number) => readonly ManifestFile[],
): { kept: P[]; left: P[]; files: Map<string, ManifestFile> } {
  const files = new Map<string, ManifestFile>()
  const kept: P[] = []
  const left: P[] = []
  let bytes = 0
  for (const program of programs.toSorted(byImportance)) {
    const fresh = new Map<string, ManifestFile>()
    for (const { adId } of program.body.items)
      for (const file of filesOf(adId)) if (!files.has(file.sha256)) fresh.set(file.sha256, file)
    const size = [...fresh.values()].reduce((sum, file) => sum + file.size, 0)
    if (kept.length >= MAX_PROGRAMS || files.size + fresh.size > MAX_FILES || bytes + size > MAX_BYTES) {
      left.push(program)
      continue
    }
    kept.push(program)
    bytes += size
    for (const [sha256, file] of fresh) files.set(sha256, file)
  }
  return { kept, left, files }
}

/**
 * Converts the limits of the items of a program from wall times of a zone to instants, which manifests contain. Returns
 * the same object when no item has a limit.
 */
export function resolveItemLimits(body: ProgramBody, zoneName: string): ManifestProgram {
  if (isResolved(body)) return body
  const zone = loadZone(zoneName)
  const items = body.items.map(({ from, to, ...item }) => ({
    ...item,
    from: toInstant(from, zone.startOf),
    to: toInstant(to, zone.endOf),
  }))
  return { ...body, items }
}

/** True when no item has a limit, so that the program plays alike in all zones. */
function isResolved(body: ProgramBody): body is ProgramBody & ManifestProgram {
  return body.items.every(({ from, to }) => from === null && to === null)
}

/** Converts a wall time to an instant. `resolve` selects the instant of a wall time that exists twice or not at all. */
function toInstant(limit: ItemLimit, resolve: Zone['startOf']): number | null {
  if (limit === null) return null
  const [date = '', time = ''] = limit.split(' ')
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return Math.round(resolve(parseDay(date), hours * 60 + minutes + seconds / 60))
}
