import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { userApply } from '@oms/contract/tenant/user-apply.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants, userApplications } from '#core/schema/tenant.ts'
import { listAssignableRoles } from '#modules/account/account-guard.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/permission-holders.ts'
import type { Ctx } from '#core/http/context.ts'
import { sendMessage } from '#modules/system/inbox.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import { notDeleted, isTenantInScope } from '#core/tenancy/tenancy.ts'
import { isTenantActive } from '#core/tenancy/tenant-state.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import {
  buildApplicationSort,
  buildApplicationFilter,
  presentApplications,
  visibleApplications,
  selectApplications,
} from './user-apply-rows.ts'

const PENDING = 0
const APPROVED = 1
const CANCELLED = 3
/** Maximum number of open applications of one account. */
const MAX_OPEN = 5
const AUDIT = 'tenantManage:userapplication:audit'

export async function listApplications(
  { db, user }: Ctx,
  { pageNum, pageSize, ...filters }: ParsedOf<typeof userApply.list>,
) {
  const rows = selectApplications(db).where(buildApplicationFilter(user, filters))
  const page = await paginate(db, rows, { pageNum, pageSize }, buildApplicationSort(filters))
  return { ...page, list: await presentApplications(db, user, page.list) }
}

export async function getApplication({ db, user }: Ctx, { id }: ParsedOf<typeof userApply.get>) {
  const rows = await selectApplications(db).where(and(eq(userApplications.id, id), visibleApplications(user)))
  const [found] = await presentApplications(db, user, rows)
  if (!found) throw notFound('申请')
  return found
}

export async function countWaitingApplications({ db, user }: Ctx) {
  return {
    pending: await db.$count(userApplications, and(eq(userApplications.status, PENDING), visibleApplications(user))),
  }
}

export async function getOwnJoinCode({ db, user }: Ctx) {
  const [own] = user.tenantId
    ? await db
        .select({ joinCode: tenants.joinCode, allowApply: tenants.allowApply })
        .from(tenants)
        .where(and(eq(tenants.id, user.tenantId), notDeleted(tenants)))
    : []
  return { joinCode: own?.joinCode ?? '', allowApply: own?.joinCode ? own.allowApply : 0 }
}

export async function listRoleOptions(ctx: Ctx, { tenantId }: ParsedOf<typeof userApply.roles>) {
  if (!isTenantInScope(ctx.user, tenantId)) throw notFound('客户')
  const list = await listAssignableRoles(ctx, tenantId)
  const last = await rolesOfLastApproval(ctx.db, tenantId)
  const assignable = list.filter(({ status, grantable }) => status === 1 && grantable)
  return { list, suggested: assignable.flatMap(({ id }) => (last.includes(id) ? [id] : [])) }
}

async function rolesOfLastApproval(db: Db, tenantId: number): Promise<readonly number[]> {
  const [last] = await db
    .select({ roleIds: userApplications.roleIds })
    .from(userApplications)
    .where(and(eq(userApplications.tenantId, tenantId), eq(userApplications.status, APPROVED)))
    .orderBy(desc(userApplications.auditTime))
    .limit(1)
  return last?.roleIds ?? []
}

export async function listOwnApplications({ db, user }: Ctx) {
  const list = await db
    .select({
      id: userApplications.id,
      applyNo: userApplications.applyNo,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      reason: userApplications.reason,
      status: userApplications.status,
      auditRemark: userApplications.auditRemark,
      createTime: userApplications.createTime,
      auditTime: userApplications.auditTime,
    })
    .from(userApplications)
    .leftJoin(tenants, eq(tenants.id, userApplications.tenantId))
    .where(eq(userApplications.uid, user.uid))
    .orderBy(desc(userApplications.id))
    .limit(20)
  return { list }
}

/** Inserts a pending application and returns its id. Throws when the account already waits for this tenant. */
async function insertApplication(db: Db, own: typeof accounts.$inferSelect, tenantId: number, reason: string) {
  const { rows } = await db.execute<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence('user_applications', 'id'))::int as id`,
  )
  const id = rows[0]!.id
  await db
    .insert(userApplications)
    .values({
      id,
      applyNo: `SQ${String(id).padStart(8, '0')}`,
      uid: own.uid,
      account: own.account,
      realname: own.realname,
      mobileNo: own.mobileNo,
      tenantId,
      reason,
    })
    .catch((error: unknown) => {
      throw (
        toUniqueViolation(error, { user_applications_pending: ['您已申请加入该客户，请等待审批', 'joinCode'] }) ?? error
      )
    })
  return id
}

/**
 * Creates an application to join a tenant. A wrong code and a tenant that accepts no applications return the same
 * error.
 */
export async function submitApplication(ctx: Ctx, { joinCode, reason }: ParsedOf<typeof userApply.apply>) {
  const { db, user, services } = ctx
  const [own] = await db.select().from(accounts).where(eq(accounts.uid, user.uid)).for('update')
  if (!own || own.tenantId !== null) throw refused('您已加入客户，不能再申请加入')
  const [tenant] = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(and(eq(tenants.joinCode, joinCode), eq(tenants.allowApply, 1), isTenantActive()))
  if (!tenant) throw invalid('加入码不正确或已停用', 'joinCode')
  const open = and(eq(userApplications.uid, user.uid), eq(userApplications.status, PENDING))
  if ((await db.$count(userApplications, open)) >= MAX_OPEN) throw refused(`最多同时有${MAX_OPEN}个待审批的申请`)
  const id = await insertApplication(db, own, tenant.id, reason)
  const approvers = await listAccountsWithPermission(db, tenant.id, AUDIT)
  await sendMessage(services, db, {
    title: '新的加入申请',
    text: `${own.realname}（${own.account}）申请加入「${tenant.name}」，请在「加入申请」中审批。${reason ? `\n申请说明：${reason}` : ''}`,
    uids: approvers.length > 0 ? approvers : await listPlatformStaff(db, AUDIT, [tenant.id]),
  })
  await services.events.publish(db, 'changed', { resource: 'tenant', tenantId: tenant.id })
  ctx.audit({ bizType: 'userApply', bizId: id, action: `申请加入「${tenant.name}」` })
  return { id, tenantName: tenant.name }
}

export async function cancelApplication(ctx: Ctx, { id }: ParsedOf<typeof userApply.cancel>) {
  const { db, user, services, now } = ctx
  const [gone] = await db
    .update(userApplications)
    .set({ status: CANCELLED, auditTime: now.toISOString() })
    .where(and(eq(userApplications.id, id), eq(userApplications.uid, user.uid), eq(userApplications.status, PENDING)))
    .returning({ tenantId: userApplications.tenantId })
  if (!gone) throw refused('申请不存在或已处理，不能取消')
  await services.events.publish(db, 'changed', { resource: 'tenant', tenantId: gone.tenantId })
  ctx.audit({ bizType: 'userApply', bizId: id, action: '取消加入申请' })
  return null
}
