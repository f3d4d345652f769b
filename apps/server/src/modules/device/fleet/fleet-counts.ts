import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { User } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { visibleDevices } from '../device-filter.ts'
import { devices, fleetCounts } from '../schema.ts'

const KEEP_MS = 60_000
/**
 * Counts up to this number of devices are exact on every request, so that a person who adds a device sees the new
 * count.
 */
const FRESH_UP_TO = 20_000
const MAX_KEPT = 500

interface Kept {
  readonly at: number
  readonly value: Promise<{ readonly rows: number }>
}
const caches = new WeakMap<Services, Map<string, Kept>>()

/**
 * Returns a statistic over all devices with the number of devices. Large counts are cached for a minute; each key
 * has at most one count in progress. The key must contain everything that the result depends on, in particular the
 * data scope (`formatScopeKey`).
 */
export function readCachedDeviceStatistic<T extends { readonly rows: number }>(
  services: Services,
  key: string,
  count: () => Promise<T>,
) {
  const cache = caches.get(services) ?? new Map<string, Kept>()
  caches.set(services, cache)
  const known = cache.get(key)
  const now = services.now().getTime()
  if (known && now - known.at < KEEP_MS && now >= known.at) return known.value as Promise<T>
  if (cache.size >= MAX_KEPT) cache.clear()
  const value = count()
  const made = { at: now, value }
  cache.set(key, made)
  const forget = () => cache.get(key) === made && cache.delete(key)
  value.then(({ rows }) => rows <= FRESH_UP_TO && forget(), forget)
  return value
}

/** Maximum age of a figure that is returned while a new count runs in the background. */
const SHOWN_MS = 600_000

/**
 * Returns a cached figure that depends only on its key, such as one tenant's devices. Only the first request waits;
 * later requests get the last count during a recount. Counts outside the caller's transaction and row-level
 * security, so the caller must check that the key is visible.
 */
export async function readCachedFigure<T extends { readonly rows: number }>(
  services: Services,
  key: string,
  count: (db: Db) => Promise<T>,
): Promise<T> {
  const shown = shownFigures.get(services) ?? new Map<string, Shown>()
  shownFigures.set(services, shown)
  const now = services.now().getTime()
  const known = shown.get(key)
  const next = readCachedDeviceStatistic(services, key, () => count(services.database.db))
  const note = async () => {
    const value = await next
    if (shown.size >= MAX_KEPT) shown.clear()
    if (value.rows > FRESH_UP_TO) shown.set(key, { at: now, value })
    else shown.delete(key)
    return value
  }
  if (!known || now - known.at > SHOWN_MS || now < known.at) return note()
  // A failed count is repeated by the next request. Until then the last count remains.
  void note().catch(() => {})
  return known.value as T
}

interface Shown {
  readonly at: number
  readonly value: { readonly rows: number }
}
const shownFigures = new WeakMap<Services, Map<string, Shown>>()

/** Returns the part of an account that decides which devices it sees, as a cache key. */
export const formatScopeKey = ({ uid, scope: { tenants, ownOnly } }: User) =>
  `${tenants === 'all' ? 'all' : [...tenants].sort((a, b) => a - b).join(',')}${ownOnly ? `/${uid}` : ''}`

export interface DeviceCount {
  readonly devices: number
  readonly online: number
}
export const NO_DEVICES: DeviceCount = { devices: 0, online: 0 }

/** Devices that one statement of `rebuildFleetCounts` reads, and groups that one statement writes. */
const COUNTED_IDS = 50_000
const WRITTEN_GROUPS = 5000
const COLUMNS = ['devices', 'online', 'inactive', 'disabled', 'activated', 'activatedToday', 'createdToday'] as const
type Group = { tenantId: number; modelId: number; verCode: number; region: string; osVer: string } & Record<
  (typeof COLUMNS)[number],
  number
>

/** Columns of `fleet_counts` for one device. */
const DEVICE_COUNTS = sql`tenant_id, model_id, coalesce(ver_code, 0) as ver_code, region, os_ver, 1 as devices, online,
  (activate_time is null and online = 0)::int as inactive, (status = 0)::int as disabled,
  (activate_time is not null)::int as activated,
  coalesce((activate_time >= date_trunc('day', now()))::int, 0) as activated_today,
  (create_time >= date_trunc('day', now()))::int as created_today`

/** Counts all devices in short statements and replaces `fleet_counts`. */
export async function rebuildFleetCounts({ database: { db } }: Pick<Services, 'database'>, step = COUNTED_IDS) {
  const groups = new Map<string, Group>()
  const { rows: last } = await db.execute<{ id: number }>(sql`select coalesce(max(id), 0) as id from devices`)
  for (let id = 0; id < last[0]!.id; id += step) {
    const { rows } = await db.execute<Group>(sql`
      select tenant_id as "tenantId", model_id as "modelId", ver_code as "verCode", region, max(os_ver) as "osVer",
        sum(devices)::int as devices, sum(online)::int as online, sum(inactive)::int as inactive,
        sum(disabled)::int as disabled, sum(activated)::int as activated,
        sum(activated_today)::int as "activatedToday", sum(created_today)::int as "createdToday"
      from (select ${DEVICE_COUNTS} from devices where id > ${id} and id <= ${id + step} and deleted_at is null) d
      group by tenant_id, model_id, ver_code, region`)
    for (const row of rows) {
      const key = `${row.tenantId} ${row.modelId} ${row.verCode} ${row.region}`
      const sum = groups.get(key)
      if (!sum) groups.set(key, row)
      else {
        for (const column of COLUMNS) sum[column] += row[column]
        if (row.osVer > sum.osVer) sum.osVer = row.osVer
      }
    }
  }
  const all = [...groups.values()]
  await db.transaction(async (tx) => {
    await tx.delete(fleetCounts)
    for (let at = 0; at < all.length; at += WRITTEN_GROUPS)
      await tx.insert(fleetCounts).values(all.slice(at, at + WRITTEN_GROUPS))
  })
  return { rows: all.length }
}

/**
 * Returns a query with the columns of `fleet_counts` for the devices that the account sees. For a large fleet, the counts are
 * those of the last run of the job.
 */
export async function selectDeviceCounts(db: Db, user: User): Promise<SQL> {
  if (!user.scope.ownOnly) {
    const kept = sql`from ${fleetCounts} where ${scoped(user, { tenant: fleetCounts.tenantId }) ?? sql`true`}`
    const { rows } = await db.execute<{ n: number }>(sql`select coalesce(sum(devices), 0)::int as n ${kept}`)
    if (rows[0]!.n > FRESH_UP_TO) return sql`select * ${kept}`
  }
  return sql`select ${DEVICE_COUNTS} from ${devices} where ${visibleDevices(user) ?? sql`true`}`
}

/** Counts visible devices by model, for all or the given models. */
export async function countByModel(db: Db, user: User, modelIds?: readonly number[]) {
  const named = modelIds && sql`where model_id = any(${sql.param(modelIds)}::int[])`
  const { rows } = await db.execute<{ id: number; devices: number; online: number }>(sql`
    select model_id as id, sum(devices)::int as devices, sum(online)::int as online
    from (${await selectDeviceCounts(db, user)}) d ${named ?? sql``} group by model_id`)
  const counts = new Map<number, DeviceCount>(rows.map(({ id, ...count }) => [id, count]))
  return { counts, rows: rows.reduce((sum, row) => sum + row.devices, 0) }
}

/** Counts visible devices of all models. Caches large counts for a minute. */
export const readCachedCountsByModel = (services: Services, db: Db, user: User) =>
  readCachedDeviceStatistic(services, `model ${formatScopeKey(user)}`, () => countByModel(db, user))
