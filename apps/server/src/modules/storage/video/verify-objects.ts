import type { Pool } from 'pg'
import { queryWithoutTimeout } from '#core/database/statements/prepared-statements.ts'
import type { MediaFiles } from '#core/media/media.ts'
import { formatDayPrefix, FOLDERS_PER_DAY, findFolder, formatObjectKey, type SegmentKey } from './recordings/segment.ts'

const MAX_FINDINGS = 100

interface Row extends SegmentKey {
  readonly kind: number
  readonly bytes: number
}

/** A stored row whose object has another size. `size` undefined: the object is absent. */
interface Difference {
  readonly row: Row
  readonly key: string
  readonly size: number | undefined
}

/** Compares the stored rows of an expiry date with its objects. Yields the differences of each folder. */
async function* compareDay(pool: Pool, media: MediaFiles, expireDay: string): AsyncGenerator<Difference[]> {
  const rows = await queryWithoutTimeout<{ id: number }>(
    pool,
    'select distinct device_id as id from oss_segments where expire_day = $1 and status = 1',
    [expireDay],
  )
  const devices = Map.groupBy(rows, ({ id }) => findFolder(id))
  for (let folder = 0; folder < FOLDERS_PER_DAY; folder += 1) {
    const prefix = formatDayPrefix(expireDay, folder)
    const ids = devices.get(prefix.slice(-3, -1))
    if (ids) yield await compareFolder(pool, media, { expireDay, prefix, deviceIds: ids.map(({ id }) => id) })
  }
}

interface Folder {
  readonly expireDay: string
  readonly prefix: string
  readonly deviceIds: readonly number[]
}

async function compareFolder(pool: Pool, media: MediaFiles, { expireDay, prefix, deviceIds }: Folder) {
  const sizes = new Map<string, number>()
  for await (const { key, size } of media.list(prefix)) sizes.set(key, size)
  const rows = await queryWithoutTimeout<Row>(
    pool,
    `select expire_day as "expireDay", device_id as "deviceId", channel, kind, start_ms as "startMs", salt, format, bytes
     from oss_segments where expire_day = $1 and status = 1 and device_id = any($2)`,
    [expireDay, deviceIds],
  )
  const different: Difference[] = []
  for (const row of rows) {
    const key = formatObjectKey(row)
    if (sizes.get(key) === row.bytes) continue
    // Cameras upload during the check, and the list of objects was read before the rows.
    const size = (await media.peek(key, 1))?.size
    if (size !== row.bytes) different.push({ row, key, size })
  }
  return different
}

/**
 * Marks stored videos without an object as missing, so that players see a gap. Returns the keys of the marked videos. A
 * video that was deleted meanwhile has no row and is not marked.
 */
export async function markMissingVideos(pool: Pool, media: MediaFiles, days: readonly string[]): Promise<string[]> {
  const marked: string[] = []
  for (const day of days)
    for await (const differences of compareDay(pool, media, day)) {
      const absent = differences.filter(({ size }) => size === undefined).map(({ row }) => row)
      if (absent.length > 0) marked.push(...(await mark(pool, absent)))
    }
  return marked
}

async function mark(pool: Pool, absent: readonly Row[]): Promise<string[]> {
  const { rows } = await pool.query<SegmentKey>(
    `update oss_segments s set status = 2
     from unnest($1::date[], $2::int[], $3::smallint[], $4::smallint[], $5::bigint[]) as x (day, device, channel, kind, start)
     where s.expire_day = x.day and s.device_id = x.device and s.channel = x.channel and s.kind = x.kind and s.start_ms = x.start
       and s.status = 1
     returning s.expire_day as "expireDay", s.device_id as "deviceId", s.channel, s.start_ms as "startMs", s.salt, s.format`,
    [
      absent.map(({ expireDay }) => expireDay),
      absent.map(({ deviceId }) => deviceId),
      absent.map(({ channel }) => channel),
      absent.map(({ kind }) => kind),
      absent.map(({ startMs }) => startMs),
    ],
  )
  return rows.map(formatObjectKey)
}

/** Returns the expiry dates whose videos are not deleted. */
export async function listRetainedDays(pool: Pool): Promise<string[]> {
  const rows = await queryWithoutTimeout<{ day: string }>(
    pool,
    'select expire_day as day from oss_days where state < 3 order by expire_day',
  )
  return rows.map(({ day }) => day)
}

/** Returns objects below deleted days, and stored rows whose object is absent or has another size. */
export async function checkObjects(pool: Pool, media: MediaFiles): Promise<string[]> {
  const findings = await findObjectsOfDroppedDays(pool, media)
  for (const day of await listRetainedDays(pool))
    for await (const differences of compareDay(pool, media, day)) {
      for (const { key, size, row } of differences)
        findings.push(
          size === undefined ? `录像文件 ${key} 没有内容` : `录像文件 ${key} 大小是 ${size}，应为 ${row.bytes}`,
        )
      if (findings.length >= MAX_FINDINGS) return findings
    }
  return findings
}

/** Returns one finding for each of the last deleted days that still has objects. */
export async function findObjectsOfDroppedDays(pool: Pool, media: MediaFiles): Promise<string[]> {
  const rows = await queryWithoutTimeout<{ day: string }>(
    pool,
    `select expire_day as day from oss_days where state = 3 order by expire_day desc limit ${MAX_FINDINGS}`,
  )
  const findings: string[] = []
  for (const { day } of rows)
    for await (const { key } of media.list(formatDayPrefix(day))) {
      findings.push(`已删除日期仍有录像文件 ${key}`)
      break
    }
  return findings
}
