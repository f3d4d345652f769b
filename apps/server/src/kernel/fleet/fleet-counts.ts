import { sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { devices } from '#db/schema/device.ts'
import type { User } from '#kernel/context.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { visibleDevices } from './device-filter.ts'

const KEEP_MS = 60_000
/** Counts over fewer devices cost little: whoever has just added one sees it counted. */
const FRESH_UP_TO = 20_000
const MAX_KEPT = 500

interface Kept {
  readonly at: number
  readonly value: Promise<{ readonly rows: number }>
}
const caches = new WeakMap<Kernel, Map<string, Kept>>()

/**
 * A figure over all devices, with the number of devices behind it: kept for a minute when they are many, one count under
 * way per key. The key has to say everything the figure depends on, above all who may see what (`sightOf`).
 */
export function keptFigure<T extends { readonly rows: number }>(kernel: Kernel, key: string, count: () => Promise<T>) {
  const cache = caches.get(kernel) ?? new Map<string, Kept>()
  caches.set(kernel, cache)
  const known = cache.get(key)
  const now = kernel.now().getTime()
  if (known && now - known.at < KEEP_MS && now >= known.at) return known.value as Promise<T>
  if (cache.size >= MAX_KEPT) cache.clear()
  const value = count()
  const made = { at: now, value }
  cache.set(key, made)
  const forget = () => cache.get(key) === made && cache.delete(key)
  value.then(({ rows }) => rows <= FRESH_UP_TO && forget(), forget)
  return value
}

/** So old a figure may be shown while the new one is counted behind it. */
const SHOWN_MS = 600_000

/**
 * The same for a figure that says no more than its key names (one customer's devices): nobody but the first waits, the
 * last count is shown while the next one is taken. It is counted outside the caller's transaction and wall, so the
 * caller has made sure that the key is within reach.
 */
export async function figureBehind<T extends { readonly rows: number }>(
  kernel: Kernel,
  key: string,
  count: (db: Db) => Promise<T>,
): Promise<T> {
  const shown = shownFigures.get(kernel) ?? new Map<string, Shown>()
  shownFigures.set(kernel, shown)
  const now = kernel.now().getTime()
  const known = shown.get(key)
  const next = keptFigure(kernel, key, () => count(kernel.database.db))
  const note = async () => {
    const value = await next
    if (shown.size >= MAX_KEPT) shown.clear()
    if (value.rows > FRESH_UP_TO) shown.set(key, { at: now, value })
    else shown.delete(key)
    return value
  }
  if (!known || now - known.at > SHOWN_MS || now < known.at) return note()
  // What fails here is asked again the next time; until then the last figure stands.
  void note().catch(() => {})
  return known.value as T
}

interface Shown {
  readonly at: number
  readonly value: { readonly rows: number }
}
const shownFigures = new WeakMap<Kernel, Map<string, Shown>>()

/** What of an account decides which devices it sees. */
export const sightOf = ({ uid, scope: { tenants, ownOnly } }: User) =>
  `${tenants === 'all' ? 'all' : [...tenants].sort((a, b) => a - b).join(',')}${ownOnly ? `/${uid}` : ''}`

export interface DeviceCount {
  readonly devices: number
  readonly online: number
}
export const NO_DEVICES: DeviceCount = { devices: 0, online: 0 }

/** Devices of each model within what the account sees; of all models, or of those named. */
export async function countByModel(db: Db, user: User, modelIds?: readonly number[]) {
  const named = modelIds && sql`and ${devices.modelId} = any(${sql.param(modelIds)}::int[])`
  const { rows } = await db.execute<{ id: number; devices: number; online: number }>(sql`
    select model_id as id, count(*)::int as devices, count(*) filter (where online = 1)::int as online
    from devices where ${visibleDevices(user)} ${named ?? sql``} group by model_id`)
  const counts = new Map<number, DeviceCount>(rows.map(({ id, ...count }) => [id, count]))
  return { counts, rows: rows.reduce((sum, row) => sum + row.devices, 0) }
}

/** The same of all models, kept for a minute when the devices are many. */
export const keptByModel = (kernel: Kernel, db: Db, user: User) =>
  keptFigure(kernel, `model ${sightOf(user)}`, () => countByModel(db, user))
