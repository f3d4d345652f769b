import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { ApplyRow, userApply, APPLY_STATUS, APPLY_DAYS } from '@oms/contract/tenant/user-apply.ts'
import { and, asc, desc, eq, inArray, sql, isNull, ne } from 'drizzle-orm'
import { maskMobile } from '#core/audit/mask.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { contains, buildSort, within, paginate } from '#core/database/lists/list-query.ts'
import { invalid, notFound, refused, ApiError } from '#core/http/api-error.ts'
import type { User, Ctx } from '#core/http/context.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import { roles, accounts, accountRoles, sessions } from '#core/schema/account.ts'
import { tenants, userApplications } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { scoped, notDeleted, isTenantInScope } from '#core/tenancy/tenancy.ts'
import { isTenantActive, requireReceivingTenant } from '#core/tenancy/tenant-state.ts'
import {
  clearSessionsAfterCommit,
  listAssignableRoles,
  assertMayAssign,
  assertAccountQuota,
  listAccountsWithPermission,
  listPlatformStaff,
} from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'

type ApplicationFilters = Omit<ParsedOf<typeof userApply.list>, 'pageNum' | 'pageSize'>

const visibleApplications = (user: User) => scoped(user, { tenant: userApplications.tenantId })

const canSeeContacts = (user: User) => user.can('tenantManage:tenant:plain') || user.can('system:manager:plain')

function buildApplicationFilter(user: User, filters: ApplicationFilters) {
  const { applyNo, account, realname, mobileNo, tenantId, status, beginTime, endTime } = filters
  return and(
    visibleApplications(user),
    applyNo ? eq(userApplications.applyNo, applyNo) : undefined,
    contains(userApplications.account, account),
    contains(userApplications.realname, realname),
    mobileNo && !canSeeContacts(user)
      ? eq(userApplications.mobileNo, mobileNo)
      : contains(userApplications.mobileNo, mobileNo),
    tenantId === undefined ? undefined : eq(userApplications.tenantId, tenantId),
    status === undefined ? undefined : eq(userApplications.status, status),
    ...within(userApplications.createTime, beginTime, endTime),
  )
}

/** Waiting applications are listed first unless a sort column is given. */
const buildApplicationSort = (filters: ApplicationFilters) =>
  buildSort(
    filters,
    { createTime: userApplications.createTime, auditTime: userApplications.auditTime },
    userApplications.id,
    [asc(sql`(${userApplications.status} <> 0)`), desc(userApplications.createTime), desc(userApplications.id)],
  )

const selectApplications = (db: Db) =>
  db
    .select({
      id: userApplications.id,
      applyNo: userApplications.applyNo,
      uid: userApplications.uid,
      account: userApplications.account,
      realname: userApplications.realname,
      mobileNo: userApplications.mobileNo,
      tenantId: userApplications.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      source: userApplications.source,
      reason: userApplications.reason,
      status: userApplications.status,
      roleIds: userApplications.roleIds,
      auditName: userApplications.auditName,
      auditTime: userApplications.auditTime,
      auditRemark: userApplications.auditRemark,
      createTime: userApplications.createTime,
    })
    .from(userApplications)
    .leftJoin(tenants, eq(tenants.id, userApplications.tenantId))
    .$dynamic()

interface Bare {
  mobileNo: string | null
  roleIds: number[]
}

/** Adds role names to applications and masks phone numbers unless permitted. */
async function presentApplications<R extends Bare>(db: Db, user: User, rows: readonly R[]) {
  const ids = [...new Set(rows.flatMap(({ roleIds }) => roleIds))]
  const found = ids.length
    ? await db.select({ id: roles.id, name: roles.roleName }).from(roles).where(inArray(roles.id, ids))
    : []
  const names = new Map(found.map(({ id, name }) => [id, name]))
  const plain = canSeeContacts(user)
  return rows.map(({ roleIds, ...row }) => ({
    ...row,
    mobileNo: plain ? row.mobileNo : maskMobile(row.mobileNo),
    roleNames: roleIds.flatMap((id) => names.get(id) ?? []),
  }))
}

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
    topic: 'tenant',
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

type Input = ParsedOf<typeof userApply.audit>
type Application = typeof userApplications.$inferSelect

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
  topic: 'tenant' as const,
  title: status === APPROVED ? '加入申请已通过' : '加入申请未通过',
  text:
    status === APPROVED
      ? `您加入「${tenantName}」的申请已通过，现在可以使用系统了。${auditRemark ? `\n审批意见：${auditRemark}` : ''}`
      : `您加入「${tenantName}」的申请未通过。\n原因：${auditRemark}`,
  uids: [uid],
})

const overdue = and(
  eq(userApplications.status, 0),
  sql`${userApplications.createTime} < now() - make_interval(days => ${APPLY_DAYS})`,
)

/** Expires applications that nobody decided in time, and notifies the applicants. */
export async function expireApplications(services: Pick<Services, 'database' | 'events' | 'log'>) {
  const { db } = services.database
  const due = await db
    .select({ id: userApplications.id })
    .from(userApplications)
    .where(overdue)
    .orderBy(userApplications.id)
  const isolation = {
    log: services.log,
    kind: 'tenant-clock',
    name: ({ id }: { id: number }) => ({ applicationId: id }),
  }
  const { done, failed } = await forEachIsolated(due, isolation, ({ id }) =>
    db.transaction((tx) => expireApplication(services, tx, id)),
  )
  if (done > 0) await services.events.publish(db, 'changed', { resource: 'tenant', tenantId: null })
  return { applicationsExpired: done, failedItems: failed.length }
}

async function expireApplication(services: Pick<Services, 'events'>, db: Db, id: number) {
  const [gone] = await db
    .update(userApplications)
    .set({ status: 4, auditTime: sql`now()` as unknown as string })
    .where(and(eq(userApplications.id, id), overdue))
    .returning({ uid: userApplications.uid, tenantId: userApplications.tenantId })
  if (!gone) return
  const [tenant] = await db.select({ name: tenants.name }).from(tenants).where(eq(tenants.id, gone.tenantId))
  await sendMessage(services, db, {
    topic: 'tenant',
    title: '加入申请已过期',
    text: `您加入「${tenant?.name ?? ''}」的申请超过 ${APPLY_DAYS} 天未处理，已过期。如仍需加入，请重新申请。`,
    uids: [gone.uid],
  })
}

export const exportApplications = defineExport({
  kind: 'userApply',
  endpoint: userApply.export,
  sheet: '加入申请',
  schema: ApplyRow,
  columns: [
    'applyNo',
    'account',
    'realname',
    'mobileNo',
    ['tenantName', { width: 30 }],
    'source',
    ['reason', { width: 30 }],
    'status',
    'roleNames',
    'auditName',
    ['auditTime', { type: 'dateTime', width: 20 }],
    ['auditRemark', { width: 30 }],
    ['createTime', { type: 'dateTime', width: 20 }],
  ],
  key: userApplications.id,
  where: buildApplicationFilter,
  order: buildApplicationSort,
  load: async (db, user, where) => presentApplications(db, user, await selectApplications(db).where(where)),
  keyOf: ({ id }) => id,
})
