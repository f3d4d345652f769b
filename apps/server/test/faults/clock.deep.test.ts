import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { RateLimit } from '#core/http/limits/call-limits.ts'
import { isAccountLocked, recordFailure, readLockState } from '#core/auth/lockout.ts'
import { useApp } from '#test/harness.ts'

/** State left by a clock that was 400 days fast or slow, checked after the clock was corrected. */
const app = useApp()
const LIMITS = { captchaAfter: 3, lockAfter: 5, lockMinutes: 10 }
const AHEAD = sql.raw(`interval '400 days'`)

test('FAULT a session expires although the clock was wrong when the session was created', async () => {
  const mine = async () => {
    const who = await app.as()
    expect((await who.call('GET', `/api/v1/account/detail/${who.uid}`)).code).toBe(200)
    return { who, move: (by: typeof AHEAD) => shift(who.uid, by) }
  }
  const shift = async (uid: number, by: typeof AHEAD) => {
    await app.db.execute(sql`update sessions set login_time = login_time + ${by}, expire_time = expire_time + ${by},
      last_active_time = last_active_time + ${by} where uid = ${uid}`)
    app.services.sessions.forgetAll()
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

test('FAULT a lock-out that was created while the clock was fast ends after its normal time', async () => {
  const guess = { account: 'ahead', ip: '10.0.0.1' }
  for (let n = 0; n < LIMITS.lockAfter; n += 1) await recordFailure(app.db, guess, LIMITS)
  expect((await readLockState(app.db, guess)).waitSeconds).toBeGreaterThan(500)
  await app.db.execute(
    sql`update login_failures set last_time = last_time + ${AHEAD}, lock_until = lock_until + ${AHEAD}`,
  )
  expect(await readLockState(app.db, guess)).toEqual({ waitSeconds: 0, failures: 0, isLocked: false })
  const { rows } = await app.db.execute(sql`select ${isAccountLocked('ahead')} as locked`)
  expect(rows).toEqual([{ locked: false }])
  expect(await recordFailure(app.db, guess, LIMITS)).toEqual({ failures: 1, waitSeconds: 0, isLocked: false })
})

test('a failed login long after earlier failures restarts the failure count and locks no account', async () => {
  const guess = { account: 'seldom', ip: '10.0.0.2' }
  for (let n = 0; n < LIMITS.lockAfter - 1; n += 1) await recordFailure(app.db, guess, LIMITS)
  await app.db.execute(sql`update login_failures set last_time = now() - interval '13 hours', lock_until = null`)
  expect(await recordFailure(app.db, guess, LIMITS)).toEqual({ failures: 1, waitSeconds: 0, isLocked: false })
})

test('FAULT jobs that were added while the clock was fast run now, and scheduled jobs continue', {
  timeout: 90_000,
}, async () => {
  const seen: unknown[] = []
  const { jobs } = app.services
  jobs.register('clock-once', async ({ payload }) => void seen.push(payload), { retryDelaySeconds: 1 })
  jobs.schedule('clock-regular', async () => void seen.push('regular'), { title: '', cron: '* * * * * *' })
  await jobs.add(app.db, { kind: 'clock-once', payload: 'lost its process' })
  await app.db.execute(sql`update jobs set state = 'running' where kind = 'clock-once'`)
  await app.db.execute(sql`update pgboss.job set state = 'active', started_on = now() + ${AHEAD},
    heartbeat_on = now() + ${AHEAD} where name = 'clock-once'`)
  await jobs.add(app.db, { kind: 'clock-once', payload: 'waited' })
  await app.db.execute(sql`update pgboss.job set created_on = now() + ${AHEAD}, start_after = now() + ${AHEAD}
    where name = 'clock-once' and state = 'created'`)
  await app.db.execute(sql`update pgboss.version set cron_on = now() + ${AHEAD}, flow_on = now() + ${AHEAD}`)
  await app.db.execute(sql`update pgboss.queue set monitor_claim_on = now() + ${AHEAD}, maintain_on = now() + ${AHEAD}`)
  void jobs.start()
  await expect
    .poll(() => [...new Set(seen)].sort(), { timeout: 80_000 })
    .toEqual(['lost its process', 'regular', 'waited'])
})

test('FAULT the rate limit does not block callers after the system time was set back', () => {
  // The default clock counts from the start of the process, independent of the system time.
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
