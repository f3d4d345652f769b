import type { ads as calls } from '@oms/contract/advertise/ad.ts'
import { AD_MESSAGES, CHECKLIST, listChecks } from '@oms/contract/advertise/ad-rules.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { readEditedBody, hashContent, readMaterials, type StoredAd } from '../content.ts'
import { isAuditedByPlatform } from '../platform-audit.ts'
import { lockAd } from '../visible-ads.ts'
import { ads, adVersions } from '../schema.ts'
import { findAuditRefusal } from './audit-refusal.ts'
import { notifySubmitter } from './ad-notice.ts'
import { publishAds } from './ad-save.ts'

type Decision = ParsedOf<typeof calls.audit>

const SUBMITTED = 1
const APPROVED = 2

/** Returns the submitted version, locked. Refuses when the content differs from the content that the auditor saw. */
async function lockVersion({ db }: Ctx, ad: StoredAd, { verNo, contentHash }: Decision) {
  const [version] = await db
    .select()
    .from(adVersions)
    .where(and(eq(adVersions.adId, ad.id), eq(adVersions.verNo, ad.verNo)))
    .for('update')
  if (!version || version.auditStatus !== SUBMITTED) throw refused(AD_MESSAGES.notSubmitted)
  const current = hashContent(await readEditedBody(db, ad, await readMaterials(db, ad.id)))
  const hashes = [version.contentHash, hashContent(version.body), current]
  if (verNo !== ad.verNo || hashes.some((hash) => hash !== contentHash)) throw refused(AD_MESSAGES.changed)
  return version
}

function assertComplete({ auditStatus, remark, checks }: Decision, { adType }: StoredAd) {
  if (auditStatus !== APPROVED && remark === '') throw invalid(AD_MESSAGES.remark, 'remark')
  const isChecked = listChecks(adType).every((point) => checks.includes(point))
  if (auditStatus === APPROVED && !isChecked) throw invalid(AD_MESSAGES.checks, 'checks')
}

/** Approves or rejects a submitted content. Neither its submitter nor an uploader of its files may decide. */
export async function reviewAd(ctx: Ctx, input: Decision) {
  const { db, user, now } = ctx
  const { id, auditStatus, remark } = input
  const ad = await lockAd(db, user, id)
  if (ad.auditStatus !== SUBMITTED) throw refused(AD_MESSAGES.notSubmitted)
  const version = await lockVersion(ctx, ad, input)
  const platformAudit = (await isAuditedByPlatform(db, ad.tenantId)) ? 1 : 0
  const refusal = findAuditRefusal({ ...version, tenantId: ad.tenantId, platformAudit }, user)
  if (refusal) throw refused(refusal)
  assertComplete(input, ad)
  const checks = auditStatus === APPROVED ? [...listChecks(ad.adType)] : [...new Set(input.checks)]
  const { verNo } = version
  await db
    .update(adVersions)
    .set({ auditStatus, auditBy: user.uid, auditTime: now.toISOString(), auditRemark: remark, checks })
    .where(and(eq(adVersions.adId, id), eq(adVersions.verNo, verNo)))
  await db
    .update(ads)
    .set({ auditStatus, ...(auditStatus === APPROVED && { approvedVer: verNo }), ...updateColumns(ad, user.uid, now) })
    .where(eq(ads.id, id))
  const verb = auditStatus === APPROVED ? '通过' : '驳回'
  const points = checks.map((point) => CHECKLIST[point as keyof typeof CHECKLIST]).join('、')
  const reason = remark && `，意见：${remark}`
  ctx.audit({
    bizType: 'ad',
    bizId: id,
    action: `${verb}广告「${ad.adName}」版本 ${verNo}${reason}`,
    diff: [
      { field: 'contentHash', title: '内容校验值', from: null, to: version.contentHash },
      { field: 'checks', title: '审核要点', from: null, to: points },
    ],
  })
  await publishAds(ctx, ad.tenantId)
  notifySubmitter(ctx, ad, { submitBy: version.submitBy, verb, remark })
  return null
}
