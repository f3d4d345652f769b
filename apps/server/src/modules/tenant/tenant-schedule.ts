import { EXPIRY_WARNING_DAYS } from '@oms/contract/tenant/tenant-info.ts'
import { and, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { operLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { listPlatformStaff } from '#modules/account/permission-holders.ts'
import { expiresWithinDays, TENANT_EXPIRED_CONDITION } from '#core/tenancy/tenant-state.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { sendMessage } from '#modules/system/inbox.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { expireApplications } from './applications/user-apply-schedule.ts'

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
    title: `客户「${tenant.shortName || tenant.name}」将在${days}天内到期`.slice(0, 50),
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
    title: `客户「${tenant.shortName || tenant.name}」已过期停用`.slice(0, 50),
    text: `客户「${tenant.name}」（${tenant.tenantNo}）已于 ${tenant.expireTime} 到期，其用户不能再登录，设备的请求也会被拒绝，续期后自动恢复。`,
    uids: await listConcernedAccounts(db, id),
    priority: 3,
  })
}
