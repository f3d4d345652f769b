import type { Pool } from 'pg'
import type { MediaFiles } from '#core/media/media.ts'
import { objectKeyOf, type SegmentKey } from './segment.ts'

const PAGE = 1000
const AT_ONCE = 16

interface Row extends SegmentKey {
  readonly kind: number
}

/**
 * Marks stored videos without an object as missing, and returns their number. A backup holds the rows of videos but not
 * their bytes, so a restore into another store calls this function.
 */
export async function markMissingVideos(pool: Pool, media: MediaFiles): Promise<number> {
  let marked = 0
  let last: readonly [string, number, number, number, number] = ['1970-01-01', 0, 0, 0, 0]
  for (;;) {
    const { rows } = await pool.query<Row>(
      `select expire_day as "expireDay", device_id as "deviceId", channel, kind, start_ms as "startMs", salt, format
       from oss_segments where status = 1 and (expire_day, device_id, channel, kind, start_ms) > ($1, $2, $3, $4, $5)
       order by expire_day, device_id, channel, kind, start_ms limit ${PAGE}`,
      [...last],
    )
    const absent = await absentOf(media, rows)
    marked += absent.length
    await mark(pool, absent)
    const end = rows.at(-1)
    if (!end || rows.length < PAGE) return marked
    last = [end.expireDay, end.deviceId, end.channel, end.kind, end.startMs]
  }
}

async function absentOf(media: MediaFiles, rows: readonly Row[]): Promise<Row[]> {
  const absent: Row[] = []
  for (let at = 0; at < rows.length; at += AT_ONCE)
    await Promise.all(
      rows.slice(at, at + AT_ONCE).map(async (row) => {
        if (!(await media.peek(objectKeyOf(row), 1))) absent.push(row)
      }),
    )
  return absent
}

const mark = (pool: Pool, rows: readonly Row[]) =>
  pool.query(
    `update oss_segments s set status = 2
     from unnest($1::date[], $2::int[], $3::smallint[], $4::smallint[], $5::bigint[]) as x (day, device, channel, kind, start)
     where s.expire_day = x.day and s.device_id = x.device and s.channel = x.channel and s.kind = x.kind and s.start_ms = x.start`,
    [
      rows.map(({ expireDay }) => expireDay),
      rows.map(({ deviceId }) => deviceId),
      rows.map(({ channel }) => channel),
      rows.map(({ kind }) => kind),
      rows.map(({ startMs }) => startMs),
    ],
  )
