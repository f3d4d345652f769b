import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { RateLimit } from '../../src/kernel/rate.ts'
import { lockedAccount, recordFailure, standingOf } from '../../src/kernel/lockout.ts'
import { useApp } from '../harness.ts'

/** What a clock that ran 400 days ahead left behind, seen after it was set right again; and the other way round. */
const app = useApp()
const LIMITS = { captchaAfter: 3, lockAfter: 5, lockMinutes: 10 }
const AHEAD = sql.raw(`interval '400 days'`)

test('FAULT a session opened while the clock ran ahead ends, one of a clock that was behind has ended', async () => {
  const mine = async () => {
    const who = await app.as()
    expect((await who.call('GET', `/api/v1/account/detail/${who.uid}`)).code).toBe(200)
    return { who, move: (by: typeof AHEAD) => shift(who.uid, by) }
  }
  const shift = async (uid: number, by: typeof AHEAD) => {
    await app.db.execute(sql`update sessions set login_time = login_time + ${by}, expire_time = expire_time + ${by},
      last_active_time = last_active_time + ${by} where uid = ${uid}`)
    app.kernel.sessions.forgetAll()
  }
  const ahead = await mine()
  await ahead.move(AHEAD)
  expect((await ahead.who.call('GET', `/api/v1/account/detail/${ahead.who.uid}`)).code).toBe(401)
  const behind = await mine()
  await behind.move(sql.raw(`- interval '400 days'`) as typeof AHEAD)
  expect((await behind.who.call('GET', `/api/v1/account/detail/${behind.who.uid}`)).code).toBe(401)
  const now = await mine()
  expect((await now.who.call('GET', `/api/v1/account/detail/${now.who.uid}`)).code).toBe(200)
})

test('FAULT a lock set while the clock ran ahead does not last until that day', async () => {
  const guess = { account: 'ahead', ip: '10.0.0.1' }
  for (let n = 0; n < LIMITS.lockAfter; n += 1) await recordFailure(app.db, guess, LIMITS)
  expect((await standingOf(app.db, guess)).waitSeconds).toBeGreaterThan(500)
  await app.db.execute(
    sql`update login_failures set last_time = last_time + ${AHEAD}, lock_until = lock_until + ${AHEAD}`,
  )
  expect(await standingOf(app.db, guess)).toEqual({ waitSeconds: 0, failures: 0, isLocked: false })
  const { rows } = await app.db.execute(sql`select ${lockedAccount('ahead')} as locked`)
  expect(rows).toEqual([{ locked: false }])
  expect(await recordFailure(app.db, guess, LIMITS)).toEqual({ failures: 1, waitSeconds: 0, isLocked: false })
})

test('a failure long after the others is the first again, and locks nobody', async () => {
  const guess = { account: 'seldom', ip: '10.0.0.2' }
  for (let n = 0; n < LIMITS.lockAfter - 1; n += 1) await recordFailure(app.db, guess, LIMITS)
  await app.db.execute(sql`update login_failures set last_time = now() - interval '13 hours', lock_until = null`)
  expect(await recordFailure(app.db, guess, LIMITS)).toEqual({ failures: 1, waitSeconds: 0, isLocked: false })
})

test('FAULT jobs written while the clock ran ahead run now, and regular ones are put in line again', async () => {
  const seen: unknown[] = []
  app.kernel.jobs.register('clock-once', async ({ payload }) => void seen.push(payload))
  app.kernel.jobs.register('clock-daily', async () => void seen.push('daily'), { everyMs: 86_400_000 })
  await app.db.execute(sql`insert into jobs (kind, payload, run_after, create_time, state, heartbeat, finish_time) values
    ('clock-once', '"waited"', now() + ${AHEAD}, now() + ${AHEAD}, 'waiting', null, null),
    ('clock-once', '"lost its process"', now() + ${AHEAD}, now() + ${AHEAD}, 'running', now() + ${AHEAD}, null),
    ('clock-once', '"for later"', now() + interval '1 hour', now(), 'waiting', null, null),
    ('clock-daily', '{}', now() + ${AHEAD}, now() + ${AHEAD}, 'done', null, now() + ${AHEAD})`)
  app.kernel.jobs.start()
  await expect.poll(() => [...seen].sort(), { timeout: 20_000 }).toEqual(['daily', 'lost its process', 'waited'])
})

test('FAULT set back while it runs, the clock locks nobody out by his own rate', () => {
  // The default clock counts from the start of the process, whatever the wall's clock is set to.
  const limit = new RateLimit()
  const set = Date.now
  try {
    limit.take('one', 10)
    Date.now = () => set() - 400 * 86_400_000
    for (let n = 0; n < 9; n += 1) limit.take('one', 10)
    expect(() => limit.take('one', 10)).toThrow(expect.objectContaining({ retryAfter: 6 }))
  } finally {
    Date.now = set
  }
})
