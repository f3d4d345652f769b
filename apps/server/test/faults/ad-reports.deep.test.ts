import { createHash, randomInt, randomUUID } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { ensureRunning, type ClusterSite, stopPostmaster } from '#core/database/embedded/postmaster.ts'
import { pollUntil } from '#core/database/embedded/processes.ts'
import { type Serving, serve } from '#test/serving.ts'

const CLIENTS = 8
const REPORTS = 1200
const BATCH = 50
const TOKEN = 'token-of-one-screen-0123456789abc'

let site: ClusterSite
let env: Record<string, string>
let database: pg.Client
let servers: Serving[]

beforeAll(async () => {
  const dataDir = mkdtempSync(join(inject('scratch'), 'ads-'))
  const cluster = await openCluster({ dataDir, role: 'tool', warn: () => {} })
  await cluster.close()
  site = cluster.site
  mkdirSync(site.sockets, { recursive: true, mode: 0o700 })
  if (site.account) chownSync(site.sockets, site.account.uid, site.account.gid)
  const { sockets } = await ensureRunning(site)
  env = { DATABASE_URL: `postgres://oms@localhost/oms?host=${sockets}`, DATA_DIR: join(dataDir, 'server') }
  servers = await Promise.all([serve(env), serve(env)])
  database = new pg.Client({ host: sockets, user: 'oms', database: 'oms' })
  await database.connect()
  await seed()
})
afterAll(async () => {
  await database?.end()
  for (const { child } of servers) child.kill('SIGTERM')
  await Promise.all(servers.map(({ gone }) => gone))
  await stopPostmaster(site)
})

/** Creates a screen, an approved ad and a published program. */
async function seed() {
  const tokenHash = createHash('sha256').update(TOKEN).digest()
  await database.query(`insert into device_types (type_name, type_code) values ('屏幕', 'screen')`)
  await database.query(
    `insert into device_models (type_id, model_name, model_code) select max(id), 'S1', 'S1' from device_types`,
  )
  await database.query(
    `insert into devices (tenant_id, model_id, sn, token_hash) select 1, max(id), 'SCR-1', $1 from device_models`,
    [tokenHash],
  )
  const program = {
    id: 1,
    items: [{ id: 1, adId: 1, ms: 15_000 }],
    insertMode: 0,
    fallback: 0,
    publishedAt: 1,
    dateFrom: '2020-01-01',
    dateTo: '2099-01-01',
  }
  await database.query(
    `insert into ad_versions (ad_id, ver_no, tenant_id, body, content_hash, submit_by, audit_status) values (1, 1, 1, '{"files":[]}', '', 1, 2)`,
  )
  await database.query(
    `insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
     values (1, 1, 1, $1, 4, '{1}', 2, 1)`,
    [JSON.stringify(program)],
  )
}

/** Plays without gaps, the last one an hour ago. */
function plays(count: number, daysAgo: number) {
  const start = Date.now() - daysAgo * 86_400_000 - count * 15_000
  const fields = {
    programId: 1,
    ver: 1,
    itemId: 1,
    adId: 1,
    adVer: 1,
    ms: 15_000,
    planned: 15_000,
    result: 1,
    clock: 2,
  }
  return Array.from({ length: count }, (_, n) => ({ ...fields, reportId: randomUUID(), start: start + n * 15_000 }))
}

const post = (url: string, reports: readonly object[]) =>
  fetch(`${url}/device/v1/ad/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ sn: 'SCR-1', reports }),
    signal: AbortSignal.timeout(15_000),
  })

async function assertStoredOnce(reports: readonly { reportId: string }[]) {
  const ids = reports.map(({ reportId }) => reportId)
  const { rows } = await database.query(
    `select count(*)::int as n, count(distinct report_id)::int as ids from ad_plays where report_id = any($1::uuid[])`,
    [ids],
  )
  expect(rows[0]).toEqual({ n: reports.length, ids: reports.length })
}
/** Plays of the statistics: the servers merge the differences into the hours meanwhile. */
const countedPlays = async (): Promise<number> =>
  (
    await database.query(
      `select coalesce(sum(plays), 0)::int as n from (select plays from ad_play_fresh union all select plays from ad_play_hours) as p`,
    )
  ).rows[0].n

test('AD-10 FAULT plays in overlapping batches of 8 connections are stored once while a process is killed', {
  timeout: 240_000,
}, async () => {
  const reports = plays(REPORTS, 2)
  const before = await countedPlays()
  let accepted = 0
  const client = async (number: number) => {
    // Each client sends all reports to random processes, with its own first report and batch size.
    for (let sent = 0; sent < REPORTS; sent += BATCH) {
      const from = (number * 137 + sent) % REPORTS
      const some = [...reports, ...reports].slice(from, from + BATCH + number)
      const reply = await pollUntil(60_000, 20, async () => {
        const answer = await post(servers[randomInt(2)]!.url, some).catch(() => undefined)
        return answer?.status === 200 ? ((await answer.json()) as Record<string, unknown>) : undefined
      })
      expect(reply).toMatchObject({ rejected: [] })
      accepted += Number(reply!.accepted)
    }
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  for (let round = 0; round < 3; round += 1) {
    await sleep(300 + randomInt(500))
    const victim = round % 2
    servers[victim]!.child.kill('SIGKILL')
    await servers[victim]!.gone
    servers[victim] = await serve(env)
  }
  await clients
  await assertStoredOnce(reports)
  expect((await countedPlays()) - before).toBe(REPORTS)
  // Reports whose responses the kill lost were accepted without the client's knowledge.
  expect(accepted).toBeLessThanOrEqual(REPORTS)
})

test('AD-10 FAULT plays that are reported again to another process after a lost response count as duplicates', async () => {
  const reports = plays(20, 4)
  const lost = httpRequest(`${servers[0]!.url}/device/v1/ad/report`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  lost.on('error', () => {})
  lost.end(JSON.stringify({ sn: 'SCR-1', reports }))
  const isStored = async () => {
    const { rowCount } = await database.query('select from ad_plays where report_id = $1', [reports[0]!.reportId])
    return rowCount === 1 ? true : undefined
  }
  expect(await pollUntil(10_000, 1, isStored)).toBe(true)
  lost.destroy()
  const before = await countedPlays()
  const again = await post(servers[1]!.url, reports)
  expect(await again.json()).toEqual({ accepted: 0, duplicate: 20, rejected: [] })
  expect(await countedPlays()).toBe(before)
  await assertStoredOnce(reports)
})
