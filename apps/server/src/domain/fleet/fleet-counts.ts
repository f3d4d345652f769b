import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '#schema/device.ts'
import type { User } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { visibleDevices } from './device-filter.ts'

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

/** Counts visible devices by model, for all or the given models. */
export async function countByModel(db: Db, user: User, modelIds?: readonly number[]) {
  const named = modelIds && sql`and ${devices.modelId} = any(${sql.param(modelIds)}::int[])`
  const { rows } = await db.execute<{ id: number; devices: number; online: number }>(sql`
    select model_id as id, count(*)::int as devices, count(*) filter (where online = 1)::int as online
    from devices where ${visibleDevices(user)} ${named ?? sql``} group by model_id`)
  const counts = new Map<number, DeviceCount>(rows.map(({ id, ...count }) => [id, count]))
  return { counts, rows: rows.reduce((sum, row) => sum + row.devices, 0) }
}

/** Counts visible devices of all models. Caches large counts for a minute. */
export const readCachedCountsByModel = (services: Services, db: Db, user: User) =>
  readCachedDeviceStatistic(services, `model ${formatScopeKey(user)}`, () => countByModel(db, user))
