import { ads as calls } from '@oms/contract/advertise/ad.ts'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { isAuditedByPlatform } from '../platform-audit.ts'
import { listTenantsOfAd } from '../program-scope.ts'
import type { StoredAd } from '../content.ts'
import { listAccountsForRecord, listPlatformStaff } from '#modules/account/permission-holders.ts'
import { sendMessage } from '#modules/system/notices/send-message.ts'

/**
 * Notifies the accounts that may audit the ad, without the submitter and the uploaders. Messages belong to the platform,
 * so they are written after the commit, outside the transaction with row-level security.
 */
export function notifyAuditors(ctx: Ctx, ad: StoredAd, { verNo, uploaders }: Submitted) {
  const { services, user } = ctx
  const { adName } = ad
  ctx.afterCommit(async () => {
    const { db } = services.database
    await sendMessage(services, db, {
      title: `广告待审核：${adName}`,
      text: `${user.realname || user.account} 提交了广告「${adName}」的版本 ${verNo}，请在「广告列表」中审核。`,
      link: { path: `${PAGE}?todo=1`, text: '查看待我审核的广告' },
      uids: await listOtherAuditors(db, ad, [user.uid, ...uploaders]),
    })
  })
}

/** Returns the accounts that may audit a version of the ad, without its submitter and the uploaders of its files. */
export async function listOtherAuditors(db: Db, ad: StoredAd, excluded: readonly number[]) {
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

const PAGE = '/advertiseManage/adList'

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
export function notifySubmitter(ctx: Ctx, { adName }: StoredAd, { submitBy, verb, remark }: Result) {
  const { services } = ctx
  ctx.afterCommit(() =>
    sendMessage(services, services.database.db, {
      title: `广告已${verb}：${adName}`,
      text: verb === '通过' ? `广告「${adName}」已通过审核，可以编入节目单。` : `广告「${adName}」被驳回：${remark}`,
      link: { path: `${PAGE}?${new URLSearchParams({ adName })}`, text: '查看广告' },
      uids: [submitBy],
      priority: verb === '驳回' ? 3 : 2,
    }),
  )
}
