import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import { AD_MESSAGES, MATERIAL_PURPOSE, needsApproval } from '@oms/contract/advertise/ad-rules.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import {
  readEditedBody,
  hashContent,
  readMaterials,
  listUploaders,
  type StoredAd,
  type StoredMaterial,
} from '../content.ts'
import { computeDurationAndThumbnail } from '../settle-ad.ts'
import { lockAd } from '../visible-ads.ts'
import { ads, adVersions } from '../schema.ts'
import { listOtherAuditors, notifyAuditors } from './ad-notice.ts'
import { publishAds } from './ad-save.ts'

const DRAFT = 0
const SUBMITTED = 1
const APPROVED = 2
const PROBED = 1
const UNUSABLE = 2

/**
 * Refuses an incomplete ad. An ad needs files that the server has read, a text or an address, and the approval that its
 * category requires.
 */
function assertComplete(ad: StoredAd, materials: readonly StoredMaterial[]) {
  if (MATERIAL_PURPOSE[ad.adType] && materials.length === 0) throw refused(AD_MESSAGES.noMaterial)
  const unusable = materials.find(({ probeState }) => probeState === UNUSABLE)
  if (unusable) throw refused(`素材「${unusable.fileName}」不能使用：${unusable.probeError}`)
  if (materials.some(({ probeState }) => probeState !== PROBED)) throw refused(AD_MESSAGES.probing)
  if (ad.adType === AD_TYPE.text && !ad.text) throw refused(AD_MESSAGES.text)
  if (ad.adType === AD_TYPE.web && !ad.linkUrl) throw refused(AD_MESSAGES.https)
  const isApproved = ad.approvalNo !== '' && ad.approvalUntil !== null && ad.proofs.length > 0
  if (needsApproval(ad.categoryId) && !isApproved) throw refused(AD_MESSAGES.approval)
}

/** Stores the content as a new version that waits for another person. */
export async function submitAd(ctx: Ctx, { id }: ParsedOf<typeof calls.submit>) {
  const { db, user, now } = ctx
  const stored = await lockAd(db, user, id)
  if (stored.auditStatus === SUBMITTED) throw refused(AD_MESSAGES.alreadySubmitted)
  if (stored.auditStatus === APPROVED) throw refused(AD_MESSAGES.unchanged)
  const materials = await readMaterials(db, id)
  assertComplete(stored, materials)
  const facts = computeDurationAndThumbnail(stored, materials)
  const verNo = stored.verNo + 1
  const body = await readEditedBody(db, { ...stored, ...facts, verNo }, materials)
  const contentHash = hashContent(body)
  const uploaders = await listUploaders(db, stored, materials)
  await db
    .insert(adVersions)
    .values({ adId: id, verNo, tenantId: stored.tenantId, body, contentHash, uploaders, submitBy: user.uid })
  await db
    .update(ads)
    .set({ ...facts, verNo, auditStatus: SUBMITTED, ...updateColumns(stored, user.uid, now) })
    .where(eq(ads.id, id))
  ctx.audit({ bizType: 'ad', bizId: id, action: `提交广告「${stored.adName}」版本 ${verNo} 审核，内容 ${contentHash}` })
  await publishAds(ctx, stored.tenantId)
  notifyAuditors(ctx, stored, { verNo, uploaders })
  const others = await withoutRowSecurity(ctx, (all) => listOtherAuditors(all, stored, [user.uid, ...uploaders]))
  return { verNo, contentHash, hasAuditor: others.length > 0 }
}

/** Withdraws a submitted content, so that the ad can be edited. */
export async function withdrawAd(ctx: Ctx, { id }: ParsedOf<typeof calls.withdraw>) {
  const { db, user, now } = ctx
  const stored = await lockAd(db, user, id)
  if (stored.auditStatus !== SUBMITTED) throw refused(AD_MESSAGES.notSubmitted)
  await db
    .update(adVersions)
    .set({ auditStatus: 0 })
    .where(and(eq(adVersions.adId, id), eq(adVersions.verNo, stored.verNo)))
  await db
    .update(ads)
    .set({ auditStatus: DRAFT, ...updateColumns(stored, user.uid, now) })
    .where(eq(ads.id, id))
  ctx.audit({ bizType: 'ad', bizId: id, action: `撤回广告「${stored.adName}」版本 ${stored.verNo} 的审核` })
  await publishAds(ctx, stored.tenantId)
  return null
}
