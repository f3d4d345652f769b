import {
  LICENSE_STATE,
  type LicenseStep,
  findStateAfter,
  listStatesBefore,
} from '@oms/contract/license/license-state.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenses } from './schema.ts'
import { LICENSE_VENDORS } from '@oms/contract/license/license-uid.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/permission-holders.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { sendMessage } from '#modules/system/inbox.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { warnOfLowTenants } from './statistics.ts'

export type StoredLicense = typeof licenses.$inferSelect

/** Actor and reason of a step. `uid` null stands for the device or the scheduled job. */
export interface StepContext {
  readonly db: Db
  readonly now: Date
  readonly uid: number | null
  readonly operName: string
  readonly reason?: string
}

const NAMES: Readonly<Record<LicenseStep, string>> = {
  allot: '分配',
  recall: '收回',
  bind: '绑定',
  unbind: '解绑',
  activate: '激活',
  suspend: '暂停',
  resume: '恢复',
  expire: '置为过期',
  scrap: '报废',
}

/** Returns the reason why a certificate in this state cannot take the step; undefined when it can. */
export function findStepProblem(step: LicenseStep, state: number): string | undefined {
  if (findStateAfter(step, state) !== undefined) return undefined
  const from = listStatesBefore(step)
    .map((each) => `「${LICENSE_STATE[each]}」`)
    .join('')
  const now = LICENSE_STATE[state as keyof typeof LICENSE_STATE] ?? String(state)
  return step === 'scrap' ? '证书已报废' : `证书${now}，只有${from}的证书可以${NAMES[step]}`
}

/** Returns the columns that each step sets in addition to the state. */
function columnsOf(step: LicenseStep, at: string, given: { tenantId?: number; grantId?: number | null }): SQL {
  if (step === 'allot')
    return sql`, tenant_id = ${given.tenantId}, grant_id = ${given.grantId ?? null}, allot_time = ${at}`
  if (step === 'recall') return sql`, tenant_id = null, grant_id = null, allot_time = null`
  if (step === 'unbind' || step === 'scrap') return sql`, device_id = null, bind_time = null`
  return sql``
}

interface Given {
  readonly tenantId?: number
  readonly grantId?: number | null
}

/**
 * Applies one step to certificates that the caller has locked, and writes their history with one statement. Skips
 * certificates in another state. Returns the number of changed certificates.
 */
export async function applyLicenseStep(
  stepContext: StepContext,
  step: LicenseStep,
  ids: readonly number[],
  given: Given = {},
) {
  if (ids.length === 0) return 0
  const { db, uid, operName, reason = '' } = stepContext
  const at = stepContext.now.toISOString()
  const from = listStatesBefore(step)
  const to = findStateAfter(step, from[0]!)
  const frees = step === 'unbind' || step === 'scrap'
  // Updates devices after their certificates and in the order of ids, the lock order of every batch of devices.
  if (frees)
    await db.execute(sql`select from devices where id in (select device_id from licenses
      where id = any(${sql.param(ids)}::int[]) and device_id is not null) order by id for update`)
  const { rows } = await db.execute<{ n: number }>(sql`
    with before as (
      select l.id, l.state, l.tenant_id, l.device_id, d.sn from licenses l left join devices d on d.id = l.device_id
      where l.id = any(${sql.param(ids)}::int[]) and l.state = any(${sql.param(from)}::int[]) order by l.id for update of l
    ), moved as (
      update licenses l set state = ${to}, update_by = ${uid}, update_time = ${at} ${columnsOf(step, at, given)}
      from before b where l.id = b.id returning l.id, l.state, coalesce(l.tenant_id, b.tenant_id) as tenant_id
    ), noted as (
      insert into license_events (license_id, action, from_state, to_state, tenant_id, device_id, device_sn, uid, oper_name, reason, create_time)
      select m.id, ${step}::varchar, b.state, m.state, m.tenant_id, b.device_id, coalesce(b.sn, ''), ${uid}::int, ${operName.slice(0, 30)}::varchar,
        ${reason.slice(0, 200)}::varchar, ${at}::timestamptz
      from moved m join before b on b.id = m.id order by m.id
    ), freed as (
      update devices d set uid = '', update_time = ${at} from before b
      where d.id = b.device_id and ${frees}
    )
    select count(*)::int as n from moved`)
  return rows[0]?.n ?? 0
}

interface Carrier {
  readonly id: number
  readonly sn: string
}

/** Binds one certificate to a device, or activates its bound certificate. The caller has locked both rows. */
export async function applyDeviceStep(
  stepContext: StepContext,
  step: 'bind' | 'activate',
  license: Pick<StoredLicense, 'id' | 'uid' | 'tenantId'>,
  device: Carrier,
) {
  const { db, uid, operName, reason = '' } = stepContext
  const at = stepContext.now.toISOString()
  const from = listStatesBefore(step)[0]!
  const to = findStateAfter(step, from)!
  const moment = sql.raw(step === 'bind' ? 'bind_time' : 'activate_time')
  await db.execute(sql`update licenses set state = ${to}, device_id = ${device.id}, ${moment} = ${at}, update_by = ${uid},
    update_time = ${at} where id = ${license.id} and state = ${from}`)
  await db.execute(
    step === 'bind'
      ? sql`update devices set uid = ${license.uid}, update_time = ${at} where id = ${device.id}`
      : sql`update devices set activate_time = ${at} where id = ${device.id} and activate_time is null`,
  )
  await db.execute(sql`insert into license_events (license_id, action, from_state, to_state, tenant_id, device_id, device_sn, uid, oper_name, reason, create_time)
    values (${license.id}, ${step}, ${from}, ${to}, ${license.tenantId}, ${device.id}, ${device.sn}, ${uid}, ${operName.slice(0, 30)}, ${reason.slice(0, 200)}, ${at})`)
}

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
    title: `${n}个P2P证书将在${days}天内到期`,
    text: `客户「${name}」有${n}个已激活的P2P证书将在${days}天内到期，最早于 ${first} 到期。\n到期后设备将不能使用P2P服务，请及时处理。`,
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
