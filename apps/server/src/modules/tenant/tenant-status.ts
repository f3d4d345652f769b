import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { ALLOW_APPLY, EXPIRY_WARNING_DAYS } from '@oms/contract/tenant/tenant-info.ts'
import type { tenant } from '@oms/contract/tenant/tenant.ts'
import { and, eq, sql, isNull, ne, or, type SQL } from 'drizzle-orm'
import { assertPlatform } from '#core/auth/grants.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import { accounts, roles, sessions } from '#core/schema/account.ts'
import { operLogs } from '#core/schema/system.ts'
import { tenantScenes, tenants, userApplications } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID, notDeleted } from '#core/tenancy/tenancy.ts'
import { TENANT_EXPIRED_CONDITION, expiresWithinDays } from '#core/tenancy/tenant-state.ts'
import { clearSessionsAfterCommit, listPlatformStaff } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { syncFleetAfterCommit } from '#modules/device/fleet/fleet.ts'
import { expireApplications } from './application.ts'
import { createJoinCode } from './open-tenant.ts'
import { lockTenant } from './tenant-rows.ts'

const BIZ = 'tenant'
function publishChange(ctx: Ctx) {
  syncFleetAfterCommit(ctx)
  return ctx.services.events.publish(ctx.db, 'changed', { resource: 'tenant', tenantId: null })
}

export const enableTenant = (ctx: Ctx, { id }: ParsedOf<typeof tenant.enable>) => setStatus(ctx, id, 1)
export const disableTenant = (ctx: Ctx, { id }: ParsedOf<typeof tenant.disable>) => setStatus(ctx, id, 0)

/** Enables or disables a tenant. Disabling ends the sessions of its accounts; its devices are not changed. */
async function setStatus(ctx: Ctx, id: number, status: 0 | 1) {
  const { db, user, now, services } = ctx
  assertPlatform(user)
  const stored = await lockTenant(ctx, id)
  if (status === 1 && (await hasExpired(db, id))) throw refused('客户已过期，请先续期')
  const word = status === 1 ? '启用' : '停用'
  ctx.audit({ bizType: BIZ, bizId: id, action: `${word}客户「${stored.name}」` })
  if (stored.status === status) return null
  await db
    .update(tenants)
    .set({ status, expiredAt: null, ...updateColumns(stored, user.uid, now) })
    .where(eq(tenants.id, id))
  const ended = status === 0 ? await services.sessions.endOfTenant(db, id) : 0
  await publishRightsChanged(services, db)
  clearSessionsAfterCommit(ctx)
  await publishChange(ctx)
  ctx.audit({
    action: `${word}客户「${stored.name}」${ended ? `，结束${ended}个会话` : ''}`,
    diff: [{ field: 'status', title: '状态', from: stored.status === 1 ? '启用' : '停用', to: word }],
  })
  return null
}

async function hasExpired(db: Db, id: number) {
  const [row] = await db
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(eq(tenants.id, id), TENANT_EXPIRED_CONDITION))
  return row !== undefined
}

export async function renewTenant(ctx: Ctx, { id, expireTime, rev, remark }: ParsedOf<typeof tenant.renew>) {
  const { db, user, now, services } = ctx
  assertPlatform(user)
  const stored = await lockTenant(ctx, id)
  await checkRevision(db, stored, rev)
  const next = expireTime ?? null
  if (next !== null && stored.beginTime !== null && next <= stored.beginTime)
    throw invalid('到期时间应晚于开始时间', 'expireTime')
  await assertNotExpired(db, next)
  // A renewal enables only a tenant that the scheduled job disabled. A person's decision remains.
  const back = stored.expiredAt !== null
  await db
    .update(tenants)
    .set({
      expireTime: next,
      warnedDays: null,
      ...(back && { status: 1, expiredAt: null }),
      ...updateColumns(stored, user.uid, now),
    })
    .where(eq(tenants.id, id))
  await publishRightsChanged(services, db)
  clearSessionsAfterCommit(ctx)
  await publishChange(ctx)
  ctx.audit({
    bizType: BIZ,
    bizId: id,
    action: `客户「${stored.name}」续期至${next ?? '长期'}${back ? '，恢复启用' : ''}${remark ? `：${remark}` : ''}`,
    diff: [{ field: 'expireTime', title: '到期时间', from: stored.expireTime ?? '长期', to: next ?? '长期' }],
  })
  return { rev: stored.rev + 1 }
}

/** Refuses an expiry date in the past. Null and undefined never expire. */
export async function assertNotExpired(db: Db, at: string | null | undefined) {
  if (!at) return
  const { rows } = await db.execute<{ ahead: boolean }>(sql`select ${at}::timestamptz > now() as ahead`)
  if (!rows[0]?.ahead) throw invalid('到期时间应晚于当前时间', 'expireTime')
}

/** Changes the join code. Staff of the tenant may change their own tenant's code. */
export async function changeJoinCode(ctx: Ctx, { id, allowApply }: ParsedOf<typeof tenant.joinCode>) {
  const { db, user, now } = ctx
  const stored = await lockTenant(ctx, id)
  const next =
    allowApply === undefined
      ? { joinCode: createJoinCode(), allowApply: stored.allowApply }
      : { joinCode: stored.joinCode ?? createJoinCode(), allowApply }
  await db
    .update(tenants)
    .set({ ...next, ...updateColumns(stored, user.uid, now) })
    .where(eq(tenants.id, id))
  ctx.audit({
    bizType: BIZ,
    bizId: id,
    action:
      allowApply === undefined
        ? `更换客户「${stored.name}」的加入码`
        : `客户「${stored.name}」${ALLOW_APPLY[allowApply]}加入申请`,
  })
  await publishChange(ctx)
  return next
}

/**
 * Tables whose rows block the deletion of a tenant: table, name, unit, and a condition for rows that do not count.
 */
const HOLDINGS: readonly (readonly [table: string, name: string, unit: string, but?: string])[] = [
  ['devices', '设备', '台', 'deleted_at is not null'],
  ['device_groups', '设备分组', '个', 'deleted_at is not null'],
  ['licenses', '授权证书', '个', 'state = 6'],
  ['license_grants', '授权额度', '份'],
  ['tickets', '工单', '个'],
  ['app_accounts', 'App账号', '个', 'deleted_at is not null'],
  ['ota_versions', '固件版本', '个', 'deleted_at is not null'],
  ['agent_grants', '未用完的智能体套餐权益', '项', 'state > 1'],
  ['agent_orders', '未完成的智能体订单', '个', 'state not in (0, 2)'],
]

export async function removeTenant(ctx: Ctx, { id }: ParsedOf<typeof tenant.remove>) {
  const { db, user, now, services } = ctx
  assertPlatform(user)
  const stored = await lockTenant(ctx, id)
  const held = await holdingsOf(db, id)
  if (held.length > 0) throw conflict(`客户还有${held.join('、')}，不能删除`)
  const gone = { deletedAt: now.toISOString(), updateBy: user.uid, updateTime: now.toISOString() }
  await db
    .update(tenants)
    .set({ ...gone, joinCode: null, rev: stored.rev + 1 })
    .where(eq(tenants.id, id))
  await db
    .update(accounts)
    .set(gone)
    .where(and(eq(accounts.tenantId, id), sql`deleted_at is null`))
  await db
    .update(roles)
    .set(gone)
    .where(and(eq(roles.tenantId, id), sql`deleted_at is null`))
  await db.delete(tenantScenes).where(eq(tenantScenes.tenantId, id))
  await db
    .update(userApplications)
    .set({
      status: 2,
      auditUid: user.uid,
      auditName: user.account,
      auditTime: now.toISOString(),
      auditRemark: '客户已删除',
    })
    .where(and(eq(userApplications.tenantId, id), eq(userApplications.status, 0)))
  // Moves sessions that work in the tenant back to the platform.
  await services.sessions.move(db, eq(sessions.tenantId, id), PLATFORM_TENANT_ID)
  await publishRightsChanged(services, db)
  clearSessionsAfterCommit(ctx)
  await publishChange(ctx)
  ctx.audit({ bizType: BIZ, bizId: id, action: `删除客户「${stored.name}」` })
  return null
}

/**
 * Lists what blocks deletion. An administrator who never logged in does not count, so that a tenant created by
 * mistake can be deleted.
 */
async function holdingsOf(db: Db, id: number): Promise<string[]> {
  const staff = await db.$count(
    accounts,
    and(
      eq(accounts.tenantId, id),
      sql`deleted_at is null`,
      sql`not (${accounts.isTenantAdmin} and ${accounts.loginCount} = 0)`,
    ),
  )
  const held = staff > 0 ? [`${staff}个用户`] : []
  for (const [table, name, unit, but = 'false'] of HOLDINGS) {
    const { rows } = await db.execute<{ n: number }>(
      sql`select count(*)::int as n from ${sql.identifier(table)} where tenant_id = ${id} and not (${sql.raw(but)})`,
    )
    const n = rows[0]?.n ?? 0
    if (n > 0) held.push(`${n}${unit}${name}`)
  }
  return held
}

const RENEW = 'tenantManage:tenant:renew'

/** Registers the scheduled job for the expiry of tenants. */
export function registerTenantSchedule(services: Services) {
  const work = async () => {
    let result = { failedItems: 0 }
    const add = (step: { failedItems: number }) =>
      (result = { ...result, ...step, failedItems: result.failedItems + step.failedItems })
    const failedSteps = await runSteps(
      { log: services.log, kind: 'tenant-clock' },
      {
        tenants: async () => add(await expireTenants(services)),
        applications: async () => add(await expireApplications(services)),
      },
    )
    return { ...result, failedItems: result.failedItems + failedSteps }
  }
  services.jobs.schedule('tenant-clock', work, { title: '客户到期处理', cron: '0 */10 * * * *' })
}

/** Warns 30 and 7 days before the expiry of a tenant, once each, and disables expired tenants. */
export async function expireTenants(services: Services) {
  const { db } = services.database
  const open = and(notDeleted(tenants), eq(tenants.status, 1), ne(tenants.id, PLATFORM_TENANT_ID))
  const due = await db
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(open, TENANT_EXPIRED_CONDITION))
    .orderBy(tenants.id)
  const isolation = { log: services.log, kind: 'tenant-clock', name: ({ id }: { id: number }) => ({ tenantId: id }) }
  const ended = await forEachIsolated(due, isolation, ({ id }) => db.transaction((tx) => switchOff(services, tx, id)))
  let warned = 0
  let failedItems = ended.failed.length
  for (const days of [...EXPIRY_WARNING_DAYS].sort((a, b) => a - b)) {
    const near = await db
      .select({ id: tenants.id })
      .from(tenants)
      .where(and(open, expiresWithinDays(days), or(isNull(tenants.warnedDays), sql`${tenants.warnedDays} > ${days}`)))
      .orderBy(tenants.id)
    const { failed } = await forEachIsolated(near, isolation, async ({ id }) => {
      if (await db.transaction((tx) => warn(services, tx, id, days))) warned += 1
    })
    failedItems += failed.length
  }
  return { expired: ended.done, warned, failedItems }
}

const lock = async (db: Db, id: number, condition?: SQL) => {
  const [found] = await db
    .select()
    .from(tenants)
    .where(and(eq(tenants.id, id), notDeleted(tenants), eq(tenants.status, 1), condition))
    .for('update')
  return found
}

/** Returns the administrators of the tenant and the vendor's accounts that may renew. */
async function listConcernedAccounts(db: Db, tenantId: number) {
  const admins = await db
    .select({ uid: accounts.uid })
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), eq(accounts.isTenantAdmin, true), notDeleted(accounts)))
  return [...admins.map(({ uid }) => uid), ...(await listPlatformStaff(db, RENEW, [tenantId]))]
}

async function warn(services: Services, db: Db, id: number, days: number) {
  const tenant = await lock(db, id)
  if (!tenant || (tenant.warnedDays !== null && tenant.warnedDays <= days)) return false
  await db.update(tenants).set({ warnedDays: days }).where(eq(tenants.id, id))
  await sendMessage(services, db, {
    topic: 'tenant',
    title: `客户「${tenant.shortName || tenant.name}」将在 ${days} 天内到期`.slice(0, 50),
    text: `客户「${tenant.name}」（${tenant.tenantNo}）将于 ${tenant.expireTime} 到期。\n到期后其用户不能登录，设备的请求也会被拒绝。请及时办理续期。`,
    uids: await listConcernedAccounts(db, id),
    priority: days <= 7 ? 3 : 2,
  })
  return true
}

async function switchOff(services: Services, db: Db, id: number) {
  const tenant = await lock(db, id, TENANT_EXPIRED_CONDITION)
  if (!tenant) return
  await db
    .update(tenants)
    .set({ status: 0, expiredAt: sql`now()` as unknown as string, rev: tenant.rev + 1 })
    .where(eq(tenants.id, id))
  const ended = await services.sessions.endOfTenant(db, id)
  await publishRightsChanged(services, db)
  await services.events.publish(db, 'changed', { resource: 'tenant', tenantId: null })
  await db.insert(operLogs).values({
    tenantId: PLATFORM_TENANT_ID,
    operName: '系统',
    title: '客户到期停用',
    businessType: 2,
    bizType: 'tenant',
    bizId: String(id),
    action: `客户「${tenant.name}」到期，自动停用${ended ? `，结束${ended}个会话` : ''}`,
    requestMethod: '',
    operUrl: '',
    operIp: '',
    status: 1,
  })
  await sendMessage(services, db, {
    topic: 'tenant',
    title: `客户「${tenant.shortName || tenant.name}」已过期停用`.slice(0, 50),
    text: `客户「${tenant.name}」（${tenant.tenantNo}）已于 ${tenant.expireTime} 到期，其用户不能再登录，设备的请求也会被拒绝，续期后自动恢复。`,
    uids: await listConcernedAccounts(db, id),
    priority: 3,
  })
}
