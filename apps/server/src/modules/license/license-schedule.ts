import { LICENSE_VENDORS } from '@oms/contract/license/license-uid.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { applyLicenseStep } from './license-step.ts'
import { warnOfLowTenants } from './statistics.ts'

/** Maximum number of rows that one transaction of the scheduled job changes. */
const MAX_CHANGED_ROWS = 5000
const KIND = 'license-clock'
const WARN_DAYS = [7, 30] as const
const QUERY = 'LicenseManage:Certificate:query'

/** Registers the scheduled jobs of certificates and grants. */
export function registerLicenseSchedule(services: Services) {
  services.jobs.schedule(KIND, () => runLicenseSchedule(services), { title: '证书到期处理', cron: '30 */10 * * * *' })
}

export async function runLicenseSchedule(services: Services) {
  const done = { expired: 0, grants: 0, warned: 0, low: 0, lowTenants: 0 }
  const steps = {
    expired: () => expireLicenses(services),
    grants: () => expireGrants(services),
    warned: () => warnOfEnds(services),
    low: () => warnOfLowStock(services),
    lowTenants: () => warnOfLowTenants(services),
    fold: () => mergeCountIncrements(services.database.db),
  }
  const isolation = { log: services.log, kind: KIND, name: ([step]: [string, unknown]) => ({ step }) }
  const { failed } = await forEachIsolated(Object.entries(steps), isolation, async ([step, work]) => {
    const count = await work()
    if (typeof count === 'number') done[step as keyof typeof done] = count
  })
  return failed.length > 0 ? { ...done, failedItems: failed.length } : done
}

/** Expires activated certificates whose end date has passed. */
async function expireLicenses({ database, events, now }: Services) {
  let total = 0
  for (let n = MAX_CHANGED_ROWS; n === MAX_CHANGED_ROWS; total += n) {
    n = await database.db.transaction(async (db) => {
      const { rows } = await db.execute<{
        id: number
      }>(sql`select id from licenses where state = 3 and expire_time <= now()
        order by expire_time, id limit ${MAX_CHANGED_ROWS} for update skip locked`)
      const stepContext = { db, now: now(), uid: null, operName: '系统', reason: '到期自动处理' }
      await applyLicenseStep(
        stepContext,
        'expire',
        rows.map(({ id }) => id),
      )
      if (rows.length > 0) await events.publish(db, 'changed', { resource: 'license', tenantId: null })
      return rows.length
    })
  }
  return total
}

async function expireGrants({ database, events }: Services) {
  return database.db.transaction(async (db) => {
    const { rows } = await db.execute(sql`update license_grants set status = 3, rev = rev + 1, update_time = now()
      where status in (1, 2) and valid_to < now()::date returning id`)
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

/** Notifies tenants of certificates that end within 30 and within 7 days, once for each tenant and period. */
async function warnOfEnds(services: Services) {
  const { db } = services.database
  let warned = 0
  for (const days of WARN_DAYS) {
    const { rows } = await db.execute<{ tenantId: number }>(
      sql`select distinct tenant_id as "tenantId" from licenses where ${endsWithin(days)} order by 1`,
    )
    const isolation = { log: services.log, kind: KIND, name: ({ tenantId }: { tenantId: number }) => ({ tenantId }) }
    const { done } = await forEachIsolated(rows, isolation, ({ tenantId }) =>
      db.transaction((tx) => warnOfEnd(services, tx, tenantId, days)),
    )
    warned += done
  }
  return warned
}

const endsWithin = (days: number) => sql`state = 3 and expire_time > now()
  and expire_time <= now() + make_interval(days => ${days}) and (warned_days is null or warned_days > ${days})`

async function warnOfEnd(services: Services, db: Db, tenantId: number, days: number) {
  const { rows } = await db.execute<Ending>(sql`
    with near as (
      update licenses set warned_days = ${days} where id in (
        select id from licenses where ${endsWithin(days)} and tenant_id is not distinct from ${tenantId}::int
        order by id for update skip locked)
      returning tenant_id, expire_time)
    select n.tenant_id as "tenantId", coalesce(t.name, '') as name, count(*)::int as n, min(n.expire_time)::date::text as first
    from near n left join tenants t on t.id = n.tenant_id group by 1, 2 order by 1`)
  for (const ending of rows) await notifyEndingCertificates(services, db, ending, days)
}

async function notifyEndingCertificates(
  services: Services,
  db: Db,
  { tenantId, name, n, first }: Ending,
  days: number,
) {
  await sendMessage(services, db, {
    topic: 'license',
    title: `${n}个P2P证书将在 ${days} 天内到期`,
    text: `客户「${name}」有${n}个已激活的P2P证书将在 ${days} 天内到期，最早于 ${first} 到期。\n到期后设备将不能使用P2P服务，请及时处理。`,
    uids: [
      ...(await listAccountsWithPermission(db, tenantId, QUERY)),
      ...(await listPlatformStaff(db, QUERY, [tenantId])),
    ],
    priority: days <= 7 ? 3 : 2,
  })
}

/**
 * Notifies the vendor once when the stock of a supplier falls below its threshold, again after the stock has
 * recovered.
 */
async function warnOfLowStock(services: Services) {
  return services.database.db.transaction(async (db) => {
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
      await sendMessage(services, db, {
        topic: 'license',
        title: `${name}证书库存不足`,
        text: `${name}的P2P证书库存剩余${stock}个，低于预警数量${threshold}个，请及时采购并导入。`,
        uids: await listAccountsWithPermission(db, PLATFORM_TENANT_ID, QUERY),
        priority: 3,
      })
    }
    return rows.length
  })
}

/**
 * Merges the appended additions and subtractions in the statistics tables of certificates. The next run merges the rows
 * that are written during the merge.
 */
export async function mergeCountIncrements(db: Db) {
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
