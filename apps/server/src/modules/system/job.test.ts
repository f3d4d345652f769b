import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'

const server = useApp()
const URL = '/api/v1/account/job'
let me: Caller
let other: Caller
beforeAll(async () => {
  me = await server.as()
  other = await server.by({ tenant: '任务客户' })
})
const add = (who: Caller, kind: string, uniqueKey?: string) =>
  server.services.jobs.add(server.db, {
    kind,
    title: `任务${kind}`,
    uid: who.uid,
    tenantId: 1,
    ...(uniqueKey && { uniqueKey }),
  })
const idOf = async (who: Caller, kind: string) => (await add(who, kind)) as number

describe('JOB-01 own jobs', () => {
  test('the job list contains only jobs of the caller, newest first, and filters by state', async () => {
    const ids = [await idOf(me, 'a'), await idOf(me, 'a'), await idOf(me, 'a')]
    const { data } = await me.call('GET', `${URL}?pageSize=2`)
    expect(data.total).toBe(3)
    expect(data.list.map(({ jobId }: { jobId: number }) => jobId)).toEqual([ids[2], ids[1]])
    expect(data.list[0]).toMatchObject({
      title: '任务a',
      state: 'waiting',
      percent: 0,
      file: null,
      report: null,
      rows: null,
    })
    expect((await me.call('GET', `${URL}?state=done`)).data.total).toBe(0)
    expect((await me.call('GET', `${URL}?state=x`)).code).toBe(400)
    for (const call of [
      await other.call('GET', `${URL}/${ids[0]}`),
      await other.call('POST', `${URL}/cancel/${ids[0]}`),
      await other.call('GET', `${URL}/999999`),
    ])
      expect(call).toMatchObject({ code: 400, msg: '任务不存在或已被删除' })
    expect((await other.call('GET', URL)).data.total).toBe(0)
    expect((await me.call('GET', `${URL}/${ids[0]}`)).data.state).toBe('waiting')
  })

  test('a tenant can cancel its own job under row-level security', async () => {
    const jobId = (await server.services.jobs.add(server.db, {
      kind: 'b',
      uid: other.uid,
      tenantId: await tenantOf(other),
    })) as number
    expect(await other.call('POST', `${URL}/cancel/${jobId}`)).toMatchObject({ code: 200, msg: '任务已取消' })
    expect((await other.call('GET', `${URL}/${jobId}`)).data).toMatchObject({ state: 'cancelled' })
    expect((await other.call('GET', `${URL}/${jobId}`)).data.finishTime).toMatch(/^\d{4}-\d\d-\d\d \d\d:/)
  })
})

const tenantOf = async ({ uid }: Caller) => {
  const { rows } = await server.db.execute<{ id: number }>(sql`select tenant_id as id from accounts where uid = ${uid}`)
  return rows[0]?.id as number
}

describe('JOB-02 running jobs', () => {
  test('a waiting job that is cancelled never runs, and its unique key becomes free', async () => {
    const work = vi.fn<() => Promise<null>>(async () => null)
    server.services.jobs.register('c', work)
    const jobId = (await add(me, 'c', 'one')) as number
    expect(await add(me, 'c', 'one')).toBeUndefined()
    await me.call('POST', `${URL}/cancel/${jobId}`)
    await server.services.jobs.drain()
    expect(work).not.toHaveBeenCalled()
    expect(await add(me, 'c', 'one')).toBeGreaterThan(jobId)
    await server.services.jobs.drain()
    expect(work).toHaveBeenCalledOnce()
  })

  test('a running job receives the cancellation through its abort signal, and its result is discarded', async () => {
    const jobId = await idOf(me, 'd')
    server.services.jobs.register('d', async (_job, progress, signal) => {
      await progress(30)
      await me.call('POST', `${URL}/cancel/${jobId}`)
      await vi.waitFor(() => expect(signal.aborted).toBe(true))
      await expect(progress(60)).rejects.toThrow('cancelled')
      return { rows: 1 }
    })
    await server.services.jobs.drain()
    expect((await me.call('GET', `${URL}/${jobId}`)).data).toMatchObject({
      state: 'cancelled',
      percent: 30,
      rows: null,
    })
  })

  test('ERR-05 a failed job shows no text of an internal error', async () => {
    server.services.jobs.register('e', async () => {
      throw new Error('relation "secret" does not exist')
    })
    const jobId = await idOf(me, 'e')
    await server.services.jobs.drain()
    expect((await me.call('GET', `${URL}/${jobId}`)).data).toMatchObject({
      state: 'failed',
      error: '服务器出错，请稍后重试',
    })
  })
})

test('a failed scheduled job is visible only to staff of all tenants who may read the operation log', async () => {
  await server.db.execute(sql`insert into jobs (kind, title, state, error, finish_time)
    values ('stages', '发布阶段评判', 'failed', 'no such table', now())`)
  const operator = await server.as('system:operLog:list')
  const { data } = await operator.call('GET', `${URL}?state=failed`)
  expect(data.list).toMatchObject([{ title: '发布阶段评判', state: 'failed', error: 'no such table' }])
  expect((await operator.call('GET', `${URL}/${data.list[0].jobId}`)).data.title).toBe('发布阶段评判')
  const tenantReader = await server.by({ tenant: '任务客户', permissions: ['system:operLog:list'] })
  const limited = await server.by({ permissions: ['system:operLog:list'], dataScope: 3, scopeIds: [] })
  for (const who of [await server.as(), tenantReader, limited])
    expect((await who.call('GET', `${URL}?state=failed`)).data.total).toBe(0)
})
