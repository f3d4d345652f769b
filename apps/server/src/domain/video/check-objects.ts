import type { Pool } from 'pg'
import type { MediaFiles } from '#core/media/media.ts'
import { dayPrefix, objectKeyOf, type SegmentKey } from './segment.ts'

const PAGE = 1000
const AT_ONCE = 16
const MAX_FINDINGS = 100

interface Row extends SegmentKey {
  readonly kind: number
  readonly bytes: number
}

/** Returns objects below deleted days, and stored rows whose object is absent or has another size. */
export async function checkObjects(pool: Pool, media: MediaFiles): Promise<string[]> {
  const findings: string[] = []
  const { rows } = await pool.query<{ day: string; isDropped: boolean }>(
    'select expire_day as day, state = 3 as "isDropped" from oss_days order by 1',
  )
  for (const { day, isDropped } of rows) {
    if (findings.length >= MAX_FINDINGS) break
    if (!isDropped) await checkDay(pool, media, day, findings)
    else
      for await (const { key } of media.list(dayPrefix(day))) {
        findings.push(`已删除日期仍有录像文件 ${key}`)
        break
      }
  }
  return findings
}

async function checkDay(pool: Pool, media: MediaFiles, day: string, findings: string[]) {
  let last: readonly [number, number, number, number] = [0, 0, 0, 0]
  for (;;) {
    const { rows } = await pool.query<Row>(
      `select expire_day as "expireDay", device_id as "deviceId", channel, kind, start_ms as "startMs", salt, format, bytes
       from oss_segments where expire_day = $1 and status = 1 and (device_id, channel, kind, start_ms) > ($2, $3, $4, $5)
       order by device_id, channel, kind, start_ms limit ${PAGE}`,
      [day, ...last],
    )
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const some = await Promise.all(rows.slice(at, at + AT_ONCE).map((row) => problemOf(media, row)))
      findings.push(...some.filter((each) => each !== undefined))
    }
    const end = rows.at(-1)
    if (!end || rows.length < PAGE || findings.length >= MAX_FINDINGS) return
    last = [end.deviceId, end.channel, end.kind, end.startMs]
  }
}

async function problemOf(media: MediaFiles, row: Row): Promise<string | undefined> {
  const key = objectKeyOf(row)
  const object = await media.peek(key, 1)
  if (!object) return `录像文件 ${key} 没有内容`
  return object.size === row.bytes ? undefined : `录像文件 ${key} 大小是 ${object.size}，应为 ${row.bytes}`
}
