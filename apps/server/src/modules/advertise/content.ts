import { createHash } from 'node:crypto'
import { AD_TYPE, type ManifestFile } from '@oms/contract/advertise/engine/manifest.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { type AdBody, type AdReview, adMaterials, ads } from './schema.ts'
import { files } from '#core/schema/system.ts'

export type StoredAd = typeof ads.$inferSelect
export type StoredMaterial = typeof adMaterials.$inferSelect

const SECOND_MS = 1000
/** Types whose playing time is the duration of the file. */
const TIMED: readonly number[] = [AD_TYPE.video, AD_TYPE.audio]
export const isTimedAdType = (adType: number) => TIMED.includes(adType)

/** Returns JSON with sorted keys, so that equal values have equal texts. */
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

async function proofsOf(db: Db, { proofs }: StoredAd): Promise<AdReview['proofs']> {
  if (proofs.length === 0) return []
  const ids = proofs.map(({ id }) => id)
  const rows = await db.select({ id: files.id, sha256: files.sha256 }).from(files).where(inArray(files.id, ids))
  const hashes = new Map(rows.map(({ id, sha256 }) => [id, sha256]))
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
  const rows = await db.select({ id: files.id, sha256: files.sha256 }).from(files).where(inArray(files.id, ids))
  const hashes = new Map(rows.map(({ id, sha256 }) => [id, sha256]))
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
