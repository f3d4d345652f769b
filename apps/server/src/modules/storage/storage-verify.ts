import type { Pool } from 'pg'
import { queryWithoutTimeout } from '#core/database/statements/prepared-statements.ts'
import { runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { listPlatformStaff } from '#modules/account/permission-holders.ts'
import { sendMessage } from '#modules/system/notices/send-message.ts'
import { STORAGE_INVARIANT_QUERY } from './invariants.ts'
import { VIDEO_INVARIANT_QUERY } from './video/invariants.ts'
import { markMissingVideos, findObjectsOfDroppedDays } from './video/verify-objects.ts'

const KIND = 'oss-verify'
/** Staff of the vendor with this permission receives the result. */
const SETTING = 'ossManage:ossStatisticalAnalysis:setting'
/** Maximum number of findings in the log and in the message. */
const MAX_LISTED = 20
const MAX_IN_MESSAGE = 5

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
      title: `云存储核对发现${findings.length}处不符`,
      text: `夜间核对发现${findings.length}处不符：\n${listed}\n完整列表见服务日志，系统未自动更正账目。`,
      uids: await listPlatformStaff(db, SETTING, 'all'),
      priority: 3,
    }),
  )
}
