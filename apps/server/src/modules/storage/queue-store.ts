import { and, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { blocksDeviceDeletion } from '#modules/device/device-references.ts'
import { syncFleetAfterCommit } from '#modules/device/fleet/fleet.ts'
import type { QueueChange, Queue, QueueEvent, QueueItem } from './queue.ts'
import { ossEntitlements, ossQueues } from './schema.ts'

/** The fixed facts of an entitlement that ledger entries and spans copy. */
interface Terms {
  readonly packageId: number
  readonly packageName: string
  readonly recordType: number
  readonly storageDays: number
  readonly source: number
  readonly isRenewal: number
}

/** A stored or new entitlement of a queue. */
export interface Entry extends Terms {
  readonly id: number
  readonly isNew: boolean
  readonly totalSeconds: number
  readonly usedSeconds: number
  readonly amount: number
  /** First start, in seconds; null: never started. */
  readonly startedAt: number | null
}
export interface QueueKey {
  readonly deviceId: number
  readonly channel: number
  readonly tenantId: number
}

/** A queue with the changes that are not stored yet. */
export interface QueueWork extends QueueKey {
  queue: Queue
  events: QueueEvent[]
  readonly entries: Map<number, Entry>
}

export const formatQueueKey = ({ deviceId, channel }: Pick<QueueKey, 'deviceId' | 'channel'>) =>
  `${deviceId}:${channel}`

interface LoadedRow extends Record<string, unknown>, Terms {
  id: number
  deviceId: number
  channel: number
  state: 0 | 1 | 3
  periodType: number
  periodCount: number
  leftSeconds: number | null
  totalSeconds: number
  usedSeconds: number
  amount: number
  runFrom: number | null
  endTime: number | null
  startTime: number | null
}

const itemOf = (row: LoadedRow): QueueItem => ({
  id: row.id,
  state: row.state,
  recordType: row.recordType,
  storageDays: row.storageDays,
  period: { type: row.periodType, count: row.periodCount },
  left: row.state === 1 ? null : row.leftSeconds,
  from: row.state === 1 ? row.runFrom : null,
  to: row.state === 1 ? row.endTime : null,
})

const entryOf = (row: LoadedRow): Entry => ({
  id: row.id,
  isNew: false,
  packageId: row.packageId,
  packageName: row.packageName,
  recordType: row.recordType,
  storageDays: row.storageDays,
  source: row.source,
  isRenewal: row.isRenewal,
  totalSeconds: row.totalSeconds,
  usedSeconds: row.usedSeconds,
  amount: row.amount,
  startedAt: row.state === 0 && row.usedSeconds === 0 ? null : row.startTime,
})

/**
 * Locks the queues of these channels in one order, and creates those that do not exist. Throws when a device was moved to
 * another tenant since the caller read the tenant.
 */
async function lockQueues(db: Db, keys: readonly QueueKey[]) {
  const asked = JSON.stringify(keys.map(({ deviceId, channel, tenantId }) => ({ deviceId, channel, tenantId })))
  const rows = sql`jsonb_to_recordset(${asked}::jsonb) as k("deviceId" int, channel int, "tenantId" int)`
  await db.execute(sql`insert into oss_queues (device_id, channel, tenant_id)
    select k."deviceId", k.channel, k."tenantId" from ${rows} order by 1, 2 on conflict do nothing`)
  await db.execute(sql`select 1 from oss_queues q join ${rows} on k."deviceId" = q.device_id and k.channel = q.channel
    order by q.device_id, q.channel for update of q`)
  // A separate statement sees the current tenants: the statement above took its snapshot before it got the lock.
  const { rows: moved } = await db.execute(sql`select 1 from ${rows} join devices d on d.id = k."deviceId"
    where d.tenant_id <> k."tenantId" limit 1`)
  if (moved.length > 0) throw refused('设备已变更客户，请刷新后重试')
}

/** Loads queues with their live entitlements. `locked` locks the queues, which a change requires. */
export async function loadQueues(db: Db, keys: readonly QueueKey[], locked: boolean): Promise<Map<string, QueueWork>> {
  if (locked && keys.length > 0) await lockQueues(db, keys)
  const works = new Map<string, QueueWork>(
    keys.map((key) => [formatQueueKey(key), { ...key, queue: [], events: [], entries: new Map() }]),
  )
  const epoch = (column: string) => sql.raw(`extract(epoch from ${column})::bigint::float8`)
  const { rows } = await db.execute<LoadedRow>(sql`
    select id, device_id as "deviceId", channel, state, package_id as "packageId", package_name as "packageName",
      record_type as "recordType", storage_days as "storageDays", source, is_renewal as "isRenewal",
      period_type as "periodType", period_count as "periodCount", left_seconds as "leftSeconds",
      total_seconds as "totalSeconds", used_seconds as "usedSeconds", amount, ${epoch('run_from')} as "runFrom",
      ${epoch('end_time')} as "endTime", ${epoch('start_time')} as "startTime"
    from oss_entitlements where state in (0, 1, 3)
      and ${among(ossEntitlements.deviceId, [...new Set(keys.map(({ deviceId }) => deviceId))])}
    order by device_id, channel, (state = 0), position, id`)
  for (const row of rows) {
    const work = works.get(formatQueueKey(row))
    if (!work) continue
    work.queue = [...work.queue, itemOf(row)]
    work.entries.set(row.id, entryOf(row))
  }
  return works
}

/** Adds a step to the changes of a queue. */
export function recordQueueChange(work: QueueWork, { queue, events }: QueueChange) {
  work.queue = queue
  work.events.push(...events)
}

/** Publishes a change of entitlements to open lists. */
export const notifyEntitlementLists = ({ services, db }: Pick<Ctx, 'services' | 'db'>) =>
  services.events.publish(db, 'changed', { resource: 'oss', tenantId: null })

/**
 * Publishes a change of entitlements to open lists. Delays the response until this process applies the change to device
 * calls.
 */
export function publishEntitlementsChanged(ctx: Pick<Ctx, 'services' | 'db' | 'afterCommit'>) {
  syncFleetAfterCommit(ctx)
  return notifyEntitlementLists(ctx)
}

blocksDeviceDeletion('未到期的云存储', (db, deviceIds) =>
  db
    .select({ deviceId: ossQueues.deviceId, n: sql<number>`count(*)::int` })
    .from(ossQueues)
    .where(and(among(ossQueues.deviceId, deviceIds), sql`(${ossQueues.suspended} = 1 or ${ossQueues.endTime} > now())`))
    .groupBy(ossQueues.deviceId),
)
