import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, inject, test, vi } from 'vitest'
import { Passwords } from '#core/auth/passwords.ts'
import { readConfig } from '#core/config/config.ts'
import { buildConnectionSettings, type Database, openPool } from '#core/database/client.ts'
import { readFailedItems } from '#core/jobs/isolated.ts'
import type { Job, Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { lastDayOfMonth, parseLocalTime, zoneOffsetMinutes } from '#core/time/zone.ts'
import { registerDeviceSideJobs } from '#main/devices/device-jobs.ts'
import { ADMIN_PASSWORD } from '#test/fixtures/admin-password.ts'
import { emptyDatabase } from '#test/database.ts'
import { databaseTemplate } from './database-template.ts'
import { registerJobs } from './jobs.ts'
import { seedDatabase } from './seed/seed.ts'
import { createServices } from './services.ts'

const MONTHS = 14
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LOG_DAYS = 90
/** Default of the parameter `history.days`. */
const HISTORY_DAYS = 180
/** A monthly partition is dropped when its last rows expire, up to a month after its first rows. */
const PARTITION_DAYS = 31

interface Installation {
  readonly database: Database
  readonly services: Services
  /** Errors in the log and failed jobs. */
  readonly problems: string[]
  runAll(): Promise<void>
}

/** SQL functions that replace `now()` of PostgreSQL in connections that search `public` first. */
const FAKE_NOW = `
  create table test_clock (at timestamptz not null);
  insert into test_clock values (pg_catalog.now());
  create function public.now() returns timestamptz language sql stable as 'select at from public.test_clock';
  grant select on test_clock to oms_tenant`

/** Fills a database like the database template of the build, then starts the database in the time zone `zone`. */
async function install(zone: string): Promise<Installation & { close(): Promise<void> }> {
  const bare = await emptyDatabase()
  const { options: _, ...plain } = inject('server')
  const connection = { ...plain, database: (await bare.pool.query('select current_database() as it')).rows[0].it }
  await databaseTemplate().fill({ ...connection, options: '-c TimeZone=UTC' })
  await bare.pool.query(FAKE_NOW)
  const settings = buildConnectionSettings(
    { ...connection, options: '-c search_path=public,pg_catalog' },
    { timeZone: zone },
  )
  const database = await openPool(settings, { size: 5, embedded: true, warn: () => {}, closeAfter: () => bare.close() })
  const problems: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => problems.push(line) })
  const dataDir = mkdtempSync(join(inject('scratch'), 'jobs-'))
  const config = readConfig({
    DATA_DIR: dataDir,
    OMS_TIME_ZONE: zone,
    OMS_LOG_RETENTION_DAYS: String(LOG_DAYS),
    OMS_AD_PLAY_DAYS: '7',
  })
  const services = await createServices({ config, database, log })
  await seedDatabase(database, { passwords: new Passwords(), adminPassword: ADMIN_PASSWORD })
  const works = new Map<string, Worker>()
  const jobs = { register() {}, registerMessages() {}, schedule: (kind: string, work: Worker) => works.set(kind, work) }
  const registered = { ...services, jobs: Object.assign(Object.create(services.jobs), jobs) as Services['jobs'] }
  registerJobs(registered)
  registerDeviceSideJobs(registered)
  return {
    database,
    services,
    problems,
    async runAll() {
      const { signal } = new AbortController()
      for (const [kind, work] of works) {
        const job: Job = { jobId: 0, kind, uid: null, tenantId: null, payload: {}, attempts: 1 }
        const result = await work(job, async () => {}, signal).catch((error: unknown) => ({ failedItems: `${error}` }))
        if (readFailedItems(result) !== 0) problems.push(`${kind}: ${JSON.stringify(result)}`)
      }
    },
    async close() {
      await services.close()
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Sets the clocks of this process and of the database. Stores the runs of the last week, so that jobs delete old rows. */
async function setClock({ database: { pool } }: Installation, at: number) {
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  await pool.query('update test_clock set at = $1', [new Date(at).toISOString()])
  await pool.query(`delete from jobs where state = 'done'`)
  await pool.query(`insert into jobs (kind, state, create_time, finish_time)
    select kind, 'done', now() - make_interval(days => d), now() - make_interval(days => d)
    from unnest('{logRetention,ad-play-retention,ad-retention,agent-usage-retention}'::text[]) kind, generate_series(0, 7) d`)
  await pool.query(`insert into settings (key, value) values ('storageSweepDays',
    (select jsonb_agg(to_char(now() - make_interval(days => d), 'YYYY-MM-DD')) from generate_series(0, 7) d))
    on conflict (key) do update set value = excluded.value`)
}

/** Writes one row of every log and conversation. */
const writeRows = ({ database: { pool } }: Installation) =>
  pool.query(`with t as (insert into agent_turns (report_time, tenant_id, session_row_id, device_id, agent_id, kind, content_md5)
      values (now(), 1, 1, 1, 1, 1, 'x')),
    l as (insert into login_logs (login_time, account, ip, user_agent, status) values (now(), 'a', '::1', '', 1))
    insert into oper_logs (oper_time, title, request_method, oper_url, oper_ip) values (now(), 'x', 'POST', '/x', '::1')`)

/** Returns the number of rows that no partition of a month contains. */
async function countStrayRows({ database: { pool } }: Installation): Promise<number> {
  const { rows } = await pool.query(`select (select count(*) from agent_turns_other)
    + (select count(*) from oper_logs_other) + (select count(*) from login_logs_other) as n`)
  return rows[0].n
}

/** Returns the instants around the ends of the coming months, of the next leap day and of changes of the offset. */
function listInstants(zone: string): number[] {
  const now = Date.now()
  const monthEnd = (index: number) => {
    const month = new Date(Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() + index, 1))
    return parseLocalTime(`${lastDayOfMonth(month.toISOString().slice(0, 7))} 00:00:00`, zone) + DAY_MS
  }
  const ends = Array.from({ length: MONTHS }, (_, index) => monthEnd(index))
  const hours = Array.from({ length: (MONTHS + 1) * 31 * 24 }, (_, n) => Math.ceil(now / HOUR_MS + n) * HOUR_MS)
  const changes = hours.filter((at) => zoneOffsetMinutes(at - 1, zone) !== zoneOffsetMinutes(at, zone))
  let year = new Date(now).getUTCFullYear()
  while (new Date(Date.UTC(year, 1, 29)).getUTCDate() !== 29 || Date.UTC(year, 1, 29) < now) year += 1
  const leap = parseLocalTime(`${year}-02-29 00:00:00`, zone)
  return [...ends, ...changes, leap, leap + DAY_MS].flatMap((at) => [at - 1000, at]).toSorted((a, b) => a - b)
}

afterEach(() => void vi.useRealTimers())

test.each(['Asia/Shanghai', 'Europe/Berlin', 'America/New_York'])(
  'every scheduled job succeeds at month ends, on a leap day and at changes of the UTC offset of %s',
  async (zone) => {
    const installation = await install(zone)
    try {
      const { pool } = installation.database
      for (const at of listInstants(zone)) {
        await setClock(installation, at)
        await installation.runAll()
        await writeRows(installation)
        expect(installation.problems, new Date(at).toISOString()).toEqual([])
        expect(await countStrayRows(installation), new Date(at).toISOString()).toBe(0)
      }
      const { rows } = await pool.query(`select (select min(report_time) from agent_turns) as turns,
        (select min(oper_time) from oper_logs) as logs`)
      const ageOf = (time: string) => (Date.now() - Date.parse(time)) / DAY_MS
      expect(ageOf(rows[0].turns)).toBeLessThan(HISTORY_DAYS)
      expect(ageOf(rows[0].logs)).toBeLessThan(LOG_DAYS + PARTITION_DAYS)
    } finally {
      await installation.close()
    }
  },
  240_000,
)
