import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { userApply } from '@oms/contract/user-apply.ts'
import { and, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { accounts } from '#db/schema/account.ts'
import { tenants, userApplications } from '#db/schema/tenant.ts'
import { rolesToOffer } from '#kernel/accounts/account-guard.ts'
import { holdersOf } from '#kernel/accounts/holders.ts'
import type { Ctx } from '#kernel/context.ts'
import { sendMessage } from '#kernel/message.ts'
import { invalid, notFound, refused } from '#kernel/problem.ts'
import { paginate } from '#kernel/query.ts'
import { alive, PLATFORM_TENANT_ID, reaches } from '#kernel/tenancy.ts'
import { uniqueClash } from '#kernel/unique.ts'
import { applyOrder, conditionsOf, dressed, reachedBy, selectApplications } from './user-apply-rows.ts'

const PENDING = 0
const CANCELLED = 3
/** Open applications one account may have at once. */
const MAX_OPEN = 5
const AUDIT = 'tenantManage:userapplication:audit'

export async function list({ db, user }: Ctx, { pageNum, pageSize, ...filters }: ParsedOf<typeof userApply.list>) {
  const rows = selectApplications(db).where(conditionsOf(user, filters))
  const page = await paginate(db, rows, { pageNum, pageSize }, applyOrder(filters))
  return { ...page, list: await dressed(db, user, page.list) }
}

export async function get({ db, user }: Ctx, { id }: ParsedOf<typeof userApply.get>) {
  const rows = await selectApplications(db).where(and(eq(userApplications.id, id), reachedBy(user)))
  const [found] = await dressed(db, user, rows)
  if (!found) throw notFound('申请')
  return found
}

export async function count({ db, user }: Ctx) {
  return { pending: await db.$count(userApplications, and(eq(userApplications.status, PENDING), reachedBy(user))) }
}

export async function code({ db, user }: Ctx) {
  const [own] = user.tenantId
    ? await db
        .select({ joinCode: tenants.joinCode, allowApply: tenants.allowApply })
        .from(tenants)
        .where(and(eq(tenants.id, user.tenantId), alive(tenants)))
    : []
  return { joinCode: own?.joinCode ?? '', allowApply: own?.joinCode ? own.allowApply : 0 }
}

export async function roleOptions(ctx: Ctx, { tenantId }: ParsedOf<typeof userApply.roles>) {
  if (!reaches(ctx.user, tenantId)) throw notFound('客户')
  return { list: await rolesToOffer(ctx, tenantId) }
}

export async function mine({ db, user }: Ctx) {
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

/** Asks to join a customer. A code that is wrong, and one of a customer that takes nobody, answer alike. */
export async function apply(ctx: Ctx, { joinCode, reason }: ParsedOf<typeof userApply.apply>) {
  const { db, user, kernel } = ctx
  const [own] = await db.select().from(accounts).where(eq(accounts.uid, user.uid)).for('update')
  if (!own || own.tenantId !== null) throw refused('您已加入客户，不能再申请加入')
  const [tenant] = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(
      and(
        eq(tenants.joinCode, joinCode),
        eq(tenants.allowApply, 1),
        eq(tenants.status, 1),
        alive(tenants),
        or(isNull(tenants.expireTime), gt(tenants.expireTime, sql`now()`)),
      ),
    )
  if (!tenant) throw invalid('加入码不正确或已停用', 'joinCode')
  const open = and(eq(userApplications.uid, user.uid), eq(userApplications.status, PENDING))
  if ((await db.$count(userApplications, open)) >= MAX_OPEN) throw refused(`最多同时有${MAX_OPEN}个待审核的申请`)
  const { rows } = await db.execute<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence('user_applications', 'id'))::int as id`,
  )
  const id = rows[0]!.id
  await db
    .insert(userApplications)
    .values({
      id,
      applyNo: `SQ${String(id).padStart(8, '0')}`,
      uid: user.uid,
      account: own.account,
      realname: own.realname,
      mobileNo: own.mobileNo,
      tenantId: tenant.id,
      reason,
    })
    .catch((error: unknown) => {
      throw uniqueClash(error, { user_applications_pending: ['您已申请加入该客户，请等待审核', 'joinCode'] }) ?? error
    })
  const approvers = await holdersOf(db, tenant.id, AUDIT)
  await sendMessage(kernel, db, {
    title: '新的加入申请',
    text: `${own.realname}（${own.account}）申请加入「${tenant.name}」，请在「加入申请」中审核。${reason ? `\n申请说明：${reason}` : ''}`,
    uids: approvers.length > 0 ? approvers : await holdersOf(db, PLATFORM_TENANT_ID, AUDIT),
  })
  await kernel.events.publish(db, 'changed', { resource: 'tenant', tenantId: tenant.id })
  ctx.audit({ bizType: 'userApply', bizId: id, action: `申请加入「${tenant.name}」` })
  return { id, tenantName: tenant.name }
}

export async function cancel(ctx: Ctx, { id }: ParsedOf<typeof userApply.cancel>) {
  const { db, user, kernel, now } = ctx
  const [gone] = await db
    .update(userApplications)
    .set({ status: CANCELLED, auditTime: now.toISOString() })
    .where(and(eq(userApplications.id, id), eq(userApplications.uid, user.uid), eq(userApplications.status, PENDING)))
    .returning({ tenantId: userApplications.tenantId })
  if (!gone) throw refused('申请不存在或已处理，不能取消')
  await kernel.events.publish(db, 'changed', { resource: 'tenant', tenantId: gone.tenantId })
  ctx.audit({ bizType: 'userApply', bizId: id, action: '取消加入申请' })
  return null
}
