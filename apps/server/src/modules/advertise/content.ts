import { createHash } from 'node:crypto'
import {
  AD_TYPE,
  type ManifestFile,
  type ManifestAd,
  type ManifestItem,
} from '@oms/contract/advertise/engine/manifest.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { files } from '#core/schema/system.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { AD_STATUS, type AdBody, type AdReview, adMaterials, ads, adVersions } from './schema.ts'

export type StoredAd = typeof ads.$inferSelect
export type StoredMaterial = typeof adMaterials.$inferSelect

const SECOND_MS = 1000
/** Types whose playing time is the duration of the file. */
const TIMED: readonly number[] = [AD_TYPE.video, AD_TYPE.audio]
export const isTimedAdType = (adType: number) => TIMED.includes(adType)

/** Publishes a change, which reloads open lists of ads and programs in the console. */
export const publishAdvertisingChange = ({ services, db }: Pick<Ctx, 'services' | 'db'>, tenantId: number) =>
  services.events.publish(db, 'changed', { resource: 'advertise', tenantId })

/** Returns JSON with sorted keys, so that equal values have equal texts. `jsonb` does not keep the order of keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null)
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}

/** Returns the hash of the content of an ad. The version number is not hashed, so equal content has an equal hash. */
export function hashContent(body: AdBody): string {
  const { verNo: _, ...content } = body
  return createHash('sha256').update(canonicalJson(content)).digest('hex')
}

/** Returns the materials of an ad in their order. */
export const readMaterials = (db: Db, adId: number): Promise<StoredMaterial[]> =>
  db
    .select()
    .from(adMaterials)
    .where(and(eq(adMaterials.adId, adId), notDeleted(adMaterials)))
    .orderBy(asc(adMaterials.sort), asc(adMaterials.id))

/** Returns the pages that the server made from packages. Players get a page instead of the uploaded archive. */
async function pagesOf(db: Db, materials: readonly StoredMaterial[]) {
  const ids = materials.flatMap(({ pageFileId }) => (pageFileId ? [pageFileId] : []))
  if (ids.length === 0) return new Map<string, { sha256: string; size: number; mime: string }>()
  const rows = await db
    .select({ id: files.id, sha256: files.sha256, size: files.size, mime: files.mime })
    .from(files)
    .where(inArray(files.id, ids))
  return new Map(rows.map(({ id, ...page }) => [id, page]))
}

async function manifestFiles(db: Db, materials: readonly StoredMaterial[]): Promise<ManifestFile[]> {
  const pages = await pagesOf(db, materials)
  return materials.map((material) => {
    const { id, sha256, size, mime, width, height, codec, chunkHashes } = material
    const played = pages.get(material.pageFileId) ?? { sha256, size, mime }
    return { materialId: id, ...played, width, height, codec, chunks: chunkHashes }
  })
}

/** Returns the content of an ad as it is edited now: what a version stores and what its hash covers. */
export async function readEditedBody(db: Db, ad: StoredAd, materials: readonly StoredMaterial[]): Promise<AdBody> {
  return {
    id: ad.id,
    verNo: ad.verNo,
    name: ad.adName,
    type: ad.adType as AdBody['type'],
    validFrom: ad.validFrom,
    validTo: ad.validTo,
    approvalUntil: ad.approvalUntil,
    linkUrl: ad.linkUrl || null,
    text: ad.adType === AD_TYPE.text ? ad.text : null,
    files: await manifestFiles(db, materials),
    review: {
      orientation: ad.orientation,
      durationMs: computePlayingTimeMs(ad, materials),
      advertiser: ad.advertiser,
      categoryId: ad.categoryId,
      approvalNo: ad.approvalNo,
      proofs: await proofsOf(db, ad),
      ...(await postersOf(db, materials)),
    },
  }
}

/** Returns the milliseconds of one play. */
export const computePlayingTimeMs = (
  { adType, duration }: Pick<StoredAd, 'adType' | 'duration'>,
  [first]: readonly Pick<StoredMaterial, 'durationMs'>[],
) => (isTimedAdType(adType) && first && first.durationMs > 0 ? first.durationMs : duration * SECOND_MS)

async function readHashes(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: files.id, sha256: files.sha256 })
    .from(files)
    .where(inArray(files.id, [...ids]))
  return new Map(rows.map(({ id, sha256 }) => [id, sha256]))
}

async function proofsOf(db: Db, { proofs }: StoredAd): Promise<AdReview['proofs']> {
  if (proofs.length === 0) return []
  const ids = proofs.map(({ id }) => id)
  const hashes = await readHashes(db, ids)
  return proofs.map(({ id, name }) => ({ id, name, sha256: hashes.get(id) ?? '' }))
}

const posterIdsOf = (materials: readonly StoredMaterial[]) =>
  materials.flatMap(({ posterFileId }) => (posterFileId ? [posterFileId] : []))

/**
 * Returns the uploaded covers of videos. Returns no property when there are no covers, so that the hash of content
 * without covers does not change.
 */
async function postersOf(db: Db, materials: readonly StoredMaterial[]): Promise<Pick<AdReview, 'posters'>> {
  const ids = posterIdsOf(materials)
  if (ids.length === 0) return {}
  const hashes = await readHashes(db, ids)
  return { posters: ids.map((id) => ({ id, sha256: hashes.get(id) ?? '' })) }
}

/** Returns the accounts that uploaded a file of an ad: materials, covers and proofs. */
export async function listUploaders(
  db: Db,
  { proofs }: StoredAd,
  materials: readonly StoredMaterial[],
): Promise<number[]> {
  const ids = [...posterIdsOf(materials), ...proofs.map(({ id }) => id)]
  const rows = ids.length === 0 ? [] : await db.select({ uid: files.uid }).from(files).where(inArray(files.id, ids))
  return [...new Set([...materials.map(({ createBy }) => createBy), ...rows.map(({ uid }) => uid)])].filter(
    (uid) => uid !== null,
  )
}

/** Returns the SQL condition that is true after the last valid day of the ad or of its approval number. */
export const buildExpiredCondition = (today: string) =>
  sql<boolean>`coalesce(least(${ads.validTo}, ${ads.approvalUntil}) < ${today}::date, false)`

/** An approved ad. `fileMs`: milliseconds of one play of a video or audio, whose file determines the duration. */
export interface KnownAd extends ManifestAd {
  readonly fileMs?: number
}

/** Returns the milliseconds of the file of a video or audio ad; undefined for other kinds and for an unknown duration. */
export const fileMsOf = (type: number, durationMs: number | undefined): number | undefined =>
  isTimedAdType(type) && durationMs !== undefined && durationMs > 0 ? durationMs : undefined

interface WithItems {
  readonly items: readonly Pick<ManifestItem, 'adId' | 'ms'>[]
}

/**
 * Returns a program whose videos and audios last as long as their approved files. The approved version may have changed
 * since the program was published. Returns the same object when nothing differs.
 */
export function withFileDurations<P extends WithItems>(program: P, fileMs: (adId: number) => number | undefined): P {
  const differs = ({ adId, ms }: Pick<ManifestItem, 'adId' | 'ms'>) => (fileMs(adId) ?? ms) !== ms
  if (!program.items.some(differs)) return program
  return { ...program, items: program.items.map((item) => ({ ...item, ms: fileMs(item.adId) ?? item.ms })) }
}

/** The approved content of an ad, with the facts that a program needs. */
interface ApprovedAd {
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
    .where(
      and(among(ads.id, adIds), eq(ads.enableStat, 1), eq(adVersions.auditStatus, AD_STATUS.approved), notDeleted(ads)),
    )
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
    .where(and(among(ads.id, [...new Set(adIds)]), eq(adVersions.auditStatus, AD_STATUS.approved), notDeleted(ads)))
  return new Map(
    rows.flatMap(({ id, type, durationMs }) => {
      const fileMs = fileMsOf(type, durationMs)
      return fileMs === undefined ? [] : [[id, fileMs] as const]
    }),
  )
}
