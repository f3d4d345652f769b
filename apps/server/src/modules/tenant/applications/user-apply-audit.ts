import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { APPLY_STATUS, type userApply } from '@oms/contract/tenant/user-apply.ts'
import { and, eq, isNull, ne } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accountRoles, accounts, sessions } from '#core/schema/account.ts'
import { tenants, userApplications } from '#core/schema/tenant.ts'
import { assertMayAssign } from '#modules/account/account-guard.ts'
import { clearSessionsAfterCommit } from '#modules/account/account-actions.ts'
import { assertAccountQuota } from '#modules/account/new-account.ts'
import { requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import type { Ctx } from '#core/http/context.ts'
import { sendMessage } from '#modules/system/inbox.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { notFound, ApiError, refused } from '#core/http/api-error.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { visibleApplications } from './user-apply-rows.ts'

type Input = ParsedOf<typeof userApply.audit>
type Application = typeof userApplications.$inferSelect
const APPROVED = 1

/**
 * Decides applications in one transaction each. Bypasses row-level security, because an applicant has no tenant and
 * the message about a refusal comes from the platform. Checks the visible tenants explicitly.
 */
export async function reviewApplication(ctx: Ctx, input: Input) {
  const ids = [...new Set([...(input.ids ?? []), ...(input.id === undefined ? [] : [input.id])])]
  const failed: { id: number; name: string; msg: string }[] = []
  const done: { id: number; name: string }[] = []
  for (const id of ids.sort((a, b) => a - b)) {
    try {
      const name = await ctx.services.database.db.transaction((db) => decide({ ...ctx, db }, id, input))
      done.push({ id, name })
    } catch (error) {
      if (!(error instanceof ApiError) || ids.length === 1) throw error
      failed.push({ id, name: await nameOf(ctx, id), msg: error.message })
    }
  }
  const action = `${input.status === APPROVED ? '通过' : '驳回'}加入申请`
  ctx.audit({
    bizType: 'userApply',
    action: `${action}：失败${failed.length}个`,
    records: done.map(({ id, name }) => ({ id, action: `${action}：${name}` })),
  })
  return { done: done.length, failed }
}

async function nameOf({ services, user }: Ctx, id: number) {
  const [row] = await services.database.db
    .select({ account: userApplications.account })
    .from(userApplications)
    .where(and(eq(userApplications.id, id), visibleApplications(user)))
  return row?.account ?? String(id)
}

async function decide(ctx: Ctx, id: number, { status, roleIds, remark }: Input): Promise<string> {
  const { db, user, now, services } = ctx
  const [found] = await db
    .select()
    .from(userApplications)
    .where(and(eq(userApplications.id, id), visibleApplications(user)))
  if (!found) throw notFound('申请')
  if (found.uid === user.uid) throw refused('不能审批自己的申请')
  const tenantName = await nameOfTenant(db, found.tenantId)
  if (status === APPROVED) await requireReceivingTenant(ctx, found.tenantId)
  if (status === APPROVED) await assertAccountQuota(db, found.tenantId)
  const [won] = await db
    .update(userApplications)
    .set({
      status,
      roleIds: status === APPROVED ? [...new Set(roleIds)] : [],
      auditUid: user.uid,
      auditName: user.realname || user.account,
      auditTime: now.toISOString(),
      auditRemark: remark,
    })
    .where(and(eq(userApplications.id, id), eq(userApplications.status, 0)))
    .returning()
  if (!won) throw refused(await whyNot(db, id))
  if (status === APPROVED) await acceptApplicant(ctx, won, roleIds)
  await sendMessage(services, db, resultOf(won, tenantName))
  await services.events.publish(db, 'changed', { resource: 'tenant', tenantId: won.tenantId })
  return `${won.realname}（${won.account}）`
}

const nameOfTenant = async (db: Db, id: number) => {
  const [row] = await db.select({ name: tenants.name }).from(tenants).where(eq(tenants.id, id))
  return row?.name ?? ''
}

/** Returns the error for an application that another person has already decided. */
async function whyNot(db: Db, id: number) {
  const [now] = await db
    .select({ status: userApplications.status, by: userApplications.auditName })
    .from(userApplications)
    .where(eq(userApplications.id, id))
  const state = APPLY_STATUS[now?.status as keyof typeof APPLY_STATUS] ?? '已处理'
  return `该申请${state}${now?.by ? `（${now.by}）` : ''}，不能重复审批`
}

/**
 * Adds the applicant to the tenant with roles. Open consoles switch to the tenant, and other applications of the
 * account end.
 */
async function acceptApplicant(ctx: Ctx, { uid, tenantId, id }: Application, roleIds: readonly number[]) {
  const { db, user, now, services } = ctx
  await assertMayAssign(ctx, tenantId, { added: roleIds, removed: [] })
  const [joined] = await db
    .update(accounts)
    .set({ tenantId, updateBy: user.uid, updateTime: now.toISOString() })
    .where(and(eq(accounts.uid, uid), isNull(accounts.tenantId), notDeleted(accounts)))
    .returning({ uid: accounts.uid })
  if (!joined) throw refused('该账号已加入其他客户或已被删除')
  await db.delete(accountRoles).where(eq(accountRoles.uid, uid))
  await db.insert(accountRoles).values([...new Set(roleIds)].map((roleId) => ({ uid, roleId })))
  await db
    .update(userApplications)
    .set({ status: 3, auditTime: now.toISOString(), auditRemark: '已加入其他客户' })
    .where(and(eq(userApplications.uid, uid), eq(userApplications.status, 0), ne(userApplications.id, id)))
  await services.sessions.move(db, and(eq(sessions.uid, uid), isNull(sessions.tenantId)), tenantId)
  await publishRightsChanged(services, db, [uid])
  clearSessionsAfterCommit(ctx)
}

const resultOf = ({ uid, status, auditRemark }: Application, tenantName: string) => ({
  title: status === APPROVED ? '加入申请已通过' : '加入申请未通过',
  text:
    status === APPROVED
      ? `您加入「${tenantName}」的申请已通过，现在可以使用系统了。${auditRemark ? `\n审批意见：${auditRemark}` : ''}`
      : `您加入「${tenantName}」的申请未通过。\n原因：${auditRemark}`,
  uids: [uid],
})
