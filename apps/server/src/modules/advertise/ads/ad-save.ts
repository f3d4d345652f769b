import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import { AdFields } from '@oms/contract/advertise/ad-input.ts'
import { AD_MESSAGES, AD_TYPES, AUDIT_STATUS, ENABLE_STATUS, ORIENTATION } from '@oms/contract/advertise/ad-rules.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, refused } from '#core/http/api-error.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { readMaterials, type StoredAd } from '../content.ts'
import { updateMediaFacts } from '../settle-ad.ts'
import { lockAd } from '../visible-ads.ts'
import { resolveOwningTenant } from '#core/tenancy/receiving-tenant.ts'
import { adMaterials, ads, adUses } from '../schema.ts'
import { dictData } from '#core/schema/system.ts'
import { assertKeepsMaterials, assignMaterials, claimProofs } from './ad-materials.ts'
import { assertForeignHost } from './own-host.ts'

type Input = ParsedOf<typeof calls.create>

const TITLES = { ...readFieldTitles(AdFields.shape), auditStatus: '审核状态' }
const SUBMITTED = 1
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

/** Publishes a change, which reloads open lists of ads and programs in the console. */
export const publishAds = ({ services, db }: Pick<Ctx, 'services' | 'db'>, tenantId: number) =>
  services.events.publish(db, 'changed', { resource: 'advertise', tenantId })

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
  await publishAds(ctx, tenantId)
  return { id: saved.id }
}

/** Saves a draft. The approved version, if any, plays on until another version is approved. */
export async function updateAd(ctx: Ctx, { id, rev, confirmRemoval, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await lockAd(db, user, id)
  if (stored.auditStatus === SUBMITTED) throw refused(AD_MESSAGES.submitted)
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
  await publishAds(ctx, stored.tenantId)
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
  await publishAds(ctx, stored.tenantId)
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
  await publishAds(ctx, stored.tenantId)
  return null
}
export const enableAd = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => setEnabled(ctx, id, 1)
/** Removes the ad from all manifests. Screens get the change with their next poll. */
export const disableAd = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => setEnabled(ctx, id, 0)
