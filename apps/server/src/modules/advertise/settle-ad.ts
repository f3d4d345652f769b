import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { ads, adVersions } from './schema.ts'
import {
  readEditedBody,
  hashContent,
  isTimedAdType,
  readMaterials,
  computePlayingTimeMs,
  type StoredAd,
  type StoredMaterial,
} from './content.ts'

const DRAFT = 0
const APPROVED = 2
const SECOND_MS = 1000

/**
 * Stores the columns of an ad that follow from its materials: duration, thumbnail and state of the edited content. The
 * content is approved when it equals the version that plays, otherwise it is a draft.
 */
export async function updateMediaFacts(db: Db, ad: StoredAd): Promise<StoredAd> {
  const materials = await readMaterials(db, ad.id)
  const facts = computeDurationAndThumbnail(ad, materials)
  const auditStatus = (await isApprovedContent(db, { ...ad, ...facts }, materials)) ? APPROVED : DRAFT
  const [saved] = await db
    .update(ads)
    .set({ ...facts, auditStatus })
    .where(eq(ads.id, ad.id))
    .returning()
  return saved!
}

/** Returns duration in seconds, rounded up, and the first thumbnail of the materials. */
export const computeDurationAndThumbnail = (ad: StoredAd, materials: readonly StoredMaterial[]) => ({
  duration: isTimedAdType(ad.adType) ? Math.ceil(computePlayingTimeMs(ad, materials) / SECOND_MS) : ad.duration,
  thumb: materials.find(({ thumbFileId }) => thumbFileId !== '')?.thumbFileId ?? '',
})

async function isApprovedContent(db: Db, ad: StoredAd, materials: readonly StoredMaterial[]) {
  if (ad.approvedVer === 0) return false
  const [approved] = await db
    .select({ contentHash: adVersions.contentHash })
    .from(adVersions)
    .where(and(eq(adVersions.adId, ad.id), eq(adVersions.verNo, ad.approvedVer)))
  return approved?.contentHash === hashContent(await readEditedBody(db, ad, materials))
}
