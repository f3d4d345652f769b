import { AdFields } from '@oms/contract/advertise/ad-input.ts'
import {
  AD_MESSAGES,
  AD_TYPES,
  AUDIT_STATUS,
  ENABLE_STATUS,
  ORIENTATION,
  MATERIAL_PURPOSE,
} from '@oms/contract/advertise/ad-rules.ts'
import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import { readHost } from '@oms/contract/advertise/web-address.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, asc, inArray, isNull, or, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, refused, forbidden, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { dictData, files } from '#core/schema/system.ts'
import { saveUpload } from '#core/storage/save-upload.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { publishAdvertisingChange, readMaterials, type StoredAd, type StoredMaterial } from '../content.ts'
import { AD_STATUS, adMaterials, ads, adUses } from '../schema.ts'
import { lockAd } from '../scope.ts'
import { presentMaterial } from './ad.ts'
import { updateMediaFacts, queuePoster, isAdMaterial, recordMaterial } from './materials.ts'

type Input = ParsedOf<typeof calls.create>

const TITLES = { ...readFieldTitles(AdFields.shape), auditStatus: '审核状态' }
const wordOf = (labels: Readonly<Record<number, string>>, code: number) => labels[code] ?? String(code)

/** Returns the columns that a user edits. Resets the values that the type of the ad does not use. */
async function fieldsOf(ctx: Ctx, tenantId: number, input: Input) {
  const { materials: _, proofs, text, categoryId, approvalUntil, validFrom, validTo, ...rest } = input
  const problems = new FieldProblems()
  await problems.collect(() => rest.adType === AD_TYPE.web && assertForeignHost(ctx, rest.linkUrl))
  await problems.collect(() => categoryId !== undefined && assertCategory(ctx, categoryId))
  const claimed = await problems.collect(() => claimProofs(ctx, tenantId, proofs))
  problems.throwIfAny()
  return {
    ...rest,
    linkUrl: rest.adType === AD_TYPE.web ? rest.linkUrl : '',
    text: rest.adType === AD_TYPE.text ? (text ?? null) : null,
    categoryId: categoryId ?? null,
    approvalUntil: approvalUntil ?? null,
    validFrom: validFrom ?? null,
    validTo: validTo ?? null,
    tags: [...new Set(rest.tags)],
    proofs: claimed!,
  }
}

const isCategory = (categoryId: number) =>
  and(eq(dictData.dictType, 'ad_category'), eq(dictData.dictValue, String(categoryId)), notDeleted(dictData))

async function assertCategory({ db }: Ctx, categoryId: number) {
  if ((await db.$count(dictData, isCategory(categoryId))) === 0) throw invalid(AD_MESSAGES.category, 'categoryId')
}

async function nameOfCategory(db: Db, categoryId: number | null) {
  if (categoryId === null) return null
  const [entry] = await db.select({ name: dictData.dictLabel }).from(dictData).where(isCategory(categoryId)).limit(1)
  return entry?.name ?? String(categoryId)
}

/** Describes an ad for the operation log. */
async function inWords({ db }: Ctx, ad: StoredAd) {
  const materials = await readMaterials(db, ad.id)
  return {
    ...ad,
    adType: wordOf(AD_TYPES, ad.adType),
    orientation: wordOf(ORIENTATION, ad.orientation),
    auditStatus: wordOf(AUDIT_STATUS, ad.auditStatus),
    categoryId: await nameOfCategory(db, ad.categoryId),
    text: ad.text?.content ?? '',
    tags: ad.tags.join('、'),
    proofs: ad.proofs.map(({ name }) => name).join('、'),
    materials: materials.map(({ fileName, sha256 }) => `${fileName} sha256:${sha256}`).join('、'),
  }
}

export async function createAd(ctx: Ctx, input: Input) {
  const { db, user } = ctx
  const { id: tenantId } = await resolveOwningTenant(ctx)
  const fields = await fieldsOf(ctx, tenantId, input)
  const [made] = await db
    .insert(ads)
    .values({ ...fields, tenantId, createBy: user.uid, updateBy: user.uid })
    .returning()
  await assignMaterials(ctx, made!, input.materials)
  const saved = await updateMediaFacts(db, made!)
  const diff = listChanges({}, await inWords(ctx, saved), TITLES)
  ctx.audit({ bizType: 'ad', bizId: saved.id, action: `新增广告「${saved.adName}」`, diff })
  await publishAdvertisingChange(ctx, tenantId)
  return { id: saved.id }
}

/** Saves a draft. The approved version, if any, plays on until another version is approved. */
export async function updateAd(ctx: Ctx, { id, rev, confirmRemoval, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await lockAd(db, user, id)
  if (stored.auditStatus === AD_STATUS.submitted) throw refused(AD_MESSAGES.submitted)
  await checkRevision(db, stored, rev)
  if (confirmRemoval !== 1) await assertKeepsMaterials(ctx, id, input)
  const before = await inWords(ctx, stored)
  const fields = await fieldsOf(ctx, stored.tenantId, input)
  const [written] = await db
    .update(ads)
    .set({ ...fields, ...updateColumns(stored, user.uid, now) })
    .where(eq(ads.id, id))
    .returning()
  await assignMaterials(ctx, written!, input.materials)
  const saved = await updateMediaFacts(db, written!)
  const diff = listChanges(before, await inWords(ctx, saved), TITLES)
  ctx.audit({ bizType: 'ad', bizId: id, action: `修改广告「${stored.adName}」`, diff })
  await publishAdvertisingChange(ctx, stored.tenantId)
  return { rev: saved.rev, auditStatus: saved.auditStatus }
}

/** Deletes an ad that no program uses. Its submitted versions and their files stay. */
export async function removeAd(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { db, user, now } = ctx
  const stored = await lockAd(db, user, id)
  const uses = await db.$count(adUses, eq(adUses.adId, id))
  if (uses > 0) throw conflict(`该广告被 ${uses} 个节目单引用，不能删除`)
  const deletedAt = now.toISOString()
  await db
    .update(ads)
    .set({ deletedAt, ...updateColumns(stored, user.uid, now) })
    .where(eq(ads.id, id))
  await db
    .update(adMaterials)
    .set({ deletedAt })
    .where(and(eq(adMaterials.adId, id), notDeleted(adMaterials)))
  ctx.audit({ bizType: 'ad', bizId: id, action: `删除广告「${stored.adName}」` })
  await publishAdvertisingChange(ctx, stored.tenantId)
  return null
}

async function setEnabled(ctx: Ctx, id: number, enableStat: 0 | 1) {
  const { db, user, now } = ctx
  const stored = await lockAd(db, user, id)
  const verb = enableStat === 1 ? '启用' : '停用'
  ctx.audit({ bizType: 'ad', bizId: id, action: `${verb}广告「${stored.adName}」` })
  if (stored.enableStat === enableStat) return null
  await db
    .update(ads)
    .set({ enableStat, ...updateColumns(stored, user.uid, now) })
    .where(eq(ads.id, id))
  const words = (value: number) => ({ enableStat: wordOf(ENABLE_STATUS, value) })
  ctx.audit({ diff: listChanges(words(stored.enableStat), words(enableStat), { enableStat: '状态' }) })
  await publishAdvertisingChange(ctx, stored.tenantId)
  return null
}
export const enableAd = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => setEnabled(ctx, id, 1)
/** Removes the ad from all manifests. Screens get the change with their next poll. */
export const disableAd = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => setEnabled(ctx, id, 0)

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
async function assignMaterials(ctx: Ctx, ad: StoredAd, sent: Sent): Promise<void> {
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
async function assertKeepsMaterials({ db }: Ctx, adId: number, { adType, materials }: SavedMaterials) {
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
async function claimProofs(ctx: Ctx, tenantId: number, ids: readonly string[]): Promise<Proofs> {
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

/** Stores one file of an ad. The server reads materials in the background. */
export async function uploadMaterial(ctx: Ctx, { purpose }: ParsedOf<typeof calls.upload>) {
  if (ctx.user.tenantId === null) throw forbidden()
  const row = await saveUpload(ctx, purpose)
  if (isAdMaterial(purpose)) await recordMaterial(ctx, row)
  return row
}

export async function getProbeResult({ db, user }: Ctx, { fileId }: ParsedOf<typeof calls.probe>) {
  const [found] = await db
    .select()
    .from(adMaterials)
    .where(and(eq(adMaterials.fileId, fileId), scoped(user, { tenant: adMaterials.tenantId })))
  if (!found) throw notFound('素材')
  return presentMaterial(found)
}

/** Refuses a web address of the host that this request was sent to. */
function assertForeignHost({ request }: Pick<Ctx, 'request'>, address: string) {
  const host = readHost(address)
  const own = [request.header('host'), request.header('x-forwarded-host')]
  if (own.some((name) => name !== undefined && readHost(`https://${name}`) === host))
    throw invalid(AD_MESSAGES.ownHost, 'linkUrl')
}
