import { ads as calls } from '@oms/contract/advertise/ad.ts'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { isAuditedByPlatform } from '#domain/ads/platform-audit.ts'
import type { StoredAd } from '#domain/ads/content.ts'
import { listAccountsWithPermission } from '#domain/accounts/permission-holders.ts'
import { sendMessage } from '#domain/notices/send-message.ts'

/**
 * Notifies the accounts that may audit the ad, without the submitter. Messages belong to the platform, so they are
 * written after the commit, outside the transaction with row-level security.
 */
export function notifyAuditors(ctx: Ctx, { tenantId, adName }: StoredAd, verNo: number) {
  const { services, user } = ctx
  ctx.afterCommit(async () => {
    const { db } = services.database
    const auditing = (await isAuditedByPlatform(db, tenantId)) ? PLATFORM_TENANT_ID : tenantId
    const holders = await listAccountsWithPermission(db, auditing, calls.audit.access)
    await sendMessage(services, db, {
      title: `广告待审核：${adName}`,
      text: `${user.realname || user.account} 提交了广告「${adName}」的版本 ${verNo}，请在「广告列表」中审核。`,
      uids: holders.filter((uid) => uid !== user.uid),
    })
  })
}

interface Result {
  readonly submitBy: number
  readonly verb: '通过' | '驳回'
  readonly remark: string
}

/** Notifies the submitter of the result. */
export function notifySubmitter(ctx: Ctx, { adName }: StoredAd, { submitBy, verb, remark }: Result) {
  const { services } = ctx
  ctx.afterCommit(() =>
    sendMessage(services, services.database.db, {
      title: `广告已${verb}：${adName}`,
      text: verb === '通过' ? `广告「${adName}」已通过审核，可以编入节目单。` : `广告「${adName}」被驳回：${remark}`,
      uids: [submitBy],
      priority: verb === '驳回' ? 3 : 2,
    }),
  )
}
