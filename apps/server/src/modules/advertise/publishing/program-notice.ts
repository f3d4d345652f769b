import type { Ctx } from '#core/http/context.ts'
import { listAccountsWithPermission } from '#domain/accounts/permission-holders.ts'
import { sendMessage } from '#domain/notices/send-message.ts'
import type { StoredProgram } from '../programs/program-rows.ts'

const AUDIT = 'advertiseManage:ProgramList:audit'

/** Notifies the accounts of the program's tenant that may approve a version, without the submitter. */
export async function requestApproval(ctx: Ctx, { tenantId, programName }: StoredProgram, verNo: number) {
  const { services, user } = ctx
  // The message belongs to the platform, so it is written outside the transaction with row-level security.
  ctx.afterCommit(async () => {
    const { db } = services.database
    const holders = await listAccountsWithPermission(db, tenantId, AUDIT)
    await sendMessage(services, db, {
      title: `节目单待审批：${programName}`,
      text: `${user.realname} 提交了节目单「${programName}」的版本 ${verNo}，请在“广告管理 / 节目单”中审批。`,
      uids: holders.filter((uid) => uid !== user.uid),
    })
  })
}
