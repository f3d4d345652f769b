import { createHash } from 'node:crypto'
import type pg from 'pg'
import { type Config, readConfig } from '#core/config/config.ts'
import { queryWithoutTimeout } from '#core/database/statements/prepared-statements.ts'
import { openMedia } from '#core/media/open-media.ts'
import { openFileStore } from '#core/storage/open-store.ts'
import type { FileStore } from '#core/storage/store.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { findApprovalBreaches, AD_PLAY_INVARIANT_QUERY } from '#modules/advertise/invariants.ts'
import { ORDER_INVARIANT_QUERY } from '#modules/agent/orders/invariants.ts'
import { STORAGE_INVARIANT_QUERY, VIDEO_INVARIANT_QUERY } from '#modules/storage/invariants.ts'
import { checkObjects } from '#modules/storage/verify.ts'
import { parseOptions, type Command, CommandError, openExistingDatabase } from './command.ts'
import { quoteIdentifier } from './archive.ts'

export type CheckFindings = {
  readonly checked: number
  /** Rows whose files are missing or damaged. */
  readonly broken: string[]
  /** Number of files without a row. They are harmless, and a job deletes them. */
  readonly orphans: number
  /** Sequences lower than existing ids. The next insert would fail. */
  readonly behind: string[]
  /** Violated invariants of cloud storage. */
  readonly storage: string[]
}

export async function checkIntegrity(pool: pg.Pool, files: FileStore): Promise<CheckFindings> {
  const rows = await queryWithoutTimeout<{ sha256: string; size: number }>(
    pool,
    'select distinct sha256, size from files order by sha256',
  )
  const broken: string[] = []
  for (const { sha256, size } of rows) {
    const problem = await problemOf(files, sha256, size)
    if (problem) broken.push(`文件 ${sha256} ${problem}`)
  }
  const known = new Set(rows.map(({ sha256 }) => sha256))
  let orphans = 0
  for await (const { sha256 } of files.list()) if (!known.has(sha256)) orphans += 1
  return {
    checked: rows.length,
    broken,
    orphans,
    behind: await countersBehind(pool),
    storage: await storageBreaches(pool),
  }
}

async function problemOf(files: FileStore, sha256: string, size: number): Promise<string | undefined> {
  const found = await files.stat(sha256)
  if (!found) return '没有内容'
  if (found.size !== size) return `大小是 ${found.size}，应为 ${size}`
  const hash = createHash('sha256')
  for await (const chunk of await files.openRead(sha256)) hash.update(chunk as Buffer)
  return hash.digest('hex') === sha256 ? undefined : '内容已损坏'
}

async function storageBreaches(pool: pg.Pool): Promise<string[]> {
  const rows = await queryWithoutTimeout<{ what: string }>(pool, STORAGE_INVARIANT_QUERY, [new Date().toISOString()])
  rows.push(...(await queryWithoutTimeout<{ what: string }>(pool, VIDEO_INVARIANT_QUERY)))
  return rows.map(({ what }) => `云存储核对不符：${what}`)
}

async function playBreaches(pool: pg.Pool, { timeZone, adPlayDays }: Config): Promise<string[]> {
  // The job may have dropped the first kept day already.
  const first = addDays(formatLocalDay(Date.now(), timeZone), 2 - adPlayDays)
  const rows = await queryWithoutTimeout<{ what: string }>(pool, AD_PLAY_INVARIANT_QUERY, [timeZone, first])
  return rows.map(({ what }) => `广告播放统计核对不符：${what}`)
}

async function approvalBreaches(pool: pg.Pool): Promise<string[]> {
  const breaches = await findApprovalBreaches(pool)
  return breaches.map((what) => `广告通过记录核对不符：${what}`)
}

async function orderBreaches(pool: pg.Pool): Promise<string[]> {
  const rows = await queryWithoutTimeout<{ what: string }>(pool, ORDER_INVARIANT_QUERY)
  return rows.map(({ what }) => `智能体订单核对不符：${what}`)
}

/**
 * Returns one line for each collation whose library was updated after the collation was created, `database` for the
 * default collation. Indexes may still have the order of the old version, so that searches miss rows.
 */
export async function findOutdatedCollations(pool: pg.Pool): Promise<string[]> {
  const rows = await queryWithoutTimeout<{ name: string; stored: string; actual: string }>(
    pool,
    `select name, stored, actual from (
       select collname::text as name, collversion as stored, pg_collation_actual_version(oid) as actual
         from pg_collation where collnamespace = 'public'::regnamespace
       union all select 'database', datcollversion, pg_database_collation_actual_version(oid)
         from pg_database where datname = current_database()) c
     where stored <> actual order by name`,
  )
  return rows.map(
    ({ name, stored, actual }) =>
      `排序规则 ${name} 建立时的版本是 ${stored}，系统库现在的版本是 ${actual}：请重建索引并更新版本（见运维手册）`,
  )
}

async function countersBehind(pool: pg.Pool): Promise<string[]> {
  const rows = await queryWithoutTimeout<{ sequence: string; tbl: string; col: string }>(
    pool,
    `select s.oid::regclass::text as sequence, d.refobjid::regclass::text as tbl, a.attname as col
     from pg_class s join pg_depend d on d.objid = s.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0
       and d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
     join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
     where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace`,
  )
  const behind: string[] = []
  for (const { sequence, tbl, col } of rows) {
    const states = await queryWithoutTimeout<{ late: boolean }>(
      pool,
      `select coalesce((select max(${quoteIdentifier(col)}) from ${tbl}), 0)
         > (select case when is_called then last_value else last_value - 1 end from ${sequence}) as late`,
    )
    if (states[0]?.late) behind.push(`${tbl}.${col} 的计数器落后`)
  }
  return behind
}

export const checkCommand: Command = {
  name: 'check',
  usage: 'check',
  summary:
    '核对文件记录与文件内容、编号计数器、云存储账目、广告通过记录与播放统计、智能体订单账目、排序规则版本；服务运行时也可以做',
  async run(args, { env, print }) {
    parseOptions(args, 'check', {})
    const config = readConfig(env)
    const database = await openExistingDatabase(config, print)
    try {
      const files = await openFileStore({ dataDir: config.dataDir, s3: config.s3 })
      const { checked, broken, orphans, behind, storage } = await checkIntegrity(database.pool, files)
      broken.push(...(await checkObjects(database.pool, await openMedia(config))))
      const approvals = await approvalBreaches(database.pool)
      const plays = await playBreaches(database.pool, config)
      const orders = await orderBreaches(database.pool)
      const collations = await findOutdatedCollations(database.pool)
      const found = [...broken, ...behind, ...storage, ...approvals, ...plays, ...orders, ...collations]
      for (const line of found) print(line)
      print(
        `核对了 ${checked} 个文件：${broken.length} 个有问题，${orphans} 个无记录的文件；${behind.length} 个计数器落后；${storage.length} 处云存储账目不符，${approvals.length} 处广告通过记录不符，${plays.length} 处广告播放统计不符，${orders.length} 处智能体订单账目不符，${collations.length} 个排序规则版本过期`,
      )
      if (found.length > 0) throw new CommandError('核对发现问题')
    } finally {
      await database.close()
    }
  },
}
