import { JOB_STATE } from '@oms/contract/system/job.ts'
import { DIRECT_EXPORT_ROWS, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { accountRoles } from '#core/schema/account.ts'
import { files } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { registerExports } from './export-job.ts'
import { openTable } from '#core/spreadsheet/table-reader.ts'

const server = useApp()
const RIGHTS = ['system:operLog:list', 'system:operLog:export']
const URL = '/api/v1/sys/operlog/export'
const MANY = DIRECT_EXPORT_ROWS + 501
const FEW = 1200

/**
 * Inserts log rows with a unique title, in steps that a busy machine finds time for within the limit of a statement. Some
 * rows share one moment, some contain hostile texts.
 */
async function insertLogs(title: string, count: number, tenantId = 1) {
  const step = 5000
  for (let first = 1; first <= count; first += step)
    await server.db.execute(sql`insert into oper_logs (oper_time, tenant_id, uid, oper_name, title, request_method, oper_url, oper_ip, action)
      select now() - make_interval(secs => (n / 3)), ${tenantId}, 1, 'tester', ${title}, 'POST', '/x', '10.0.0.1',
        case n % 4 when 0 then '=1+1' when 1 then 'a,"b"' else '第' || n || '行' end
      from generate_series(${first}::int, ${Math.min(count, first + step - 1)}::int) n`)
}

/** Returns all lines of an export as the import would read them, the header first. */
async function tableOf(body: Uint8Array, name: string) {
  const { header, rows } = await openTable(body, name, { maxRows: 2_000_000, maxUnpackedBytes: 1e9 })
  const lines: (readonly string[])[] = []
  for await (const { cells } of rows) lines.push(cells.slice(0, header.length))
  return { header, lines }
}
const exported = async (who: Caller, query: string) => {
  const reply = await who.inject({ method: 'GET', url: `${URL}?${query}` })
  const format = query.includes('format=csv') ? 'csv' : 'xlsx'
  return { reply, ...(await tableOf(reply.rawPayload, `a.${format}`)) }
}

beforeAll(() => registerExports(server.services))

describe('up to 100,000 rows', () => {
  let me: Caller
  beforeAll(async () => {
    me = await server.as(...RIGHTS)
    await insertLogs('直接导出', 1234)
  })

  test.each(['xlsx', 'csv'])(
    'EXPORT-01 an export as %s contains the rows of the list in list order',
    async (format) => {
      const listed: string[] = []
      for (let page = 1; page <= 13; page++) {
        const { data } = await me.call(
          'GET',
          `/api/v1/sys/operlog/page?title=直接导出&isAsc=asc&orderByColumn=operTime&pageSize=100&pageNum=${page}`,
        )
        listed.push(...data.list.map((row: { operTime: string; action: string }) => `${row.operTime} ${row.action}`))
      }
      const columns = 'columns=operTime&columns=action'
      const { header, lines } = await exported(
        me,
        `format=${format}&title=直接导出&isAsc=asc&orderByColumn=operTime&${columns}`,
      )
      expect(header).toEqual(['操作时间', '内容'])
      expect(lines.map((line) => line.join(' '))).toEqual(listed)
      expect(lines).toHaveLength(1234)
    },
  )

  test('an export contains the requested columns in the requested order, and refuses unknown columns', async () => {
    const { header } = await exported(
      me,
      'format=csv&title=直接导出&columns=status&columns=nope&columns=operName&columns=status',
    )
    expect(header).toEqual(['结果', '操作账号'])
    const refused = await me.call('GET', `${URL}?columns=nope`)
    expect(refused).toMatchObject({ code: 400, msg: '导出列不正确', data: { field: 'columns' } })
  })

  test('SEC-10 no cell of a CSV export runs as a formula, and codes are replaced by labels', async () => {
    const reply = await me.inject({
      method: 'GET',
      url: `${URL}?format=csv&title=直接导出&columns=action&columns=status`,
    })
    const lines = reply.body.split('\r\n')
    expect(lines).toContain("'=1+1,成功")
    expect(lines.filter((line) => line.startsWith('='))).toEqual([])
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })

  test('LOG-03 an export writes an operation-log row with its filter', async () => {
    await exported(me, 'format=csv&title=直接导出')
    const { data } = await me.call('GET', '/api/v1/sys/operlog/page?businessType=5&title=导出操作日志')
    expect(data.list[0]).toMatchObject({ operName: me.account, action: '导出操作日志1234条', bizType: 'operLog' })
  })

  test('TENANT-02 a tenant exports only its own rows', async () => {
    const other = await server.by({ tenant: '导出客户', permissions: RIGHTS })
    const { rows } = await server.db.execute<{ id: number }>(sql`select id from tenants where name = '导出客户'`)
    await insertLogs('客户日志', 7, rows[0]?.id)
    expect((await exported(other, 'title=客户日志')).lines).toHaveLength(7)
    expect((await exported(other, 'title=直接导出')).lines).toHaveLength(0)
  })

  test('a client that disconnects stops the export query', async () => {
    const address = await server.app.listen({ port: 0, host: '127.0.0.1' })
    await insertLogs('离开', 60_000)
    const before = await transactions()
    const reply = await fetch(`${address}${URL}?title=离开`, { headers: { ticket: me.ticket as string } })
    const reader = (reply.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await reader.cancel()
    await new Promise((done) => setTimeout(done, 500))
    // 60,000 rows are 240 batches with one transaction each.
    expect((await transactions()) - before).toBeLessThan(60)
  })
})

async function transactions() {
  const { rows } = await server.db.execute<{ n: number }>(
    sql`select xact_commit::int as n from pg_stat_database where datname = current_database()`,
  )
  return rows[0]?.n ?? 0
}

describe('more than 100,000 rows', { timeout: 120_000 }, () => {
  let me: Caller
  let colleague: Caller
  beforeAll(async () => {
    me = await server.as(...RIGHTS)
    colleague = await server.as(...RIGHTS)
    await insertLogs('后台导出', MANY)
    await insertLogs('少量', FEW)
  })
  const start = async (who = me, query = 'format=csv') => {
    const answer = await who.call('GET', `${URL}?title=后台导出&${query}`)
    expect(answer).toMatchObject({ code: 200, msg: TRANSFER_MESSAGES.exportLater })
    return answer.data.jobId as number
  }
  /** Lets a waiting job export few rows, for a rule that does not depend on their number. */
  const shorten = (jobId: number) =>
    server.db.execute(
      sql`update jobs set payload = jsonb_set(payload, '{input,title}', '"少量"') where job_id = ${jobId}`,
    )
  const jobOf = async (jobId: number, who = me) => (await who.call('GET', `/api/v1/account/job/${jobId}`)).data
  const clear = () => server.db.execute(sql`delete from jobs`)

  test('EXPORT-02 an export job writes a file with every row and progress, and only its owner can download the file', async () => {
    const told: string[] = []
    const stop = server.services.events.on('job', ({ uid, state, percent }) => {
      if (uid === me.uid) told.push(`${state} ${percent}`)
    })
    const jobId = await start()
    expect(await start()).toBe(jobId)
    expect(await jobOf(jobId)).toMatchObject({ state: 'waiting', title: '导出操作日志', file: null })
    await server.services.jobs.drain()
    const done = await jobOf(jobId)
    expect(done).toMatchObject({ state: 'done', percent: 100, rows: MANY, error: '' })
    await vi.waitFor(() => expect(told.at(-1)).toBe('done 100'))
    stop()
    expect(told[0]).toBe('waiting 0')
    expect(told.filter((line) => line.startsWith('running')).length).toBeGreaterThan(1)

    const url = `/api/v1/file/${done.file.id}`
    const file = await me.inject({ method: 'GET', url })
    expect(file.headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store' })
    expect((await tableOf(file.rawPayload, done.file.name)).lines).toHaveLength(MANY)
    const boss = await server.by({ superAdmin: true })
    for (const other of [colleague, boss, await server.by({ tenant: '导出客户', permissions: RIGHTS })]) {
      expect((await other.inject({ method: 'GET', url })).json()).toMatchObject({ code: 400 })
      expect(await other.call('GET', `/api/v1/account/job/${jobId}`)).toMatchObject({
        code: 400,
        msg: '任务不存在或已被删除',
      })
      expect((await other.call('GET', '/api/v1/account/job')).data.total).toBe(0)
    }
  })

  test('the xlsx file of an export job contains the requested columns', async () => {
    const jobId = await start(me, 'columns=title&columns=operName')
    await shorten(jobId)
    await server.services.jobs.drain()
    const { file } = await jobOf(jobId)
    expect(file.name).toBe(`操作日志-${jobId}.xlsx`)
    const { rawPayload } = await me.inject({ method: 'GET', url: `/api/v1/file/${file.id}` })
    const { header, lines } = await tableOf(rawPayload, file.name)
    expect(header).toEqual(['操作', '操作账号'])
    expect([lines.length, lines.at(-1)]).toEqual([FEW, ['少量', 'tester']])
  })

  test('PERM-08 an export job whose permission was revoked before its start fails with a message', async () => {
    const loser = await server.as(...RIGHTS)
    const jobId = await start(loser)
    await server.db.delete(accountRoles).where(sql`uid = ${loser.uid}`)
    server.services.sessions.forgetAll()
    await server.services.jobs.drain()
    expect(await jobOf(jobId, loser)).toMatchObject({ state: 'failed', error: '您已没有执行该任务的权限', file: null })
  })

  test('PERM-08 revoking the permission or disabling the account stops a running export job', async () => {
    for (const [lose, words] of [
      [(uid: number) => server.db.delete(accountRoles).where(sql`uid = ${uid}`), '您已没有执行该任务的权限'],
      [
        (uid: number) => server.db.execute(sql`update accounts set status = 0 where uid = ${uid}`),
        '账号已停用，请联系管理员',
      ],
    ] as const) {
      const loser = await server.as(...RIGHTS)
      const jobId = await start(loser)
      const stop = server.services.events.on('job', ({ state }) => {
        if (state !== 'running') return
        stop()
        void lose(loser.uid).then(() => server.services.sessions.forgetAll())
      })
      await server.services.jobs.drain()
      const { rows } = await server.db.execute(sql`select state, error from jobs where job_id = ${jobId}`)
      expect(rows[0]).toEqual({ state: 'failed', error: words })
    }
  })

  test('cancelling an export job stops it between two batches and stores no file', async () => {
    const made = () => server.db.$count(files, sql`purpose = 'export'`)
    const before = await made()
    const jobId = await start()
    const stop = server.services.events.on('job', ({ state }) => {
      if (state !== 'running') return
      stop()
      void me.call('POST', `/api/v1/account/job/cancel/${jobId}`)
    })
    await server.services.jobs.drain()
    const job = await jobOf(jobId)
    expect(job).toMatchObject({ state: 'cancelled', file: null, rows: null })
    expect(job.percent).toBeLessThan(98)
    expect(await made()).toBe(before)
    expect(await me.call('POST', `/api/v1/account/job/cancel/${jobId}`)).toMatchObject({
      code: 501,
      msg: '任务已经结束',
    })
  })

  test('an account has at most five open export jobs', async () => {
    await clear()
    for (const operIp of [1, 2, 3, 4, 5])
      await start(
        me,
        `minCost=0&columns=action&columns=${['title', 'operIp', 'status', 'operName', 'costTime'][operIp - 1]}`,
      )
    const sixth = await me.call('GET', `${URL}?title=后台导出&format=csv`)
    expect(sixth).toMatchObject({ code: 501, msg: TRANSFER_MESSAGES.tooManyJobs })
    await start(colleague)
    await clear()
  })

  test('an export job whose process died is restarted, and fails after the third time', async () => {
    const jobId = await start()
    await shorten(jobId)
    // Writes the same state as the queue when heartbeats stop. The library's own tests cover the detection.
    const dead = async (state: 'retry' | 'failed') => {
      await server.db.execute(sql`update jobs set state = 'running', percent = 40 where job_id = ${jobId}`)
      await server.db.execute(sql`update pgboss.job set state = ${state}, started_on = now(), completed_on = null,
        retry_count = 1 where id = (select queue_id from jobs where job_id = ${jobId})`)
    }
    await dead('retry')
    await server.services.jobs.drain()
    expect(await jobOf(jobId)).toMatchObject({ state: 'done', rows: FEW })
    await dead('failed')
    await server.services.jobs.drain()
    expect(await jobOf(jobId)).toMatchObject({ state: 'failed', error: '任务多次中断，未能完成' })
    expect(Object.keys(JOB_STATE)).toContain('failed')
  })

  test('a process cannot finish an export job that another process has taken over', async () => {
    const jobId = await start()
    const stop = server.services.events.on('job', ({ state }) => {
      if (state !== 'running') return
      stop()
      void server.db.execute(sql`update jobs set attempts = attempts + 1 where job_id = ${jobId}`).then()
    })
    await server.services.jobs.drain()
    expect(await jobOf(jobId)).toMatchObject({ state: 'running', file: null })
    await clear()
  })
})
