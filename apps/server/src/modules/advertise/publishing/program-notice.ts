import type { Ctx } from '#core/http/context.ts'
import type { Db } from '#core/database/client.ts'
import { listAccountsForRecord } from '#modules/account/permission-holders.ts'
import { listTenantsOfProgram } from '../program-scope.ts'
import { sendMessage } from '#modules/system/notices/send-message.ts'
import type { StoredProgram } from '../programs/program-rows.ts'

const AUDIT = 'advertiseManage:ProgramList:audit'

/** Returns the accounts that may approve a version of the program, without its submitter. */
export async function listOtherApprovers(db: Db, { id, tenantId, createBy }: StoredProgram, submitter: number) {
  const reached = await listTenantsOfProgram(db, id)
  const staff = await listAccountsForRecord(db, AUDIT, { tenantId, createBy, reached })
  return staff.filter((uid) => uid !== submitter)
}

const PAGE = '/advertiseManage/ProgramList'

/** Notifies the accounts that may approve a version, without the submitter. */
export async function requestApproval(ctx: Ctx, program: StoredProgram, verNo: number) {
  const { services, user } = ctx
  const { programName } = program
  // The message belongs to the platform, so it is written outside the transaction with row-level security.
  ctx.afterCommit(async () => {
    const { db } = services.database
    await sendMessage(services, db, {
      title: `节目单待审批：${programName}`,
      text: `${user.realname} 提交了节目单「${programName}」的版本 ${verNo}，请在“广告管理 / 节目单”中审批。`,
      link: { path: `${PAGE}?todo=1`, text: '查看待我审批的节目单' },
      uids: await listOtherApprovers(db, program, user.uid),
    })
  })
}

interface Decision {
  readonly verNo: number
  readonly submitBy: number
  readonly isApproved: boolean
  readonly remark: string
}

/** Notifies the submitter of a version of the decision after the commit. A refused decision sends no message. */
export function notifySubmitter(
  ctx: Ctx,
  { programName }: StoredProgram,
  { verNo, submitBy, isApproved, remark }: Decision,
) {
  const { services } = ctx
  const name = `节目单「${programName}」的版本 ${verNo} `
  const opinion = remark && `审批意见：${remark}`
  ctx.afterCommit(() =>
    sendMessage(services, services.database.db, {
      title: `节目单已${isApproved ? '通过审批' : '驳回'}：${programName}`,
      text: isApproved ? `${name}已通过审批，正在发布到屏幕。${opinion}` : `${name}被驳回：${remark}`,
      link: { path: `${PAGE}?${new URLSearchParams({ programName })}`, text: '查看节目单' },
      uids: [submitBy],
      priority: isApproved ? 2 : 3,
    }),
  )
}
