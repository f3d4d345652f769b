import {
  AD_MESSAGES,
  MATERIAL_PURPOSE,
  needsApproval,
  CHECKLIST,
  listChecks,
} from '@oms/contract/advertise/ad-rules.ts'
import { ads as calls } from '@oms/contract/advertise/ad.ts'
import { AD_TYPE } from '@oms/contract/advertise/engine/manifest.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { refused, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { listAccountsForRecord, listPlatformStaff } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import {
  publishAdvertisingChange,
  readEditedBody,
  hashContent,
  readMaterials,
  listUploaders,
  type StoredAd,
  type StoredMaterial,
} from '../content.ts'
import { AD_STATUS, PROBE_STATUS, ads, adVersions } from '../schema.ts'
import { lockAd, listTenantsOfAd } from '../scope.ts'
import { findAuditRefusal } from './ad.ts'
import { computeDurationAndThumbnail } from './materials.ts'

const PAGE = '/advertiseManage/adList'

/**
 * Refuses an incomplete ad. An ad needs files that the server has read, a text or an address, and the approval that its
 * category requires.
 */
function assertCompleteAd(ad: StoredAd, materials: readonly StoredMaterial[]) {
  if (MATERIAL_PURPOSE[ad.adType] && materials.length === 0) throw refused(AD_MESSAGES.noMaterial)
  const unusable = materials.find(({ probeState }) => probeState === PROBE_STATUS.unusable)
  if (unusable) throw refused(`素材「${unusable.fileName}」不能使用：${unusable.probeError}`)
  if (materials.some(({ probeState }) => probeState !== PROBE_STATUS.probed)) throw refused(AD_MESSAGES.probing)
  if (ad.adType === AD_TYPE.text && !ad.text) throw refused(AD_MESSAGES.text)
  if (ad.adType === AD_TYPE.web && !ad.linkUrl) throw refused(AD_MESSAGES.https)
  const isApproved = ad.approvalNo !== '' && ad.approvalUntil !== null && ad.proofs.length > 0
  if (needsApproval(ad.categoryId) && !isApproved) throw refused(AD_MESSAGES.approval)
}

/** Stores the content as a new version that waits for another person. */
export async function submitAd(ctx: Ctx, { id }: ParsedOf<typeof calls.submit>) {
  const { db, user, now } = ctx
  const stored = await lockAd(db, user, id)
  if (stored.auditStatus === AD_STATUS.submitted) throw refused(AD_MESSAGES.alreadySubmitted)
  if (stored.auditStatus === AD_STATUS.approved) throw refused(AD_MESSAGES.unchanged)
  const materials = await readMaterials(db, id)
  assertCompleteAd(stored, materials)
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
    .set({ ...facts, verNo, auditStatus: AD_STATUS.submitted, ...updateColumns(stored, user.uid, now) })
    .where(eq(ads.id, id))
  ctx.audit({ bizType: 'ad', bizId: id, action: `提交广告「${stored.adName}」版本 ${verNo} 审核，内容 ${contentHash}` })
  await publishAdvertisingChange(ctx, stored.tenantId)
  notifyAuditors(ctx, stored, { verNo, uploaders })
  // Another auditor may be staff of the platform.
  const others = await withoutRowSecurity(ctx, (all) => listOtherAuditors(all, stored, [user.uid, ...uploaders]))
  return { verNo, contentHash, hasAuditor: others.length > 0 }
}

/** Withdraws a submitted content, so that the ad can be edited. */
export async function withdrawAd(ctx: Ctx, { id }: ParsedOf<typeof calls.withdraw>) {
  const { db, user, now } = ctx
  const stored = await lockAd(db, user, id)
  if (stored.auditStatus !== AD_STATUS.submitted) throw refused(AD_MESSAGES.notSubmitted)
  await db
    .update(adVersions)
    .set({ auditStatus: 0 })
    .where(and(eq(adVersions.adId, id), eq(adVersions.verNo, stored.verNo)))
  await db
    .update(ads)
    .set({ auditStatus: AD_STATUS.draft, ...updateColumns(stored, user.uid, now) })
    .where(eq(ads.id, id))
  ctx.audit({ bizType: 'ad', bizId: id, action: `撤回广告「${stored.adName}」版本 ${stored.verNo} 的审核` })
  await publishAdvertisingChange(ctx, stored.tenantId)
  return null
}

type Decision = ParsedOf<typeof calls.audit>

/** Returns the submitted version, locked. Refuses when the content differs from the content that the auditor saw. */
async function lockVersion({ db }: Ctx, ad: StoredAd, { verNo, contentHash }: Decision) {
  const [version] = await db
    .select()
    .from(adVersions)
    .where(and(eq(adVersions.adId, ad.id), eq(adVersions.verNo, ad.verNo)))
    .for('update')
  if (!version || version.auditStatus !== AD_STATUS.submitted) throw refused(AD_MESSAGES.notSubmitted)
  const current = hashContent(await readEditedBody(db, ad, await readMaterials(db, ad.id)))
  const hashes = [version.contentHash, hashContent(version.body), current]
  if (verNo !== ad.verNo || hashes.some((hash) => hash !== contentHash)) throw refused(AD_MESSAGES.changed)
  return version
}

function assertCompleteDecision({ auditStatus, remark, checks }: Decision, { adType }: StoredAd) {
  if (auditStatus !== AD_STATUS.approved && remark === '') throw invalid(AD_MESSAGES.remark, 'remark')
  const isChecked = listChecks(adType).every((point) => checks.includes(point))
  if (auditStatus === AD_STATUS.approved && !isChecked) throw invalid(AD_MESSAGES.checks, 'checks')
}

/** Approves or rejects a submitted content. Neither its submitter nor an uploader of its files may decide. */
export async function reviewAd(ctx: Ctx, input: Decision) {
  const { db, user, now } = ctx
  const { id, auditStatus, remark } = input
  const ad = await lockAd(db, user, id)
  if (ad.auditStatus !== AD_STATUS.submitted) throw refused(AD_MESSAGES.notSubmitted)
  const version = await lockVersion(ctx, ad, input)
  const platformAudit = (await isAuditedByPlatform(db, ad.tenantId)) ? 1 : 0
  const refusal = findAuditRefusal({ ...version, tenantId: ad.tenantId, platformAudit }, user)
  if (refusal) throw refused(refusal)
  assertCompleteDecision(input, ad)
  const checks = auditStatus === AD_STATUS.approved ? [...listChecks(ad.adType)] : [...new Set(input.checks)]
  const { verNo } = version
  await db
    .update(adVersions)
    .set({ auditStatus, auditBy: user.uid, auditTime: now.toISOString(), auditRemark: remark, checks })
    .where(and(eq(adVersions.adId, id), eq(adVersions.verNo, verNo)))
  await db
    .update(ads)
    .set({
      auditStatus,
      ...(auditStatus === AD_STATUS.approved && { approvedVer: verNo }),
      ...updateColumns(ad, user.uid, now),
    })
    .where(eq(ads.id, id))
  const verb = auditStatus === AD_STATUS.approved ? '通过' : '驳回'
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
  await publishAdvertisingChange(ctx, ad.tenantId)
  notifySubmitter(ctx, ad, { submitBy: version.submitBy, verb, remark })
  return null
}

/**
 * Notifies the accounts that may audit the ad, without the submitter and the uploaders. Messages belong to the platform,
 * so they are written after the commit, outside the transaction with row-level security.
 */
function notifyAuditors(ctx: Ctx, ad: StoredAd, { verNo, uploaders }: Submitted) {
  const { services, user } = ctx
  const { adName } = ad
  ctx.afterCommit(async () => {
    const { db } = services.database
    await sendMessage(services, db, {
      topic: 'ad',
      title: `广告待审核：${adName}`,
      text: `${user.realname || user.account} 提交了广告「${adName}」的版本 ${verNo}，请在「广告列表」中审核。`,
      link: { path: `${PAGE}?todo=1`, text: '查看待我审核的广告' },
      uids: await listOtherAuditors(db, ad, [user.uid, ...uploaders]),
    })
  })
}

/** Returns the accounts that may audit a version of the ad, without its submitter and the uploaders of its files. */
async function listOtherAuditors(db: Db, ad: StoredAd, excluded: readonly number[]) {
  const auditors = await listAuditors(db, ad)
  return auditors.filter((uid) => !excluded.includes(uid))
}

/** Returns the accounts that hold the permission to audit and whose data scope contains the tenants of the ad. */
async function listAuditors(db: Db, { id, tenantId, createBy }: StoredAd): Promise<number[]> {
  const { access } = calls.audit
  const reached = await listTenantsOfAd(db, id)
  if (!(await isAuditedByPlatform(db, tenantId)))
    return listAccountsForRecord(db, access, { tenantId, createBy, reached })
  return listPlatformStaff(db, access, reached === 'all' ? 'all' : [tenantId, ...reached])
}

interface Submitted {
  readonly verNo: number
  readonly uploaders: readonly number[]
}

interface Result {
  readonly submitBy: number
  readonly verb: '通过' | '驳回'
  readonly remark: string
}

/** Notifies the submitter of the result. */
function notifySubmitter(ctx: Ctx, { adName }: StoredAd, { submitBy, verb, remark }: Result) {
  const { services } = ctx
  ctx.afterCommit(() =>
    sendMessage(services, services.database.db, {
      topic: 'ad',
      title: `广告已${verb}：${adName}`,
      text: verb === '通过' ? `广告「${adName}」已通过审核，可以编入节目单。` : `广告「${adName}」被驳回：${remark}`,
      link: { path: `${PAGE}?${new URLSearchParams({ adName })}`, text: '查看广告' },
      uids: [submitBy],
      priority: verb === '驳回' ? 3 : 2,
    }),
  )
}

/** True when staff of the platform audits the ads of this tenant (its 广告审核方 is 平台). */
async function isAuditedByPlatform(db: Db, tenantId: number): Promise<boolean> {
  const [found] = await db
    .select({ adPlatformAudit: tenants.adPlatformAudit })
    .from(tenants)
    .where(eq(tenants.id, tenantId))
  return found?.adPlatformAudit === 1
}
