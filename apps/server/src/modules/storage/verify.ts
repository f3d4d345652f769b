import type { Pool } from 'pg'
import { queryWithoutTimeout } from '#core/database/statements/prepared-statements.ts'
import { runSteps } from '#core/jobs/isolated.ts'
import type { MediaFiles } from '#core/media/media.ts'
import type { Services } from '#core/services.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { listPlatformStaff } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { STORAGE_INVARIANT_QUERY, VIDEO_INVARIANT_QUERY } from './invariants.ts'
import { formatDayPrefix, FOLDERS_PER_DAY, findFolder, formatObjectKey, type SegmentKey } from './video/segment.ts'

const KIND = 'oss-verify'
/** Staff of the vendor with this permission receives the result. */
const SETTING = 'ossManage:ossStatisticalAnalysis:setting'
/** Maximum number of findings in the log and in the message. */
const MAX_LISTED = 20
const MAX_IN_MESSAGE = 5
const MAX_FINDINGS = 100

/** Registers the nightly comparison of sums, ledgers and objects with their rows. */
export function registerStorageVerify(services: Services) {
  const options = { title: '云存储核对', cron: '0 50 3 * * *', keepsRuns: true, timeLimitSeconds: 4 * 3600 }
  services.jobs.schedule(KIND, () => runStorageVerify(services), options)
}

/**
 * Checks every invariant of cloud storage and the objects of yesterday's recordings. Reports differences to the log and
 * to the vendor's staff. Only the status of videos without an object is changed, so that players show a gap.
 */
export async function runStorageVerify(services: Services) {
  const { database, videos, now, log } = services
  const findings: string[] = []
  let missing: string[] = []
  const failedItems = await runSteps(
    { log, kind: KIND },
    {
      videos: async () => (missing = await markMissingVideosOfYesterday(services)),
      sums: async () => findings.push(...(await breaches(database.pool, now()))),
      droppedDays: async () => findings.push(...(await findObjectsOfDroppedDays(database.pool, videos.media))),
    },
  )
  findings.push(...missing.map((key) => `录像文件 ${key} 没有内容`))
  if (findings.length > 0) await report(services, findings)
  return { findings: findings.length, missing: missing.length, failedItems }
}

/** Marks the videos that were recorded yesterday and have no object. Returns their keys. */
async function markMissingVideosOfYesterday({ database, videos, now, config }: Services) {
  const yesterday = addDays(formatLocalDay(now(), config.timeZone), -1)
  const rows = await queryWithoutTimeout<{ day: string }>(
    database.pool,
    `select distinct d.expire_day as day from oss_device_days o join oss_days d on d.expire_day = any(o.expire_days)
     where o.day = $1 and d.state = 0 order by 1`,
    [yesterday],
  )
  return markMissingVideos(
    database.pool,
    videos.media,
    rows.map(({ day }) => day),
  )
}

/** Returns the violated invariants. */
async function breaches(pool: Pool, now: Date): Promise<string[]> {
  const rows = await queryWithoutTimeout<{ what: string }>(pool, STORAGE_INVARIANT_QUERY, [now.toISOString()])
  rows.push(...(await queryWithoutTimeout<{ what: string }>(pool, VIDEO_INVARIANT_QUERY)))
  return rows.map(({ what }) => `账目不符：${what}`)
}

async function report(services: Services, findings: readonly string[]) {
  const { database, log } = services
  log.error({ kind: KIND, count: findings.length, findings: findings.slice(0, MAX_LISTED) }, 'cloud storage differs')
  const listed = findings.slice(0, MAX_IN_MESSAGE).join('\n')
  await database.db.transaction(async (db) =>
    sendMessage(services, db, {
      topic: 'storage',
      title: `云存储核对发现${findings.length}处不符`,
      text: `夜间核对发现${findings.length}处不符：\n${listed}\n完整列表见服务日志，系统未自动更正账目。`,
      uids: await listPlatformStaff(db, SETTING, 'all'),
      priority: 3,
    }),
  )
}

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
async function findObjectsOfDroppedDays(pool: Pool, media: MediaFiles): Promise<string[]> {
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
