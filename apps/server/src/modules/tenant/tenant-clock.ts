import { WARN_DAYS } from '@oms/contract/tenant-info.ts'
import { and, eq, isNull, lte, ne, or, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { operLogs } from '#db/schema/system.ts'
import { tenants } from '#db/schema/tenant.ts'
import { holdersOf } from '#kernel/accounts/holders.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { sendMessage } from '#kernel/message.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { alive, PLATFORM_TENANT_ID } from '#kernel/tenancy.ts'
import { expireApplications } from './user-apply-clock.ts'

const EVERY_MS = 10 * 60_000
const RENEW = 'tenantManage:tenant:renew'

/** Registers what happens to customers by the clock alone. */
export function registerTenantClock(kernel: Kernel) {
  const work = async () => ({ ...(await watchExpiry(kernel)), ...(await expireApplications(kernel)) })
  kernel.jobs.register('tenant-clock', work, { everyMs: EVERY_MS })
}

/** Warns of ends 30 and 7 days ahead, once each, and switches off customers whose end has come. */
export async function watchExpiry(kernel: Kernel) {
  const { db } = kernel.database
  const open = and(alive(tenants), eq(tenants.status, 1), ne(tenants.id, PLATFORM_TENANT_ID))
  const due = await db
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(open, lte(tenants.expireTime, sql`now()`)))
    .orderBy(tenants.id)
  for (const { id } of due) await db.transaction((tx) => switchOff(kernel, tx, id))
  let warned = 0
  for (const days of [...WARN_DAYS].sort((a, b) => a - b)) {
    const near = await db
      .select({ id: tenants.id })
      .from(tenants)
      .where(
        and(
          open,
          sql`${tenants.expireTime} > now() and ${tenants.expireTime} <= now() + make_interval(days => ${days})`,
          or(isNull(tenants.warnedDays), sql`${tenants.warnedDays} > ${days}`),
        ),
      )
      .orderBy(tenants.id)
    for (const { id } of near) warned += (await db.transaction((tx) => warn(kernel, tx, id, days))) ? 1 : 0
  }
  return { expired: due.length, warned }
}

const lock = async (db: Db, id: number) => {
  const [found] = await db
    .select()
    .from(tenants)
    .where(and(eq(tenants.id, id), alive(tenants), eq(tenants.status, 1)))
    .for('update')
  return found
}

/** Its administrators, and those of the vendor who could renew it. */
async function concerned(db: Db, tenantId: number) {
  const admins = await db
    .select({ uid: accounts.uid })
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), eq(accounts.isTenantAdmin, true), alive(accounts)))
  return [...admins.map(({ uid }) => uid), ...(await holdersOf(db, PLATFORM_TENANT_ID, RENEW))]
}

async function warn(kernel: Kernel, db: Db, id: number, days: number) {
  const tenant = await lock(db, id)
  if (!tenant || (tenant.warnedDays !== null && tenant.warnedDays <= days)) return false
  await db.update(tenants).set({ warnedDays: days }).where(eq(tenants.id, id))
  await sendMessage(kernel, db, {
    title: `客户「${tenant.shortName || tenant.name}」将在${days}天内到期`.slice(0, 50),
    text: `客户「${tenant.name}」（${tenant.tenantNo}）将于 ${tenant.expireTime} 到期。\n到期后其用户不能登录，设备不受影响。请及时办理续期。`,
    uids: await concerned(db, id),
    priority: days <= 7 ? 3 : 2,
  })
  return true
}

async function switchOff(kernel: Kernel, db: Db, id: number) {
  const tenant = await lock(db, id)
  if (!tenant) return
  const { rows } = await db.execute<{ past: boolean }>(
    sql`select expire_time <= now() as past from tenants where id = ${id}`,
  )
  if (!rows[0]?.past) return
  await db
    .update(tenants)
    .set({ status: 0, expiredAt: sql`now()` as unknown as string, rev: tenant.rev + 1 })
    .where(eq(tenants.id, id))
  const ended = await kernel.sessions.endOfTenant(db, id)
  await rightsChanged(kernel, db)
  await kernel.events.publish(db, 'changed', { resource: 'tenant', tenantId: null })
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
  await sendMessage(kernel, db, {
    title: `客户「${tenant.shortName || tenant.name}」已到期停用`.slice(0, 50),
    text: `客户「${tenant.name}」（${tenant.tenantNo}）已于 ${tenant.expireTime} 到期，其用户不能再登录。设备不受影响，续期后自动恢复。`,
    uids: await concerned(db, id),
    priority: 3,
  })
}
