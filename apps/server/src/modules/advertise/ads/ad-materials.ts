import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import { AD_MESSAGES, MATERIAL_PURPOSE } from '@oms/contract/advertise/ad-rules.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import type { StoredAd, StoredMaterial } from '../content.ts'
import { queuePoster } from './materials.ts'
import { adMaterials } from '../schema.ts'
import { files } from '#core/schema/system.ts'

type SavedMaterials = Pick<ParsedOf<typeof calls.create>, 'adType' | 'materials'>
type Sent = SavedMaterials['materials']
type Proofs = StoredAd['proofs']

/** Marks files as used by a saved record, so that cleanup keeps them. */
async function useFiles({ db }: Ctx, ids: readonly string[]) {
  if (ids.length === 0) return
  await db
    .update(files)
    .set({ usedTime: sql`coalesce(${files.usedTime}, now())` as unknown as string })
    .where(inArray(files.id, [...ids]))
}

/**
 * Assigns uploaded files to the ad in the sent order and removes the other materials. Each file must be an upload of the
 * right kind in the tenant of the ad, and belongs to one ad only.
 */
export async function assignMaterials(ctx: Ctx, ad: StoredAd, sent: Sent): Promise<void> {
  const { db, now } = ctx
  const purpose = MATERIAL_PURPOSE[ad.adType]
  const wanted = purpose ? sent : []
  const fileIds = wanted.map(({ fileId }) => fileId)
  const found = new Map((await lockMaterials(ctx, ad, fileIds, purpose)).map((each) => [each.fileId, each]))
  await assertPosters(ctx, ad, wanted, found)
  await db
    .update(adMaterials)
    .set({ deletedAt: now.toISOString() })
    .where(and(eq(adMaterials.adId, ad.id), notDeleted(adMaterials)))
  for (const [sort, { fileId, posterId }] of wanted.entries()) {
    const material = found.get(fileId)
    if (!material) throw invalid(AD_MESSAGES.material, 'materials')
    await db
      .update(adMaterials)
      .set({ adId: ad.id, sort, deletedAt: null, ...(posterId && { posterFileId: posterId }) })
      .where(eq(adMaterials.id, material.id))
    if (posterId && posterId !== material.posterFileId) await queuePoster(ctx.services, db, material.id)
  }
  const made = [...found.values()].flatMap(({ thumbFileId, pageFileId }) => [thumbFileId, pageFileId])
  const posters = wanted.map(({ posterId = '' }) => posterId)
  await useFiles(
    ctx,
    [...fileIds, ...posters, ...made].filter((id) => id !== ''),
  )
}

/** Refuses a save that removes every material of an ad. The caller has to confirm such a save. */
export async function assertKeepsMaterials({ db }: Ctx, adId: number, { adType, materials }: SavedMaterials) {
  if (MATERIAL_PURPOSE[adType] && materials.length > 0) return
  const stored = await db.$count(adMaterials, and(eq(adMaterials.adId, adId), notDeleted(adMaterials)))
  if (stored > 0) throw invalid(AD_MESSAGES.removesAll, 'materials')
}

/** Locks the materials of these files in the order of their ids, so that two saves cannot deadlock. */
async function lockMaterials(
  { db }: Ctx,
  ad: StoredAd,
  fileIds: readonly string[],
  purpose: string | undefined,
): Promise<StoredMaterial[]> {
  if (fileIds.length === 0 || !purpose) return []
  const rows = await db
    .select({ material: adMaterials })
    .from(adMaterials)
    .innerJoin(files, eq(files.id, adMaterials.fileId))
    .where(
      and(
        inArray(adMaterials.fileId, [...fileIds]),
        eq(adMaterials.tenantId, ad.tenantId),
        or(isNull(adMaterials.adId), eq(adMaterials.adId, ad.id)),
        eq(files.purpose, purpose),
      ),
    )
    .orderBy(asc(adMaterials.id))
    .for('update', { of: adMaterials })
  return rows.map(({ material }) => material)
}

/** Refuses posters that are not an upload of the tenant of the ad. A stored poster may be sent again. */
async function assertPosters({ db }: Ctx, ad: StoredAd, sent: Sent, found: ReadonlyMap<string, StoredMaterial>) {
  const fresh = sent.flatMap(({ fileId, posterId }) =>
    posterId && found.get(fileId)?.posterFileId !== posterId ? [posterId] : [],
  )
  if (fresh.length === 0) return
  const rows = await db
    .select({ id: files.id })
    .from(files)
    .where(and(inArray(files.id, fresh), eq(files.tenantId, ad.tenantId), eq(files.purpose, 'adPoster')))
  if (rows.length < new Set(fresh).size) throw invalid(AD_MESSAGES.material, 'materials')
}

/** Returns the proofs of a save with name and size. Each file must be uploaded as a proof in the tenant of the ad. */
export async function claimProofs(ctx: Ctx, tenantId: number, ids: readonly string[]): Promise<Proofs> {
  if (ids.length === 0) return []
  const rows = await ctx.db
    .select({ id: files.id, name: files.name, size: files.size })
    .from(files)
    .where(and(inArray(files.id, [...ids]), eq(files.tenantId, tenantId), eq(files.purpose, 'adProof')))
  const found = new Map(rows.map((row) => [row.id, row]))
  const proofs = [...new Set(ids)].map((id) => {
    const proof = found.get(id)
    if (!proof) throw invalid(AD_MESSAGES.proof, 'proofs')
    return proof
  })
  await useFiles(ctx, ids)
  return proofs
}
