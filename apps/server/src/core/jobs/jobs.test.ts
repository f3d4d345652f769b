import { sql } from 'drizzle-orm'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { QUEUE_SCHEMA, QUEUE_VERSION } from '#core/database/migrate.ts'
import { Events } from '#core/events/events.ts'
import { useApp } from '#test/harness.ts'
import { Jobs } from './jobs.ts'
import type { Job } from './types.ts'

const server = useApp()
const rowOf = async (jobId: number) => {
  const { rows } = await server.db.execute<{ state: string; error: string; attempts: number }>(
    sql`select state, error, attempts from jobs where job_id = ${jobId}`,
  )
  return rows[0]
}
const addTo = async (kind: string, payload: unknown = {}, owner = { uid: 1, tenantId: 1 }) =>
  (await server.services.jobs.add(server.db, { kind, title: kind, ...owner, payload })) as number
const until = (check: () => unknown, timeout = 30_000) => vi.waitFor(check, { timeout, interval: 50 })

test('the queue schema version in OMS equals the schema version of the pg-boss library', async () => {
  const boss = new PgBoss({ db: { executeSql: (text, values) => server.services.database.pool.query(text, values) } })
  expect(await boss.schemaVersion()).toBe(QUEUE_VERSION)
  await boss.start()
  expect(await boss.schemaVersion()).toBe(QUEUE_VERSION)
  await boss.stop()
})

describe('running processes', () => {
  let release: () => void = () => {}
  const starts: number[] = []
  /** Functions that end the running long jobs of the kind `fair`. */
  const endFair: (() => void)[] = []
  const hung = vi.fn<() => Promise<never>>(() => new Promise<never>(() => {}))
  const flaky = vi.fn<() => Promise<{ rows: number }>>(async () => {
    if (flaky.mock.calls.length === 1) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' })
    return { rows: 1 }
  })
  let second: Jobs
  let secondEvents: Events

  beforeAll(async () => {
    const { jobs, database, events, log } = server.services
    const held = new Promise<void>((done) => (release = done))
    jobs.register('long', () => held, { concurrency: 2 })
    const fair = ({ payload }: Job) =>
      payload === 'quick' ? Promise.resolve() : new Promise<void>((done) => void endFair.push(done))
    jobs.register('fair', fair, { concurrency: 2, maxPerTenant: 1 })
    jobs.register('pair', fair, { concurrency: 3, maxPerTenant: 2 })
    jobs.register('hung', hung, { timeLimitSeconds: 2 })
    jobs.register('flaky', flaky, { retryDelaySeconds: 1 })
    jobs.register('quick', async () => null)
    const refuse = () => Promise.reject(Object.assign(new Error('lock timeout'), { code: '55P03' }))
    jobs.register('locked', refuse, { retries: 1, retryDelaySeconds: 1 })
    const everyTenSeconds = Array.from({ length: 6 }, (_, at) => `${at * 10} * * * * *`)
    const short = async () => void starts.push(Date.now())
    jobs.schedule('short', short, { title: '短任务', cron: everyTenSeconds })
    jobs.schedule('broken', () => Promise.reject(new Error('no such table')), {
      title: '坏任务',
      cron: everyTenSeconds,
      retries: 0,
    })
    // Each process has its own connection for the notifications that wake its workers.
    secondEvents = new Events(database, log)
    second = new Jobs(database, secondEvents, log, 'UTC')
    second.register('quick', async () => null)
    second.schedule('short', short, { title: '短任务', cron: everyTenSeconds })
    await Promise.all([events.start(), secondEvents.start()])
    await jobs.start()
    await second.start({ ownsSchedules: false })
  })
  afterAll(async () => {
    release()
    await second.close()
    await secondEvents.close()
  })

  test('a long job of a tenant or a platform account leaves a worker for other tenants and accounts', {
    timeout: 150_000,
  }, async () => {
    for (const [busy, other] of [
      [
        { uid: 1, tenantId: 7 },
        { uid: 1, tenantId: 8 },
      ],
      [
        { uid: 1, tenantId: 1 },
        { uid: 2, tenantId: 1 },
      ],
    ] as const) {
      const first = await addTo('fair', 'long', busy)
      await until(() => expect(endFair).toHaveLength(1))
      const second = await addTo('fair', 'long', busy)
      const next = await addTo('fair', 'quick', other)
      await until(async () => expect((await rowOf(next))?.state).toBe('done'))
      expect([(await rowOf(first))?.state, (await rowOf(second))?.state]).toEqual(['running', 'waiting'])
      endFair.pop()?.()
      await until(() => expect(endFair).toHaveLength(1))
      endFair.pop()?.()
      for (const jobId of [first, second]) await until(async () => expect((await rowOf(jobId))?.state).toBe('done'))
    }
  })

  test('a tenant runs jobs in parallel up to its limit, so that one worker stays free for other tenants', {
    timeout: 60_000,
  }, async () => {
    const [busy, other] = [
      { uid: 1, tenantId: 7 },
      { uid: 1, tenantId: 8 },
    ]
    const first = await addTo('pair', 'long', busy)
    await until(() => expect(endFair).toHaveLength(1))
    const short = await addTo('pair', 'quick', busy)
    await until(async () => expect((await rowOf(short))?.state).toBe('done'))
    const second = await addTo('pair', 'long', busy)
    await until(() => expect(endFair).toHaveLength(2))
    const third = await addTo('pair', 'quick', busy)
    const next = await addTo('pair', 'quick', other)
    await until(async () => expect((await rowOf(next))?.state).toBe('done'))
    expect((await rowOf(third))?.state).toBe('waiting')
    for (const end of endFair.splice(0)) end()
    for (const jobId of [first, second, third])
      await until(async () => expect((await rowOf(jobId))?.state).toBe('done'))
  })

  test('a short scheduled job starts within 5 s while two long jobs run, and runs once across all processes', {
    timeout: 60_000,
  }, async () => {
    const long = [await addTo('long'), await addTo('long')]
    await until(async () => {
      for (const jobId of long) expect((await rowOf(jobId))?.state).toBe('running')
    })
    // The first run after the start of the processes may be late.
    await until(() => expect(starts.length).toBeGreaterThan(0))
    starts.length = 0
    await until(() => expect(starts.length).toBeGreaterThanOrEqual(3), 45_000)
    for (const start of starts) expect(start % 10_000).toBeLessThan(5000)
    for (const jobId of long) expect((await rowOf(jobId))?.state).toBe('running')
    // Two processes run the scheduler, and each scheduled time still has one run.
    expect(new Set(starts.map((start) => Math.floor(start / 10_000))).size).toBe(starts.length)
  })

  test('a job that exceeds its time limit fails, and the queue continues', { timeout: 30_000 }, async () => {
    const [first, next] = [await addTo('hung'), await addTo('hung')]
    await until(async () => expect((await rowOf(first))?.state).toBe('failed'))
    expect(await rowOf(first)).toMatchObject({ state: 'failed', error: '任务超过 2 秒的时间限制，已停止', attempts: 1 })
    await until(async () => expect((await rowOf(next))?.state).toBe('failed'))
  })

  test('a job with a transient failure is retried after its delay, and not only at the next poll of the queue', {
    timeout: 30_000,
  }, async () => {
    const jobId = await addTo('flaky')
    await until(async () => expect(await rowOf(jobId)).toMatchObject({ state: 'done', attempts: 2, error: '' }), 10_000)
  })

  test('a job is retried after a lock timeout; after the last attempt its error reports a simultaneous change', {
    timeout: 100_000,
  }, async () => {
    const jobId = await addTo('locked')
    const error = '数据正被他人修改，请稍后重试'
    await until(async () => expect(await rowOf(jobId)).toMatchObject({ state: 'failed', attempts: 2, error }), 90_000)
  })

  test('the failures of a scheduled job are stored in one row per day with the error', {
    timeout: 40_000,
  }, async () => {
    const failures = async () => {
      const { rows } = await server.db.execute(sql`select title, error, attempts from jobs where kind = 'broken'`)
      return rows
    }
    await until(
      async () => expect((await failures())[0]).toMatchObject({ attempts: expect.toSatisfy((n: number) => n >= 2) }),
      35_000,
    )
    expect(await failures()).toMatchObject([{ title: '坏任务', error: 'no such table' }])
  })

  test('the queue depth counts waiting and running jobs by kind', async () => {
    const depths = await server.services.jobs.depths()
    expect(depths).toContainEqual({ kind: 'long', state: 'running', count: 2, age: expect.any(Number) })
  })
})

describe('lost jobs', () => {
  const seen: unknown[] = []
  beforeAll(() => server.services.jobs.register('restored', async ({ payload }) => void seen.push(payload)))

  test('a job row that is missing in the queue, as after a restore, is queued again', async () => {
    const jobId = await addTo('restored', 'from backup')
    await server.db.execute(sql.raw(`delete from ${QUEUE_SCHEMA}.job where name = 'restored'`))
    await server.services.jobs.drain()
    expect(seen).toEqual(['from backup'])
    expect((await rowOf(jobId))?.state).toBe('done')
  })

  test('a job whose processes died repeatedly fails', async () => {
    const jobId = await addTo('restored')
    await server.db.execute(
      sql.raw(`update ${QUEUE_SCHEMA}.job set state = 'failed' where name = 'restored'
      and state = 'created'`),
    )
    await server.services.jobs.drain()
    expect(await rowOf(jobId)).toMatchObject({ state: 'failed', error: '任务多次中断，未能完成' })
  })

  test('a request that is rolled back adds no job', async () => {
    const rollBack = server.db.transaction(async (db) => {
      await server.services.jobs.add(db, { kind: 'restored', payload: 'rolled back' })
      throw new Error('rolled back')
    })
    await expect(rollBack).rejects.toThrow('rolled back')
    await server.services.jobs.drain()
    expect(seen).not.toContain('rolled back')
  })
})
