import type pg from 'pg'
import { changedSince, copyRows } from '#core/database/statements/rows.ts'
import type { Terms } from './span-table.ts'

export interface StoredOwner {
  readonly deviceId: number
  readonly ownerId: number
  /** Seconds since 1970; 0: never changed. */
  readonly ownerSince: number
}
export interface StoredQueue {
  readonly deviceId: number
  readonly channel: number
  readonly suspended: boolean
  readonly switchedOff: boolean
}
export interface StoredSpan {
  readonly deviceId: number
  readonly channel: number
  readonly entitlementId: number
  readonly from: number
  readonly to: number
  readonly terms: Terms
  /** True for a recorded span that ended, false for the current and planned spans. */
  readonly isPast: boolean
}
interface Takers {
  readonly queue: (facts: StoredQueue) => void
  readonly span: (facts: StoredSpan) => void
}

const OWNERS = `select id, coalesce(app_account_id, 0), coalesce(ceil(extract(epoch from owner_time)), 0)::bigint from devices`
const QUEUES = `select device_id, channel, suspended, switched_off from oss_queues`
const TERMS = `v.pre_record, v.event_record, v.prolong, v.day_limit_mb`
/** The stored times of current and waiting entitlements are those of the projected queue. */
const PLANNED = `select e.device_id, e.channel, e.id, extract(epoch from coalesce(e.run_from, e.start_time))::bigint,
  extract(epoch from e.end_time)::bigint, e.record_type, e.storage_days, ${TERMS}
  from oss_entitlements e join oss_package_versions v on v.id = e.package_version_id
  where e.state in (0, 1) and e.end_time is not null`
const PLANNED_ORDER = `order by e.device_id, e.channel, (e.state = 0), e.position, e.id`
const PAST = `select s.device_id, s.channel, s.entitlement_id, extract(epoch from s.from_time)::bigint,
  extract(epoch from s.to_time)::bigint, s.record_type, s.storage_days, ${TERMS}
  from oss_spans s join oss_entitlements e on e.id = s.entitlement_id
  join oss_package_versions v on v.id = e.package_version_id
  where s.to_time > now() - interval '8 days'`

type Row = readonly (string | number | null)[]

const ownerOf = ([id, owner, since]: Row): StoredOwner => ({
  deviceId: Number(id),
  ownerId: Number(owner),
  ownerSince: Number(since),
})
const queueOf = ([id, channel, suspended, switchedOff]: Row): StoredQueue => ({
  deviceId: Number(id),
  channel: Number(channel),
  suspended: Number(suspended) === 1,
  switchedOff: Number(switchedOff) === 1,
})
const spanOf = (row: Row, isPast: boolean): StoredSpan => {
  const [deviceId = 0, channel = 0, entitlementId = 0, from = 0, to = 0, recordType = 0, storageDays = 0, ...terms] =
    row.map(Number)
  const [preRecord = 0, eventRecord = 0, prolong = 0, dayLimitMb = 0] = terms
  const all = { recordType, storageDays, preRecord, eventRecord, prolong, dayLimitMb }
  return { deviceId, channel, entitlementId, from, to, terms: all, isPast }
}

export const loadOwners = (client: pg.Client, take: (facts: StoredOwner) => void) =>
  copyRows(
    client,
    `${OWNERS} where deleted_at is null and (app_account_id is not null or owner_time is not null)`,
    (row) => take(ownerOf(row)),
  )

/** Loads all channels: flags first, then spans in order. */
export async function loadQueues(client: pg.Client, { queue, span }: Takers) {
  await copyRows(client, QUEUES, (row) => queue(queueOf(row)))
  await copyRows(client, `${PLANNED} ${PLANNED_ORDER}`, (row) => span(spanOf(row, false)))
  await copyRows(client, PAST, (row) => span(spanOf(row, true)))
}

const rowsOf = async (client: pg.Client, text: string, values: unknown[]): Promise<Row[]> =>
  (await client.query<(string | number | null)[]>({ text, values, rowMode: 'array' } as pg.QueryArrayConfig)).rows

/** Loads the owners of devices that changed since a snapshot. */
export const loadChangedDeviceOwners = (client: pg.Client, since: string, take: (facts: StoredOwner) => void) =>
  copyRows(client, `${OWNERS} where ${changedSince(since)}`, (row) => take(ownerOf(row)))

/** Devices of one page. Parsing more at once delays the permits of cameras. */
const PAGE = 500

/** Loads the channels of devices whose queues changed since a snapshot. */
export async function loadChangedQueues(client: pg.Client, since: string, { queue, span }: Takers) {
  const ids: number[] = []
  const changed = `select distinct device_id from oss_queues where ${changedSince(since)}`
  await copyRows(client, changed, ([id]) => ids.push(Number(id)))
  for (let at = 0; at < ids.length; at += PAGE) {
    const some = [ids.slice(at, at + PAGE)]
    // Reads all rows before it passes on the first one: a permit meanwhile must not find a channel without its spans.
    const queues = await rowsOf(client, `${QUEUES} where device_id = any($1)`, some)
    const planned = await rowsOf(client, `${PLANNED} and e.device_id = any($1) ${PLANNED_ORDER}`, some)
    const past = await rowsOf(client, `${PAST} and s.device_id = any($1)`, some)
    for (const row of queues) queue(queueOf(row))
    for (const row of planned) span(spanOf(row, false))
    for (const row of past) span(spanOf(row, true))
  }
}
