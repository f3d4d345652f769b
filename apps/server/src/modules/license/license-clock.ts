import { LICENSE_VENDORS } from '@oms/contract/license-uid.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { holdersOf } from '#kernel/accounts/holders.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { takeStep } from '#kernel/license/steps.ts'
import { sendMessage } from '#kernel/message.ts'
import { PLATFORM_TENANT_ID } from '#kernel/tenancy.ts'
import { warnOfLowTenants } from './license-tenant-stock.ts'

const EVERY_MS = 10 * 60_000
/** Rows one transaction of the clock changes. */
const AT_ONCE = 5000
const WARN_DAYS = [7, 30] as const
const QUERY = 'LicenseManage:Certificate:query'

/** Registers what happens to certificates and grants by the clock alone. */
export function registerLicenseClock(kernel: Kernel) {
  kernel.jobs.register('license-clock', () => tick(kernel), { everyMs: EVERY_MS })
}

export async function tick(kernel: Kernel) {
  const expired = await expireLicenses(kernel)
  const grants = await expireGrants(kernel)
  const warned = await warnOfEnds(kernel)
  const low = await warnOfLowStock(kernel)
  const lowTenants = await warnOfLowTenants(kernel)
  await fold(kernel.database.db)
  return { expired, grants, warned, low, lowTenants }
}

/** Certificates in use whose end has come. */
async function expireLicenses({ database, events, now }: Kernel) {
  let total = 0
  for (let n = AT_ONCE; n === AT_ONCE; total += n) {
    n = await database.db.transaction(async (db) => {
      const { rows } = await db.execute<{
        id: number
      }>(sql`select id from licenses where state = 3 and expire_time <= now()
        order by expire_time, id limit ${AT_ONCE} for update skip locked`)
      const doing = { db, now: now(), uid: null, operName: '系统', reason: '到期自动处理' }
      await takeStep(
        doing,
        'expire',
        rows.map(({ id }) => id),
      )
      if (rows.length > 0) await events.publish(db, 'changed', { resource: 'license', tenantId: null })
      return rows.length
    })
  }
  return total
}

async function expireGrants({ database, events }: Kernel) {
  return database.db.transaction(async (db) => {
    const { rows } = await db.execute(sql`update license_grants set status = 3, rev = rev + 1, update_time = now()
      where status in (1, 2) and valid_to < current_date returning id`)
    if (rows.length > 0) await events.publish(db, 'changed', { resource: 'license', tenantId: null })
    return rows.length
  })
}

interface Ending extends Record<string, unknown> {
  tenantId: number
  name: string
  n: number
  first: string
}

/** Certificates in use that end within 30 and within 7 days: once each, one message a customer. */
async function warnOfEnds(kernel: Kernel) {
  let warned = 0
  for (const days of WARN_DAYS)
    warned += await kernel.database.db.transaction(async (db) => {
      const { rows } = await db.execute<Ending>(sql`
        with near as (
          update licenses set warned_days = ${days} where id in (
            select id from licenses where state = 3 and expire_time > now() and expire_time <= now() + make_interval(days => ${days})
              and (warned_days is null or warned_days > ${days}) order by id for update skip locked)
          returning tenant_id, expire_time)
        select n.tenant_id as "tenantId", coalesce(t.name, '') as name, count(*)::int as n, min(n.expire_time)::date::text as first
        from near n left join tenants t on t.id = n.tenant_id group by 1, 2 order by 1`)
      for (const ending of rows) await tellEnding(kernel, db, ending, days)
      return rows.length
    })
  return warned
}

async function tellEnding(kernel: Kernel, db: Db, { tenantId, name, n, first }: Ending, days: number) {
  await sendMessage(kernel, db, {
    title: `${n}个P2P证书将在${days}天内到期`,
    text: `客户「${name}」有${n}个已激活的P2P证书将在${days}天内到期，最早于 ${first} 到期。\n到期后设备将不能使用P2P服务，请及时处理。`,
    uids: [...(await holdersOf(db, tenantId, QUERY)), ...(await holdersOf(db, PLATFORM_TENANT_ID, QUERY))],
    priority: days <= 7 ? 3 : 2,
  })
}

/** Vendors whose stock has fallen below what was set: once, until there is enough again. */
async function warnOfLowStock(kernel: Kernel) {
  return kernel.database.db.transaction(async (db) => {
    const { rows } = await db.execute<{ vendor: number; threshold: number; stock: number }>(sql`
      with s as (select t.vendor, t.threshold, t.warned,
          coalesce((select sum(n) from license_counts c where c.vendor = t.vendor and c.state = 0), 0)::int as stock
        from license_thresholds t where t.threshold > 0 for update of t),
      again as (update license_thresholds t set warned = 0 from s where t.vendor = s.vendor and s.stock >= s.threshold and s.warned = 1),
      low as (update license_thresholds t set warned = 1 from s where t.vendor = s.vendor and s.stock < s.threshold and s.warned = 0
        returning t.vendor)
      select s.vendor, s.threshold, s.stock from s join low using (vendor) order by 1`)
    for (const { vendor, threshold, stock } of rows) {
      const name = LICENSE_VENDORS[vendor as keyof typeof LICENSE_VENDORS]
      await sendMessage(kernel, db, {
        title: `${name}证书库存不足`,
        text: `${name}的P2P证书库存剩余${stock}个，低于预警数量${threshold}个，请及时采购并导入。`,
        uids: await holdersOf(db, PLATFORM_TENANT_ID, QUERY),
        priority: 3,
      })
    }
    return rows.length
  })
}

/** Folds the additions and subtractions of the counts together; what is added meanwhile stays for the next time. */
export async function fold(db: Db) {
  await db.execute(sql`
    with gone as (delete from license_counts returning *)
    insert into license_counts (tenant_id, vendor, type_code, batch_id, model_id, state, expire_month, n)
    select tenant_id, vendor, type_code, batch_id, model_id, state, expire_month, sum(n) from gone
    group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0`)
  await db.execute(sql`
    with gone as (delete from license_flows returning *)
    insert into license_flows (day, tenant_id, vendor, type_code, batch_id, model_id, kind, n)
    select day, tenant_id, vendor, type_code, batch_id, model_id, kind, sum(n) from gone
    group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0`)
}
