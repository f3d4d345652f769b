import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { CredentialAttempts, isAccountLocked, recordFailure, readLockState, unlockAccount } from '#core/auth/lockout.ts'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { ApiError } from '#core/http/api-error.ts'
import { accounts, challenges } from '#core/schema/account.ts'
import { useApp } from '#test/harness.ts'
import { buildLockedFilter } from './account-roles.ts'

const strict = useApp({
  OMS_LOGIN_LOCK_AFTER: '1',
  OMS_LOGIN_CAPTCHA_AFTER: '0',
  OMS_LOGIN_LOCK_MINUTES: '1',
  OMS_RATE_LOGIN: '100000',
})
const second = useApp({ OMS_LOGIN_LOCK_AFTER: '2', OMS_LOGIN_CAPTCHA_AFTER: '1', OMS_RATE_LOGIN: '100000' })
type App = typeof strict

const PASSWORD = 'Right-pass-1'
const OPEN = { waitSeconds: 0, isLocked: false }
const guess = (account: string) => ({ account, ip: '10.1.1.1' })
const limits = (lockAfter: number) => ({ captchaAfter: 3, lockAfter, lockMinutes: 1 })

async function person(app: App, account: string) {
  const passwordHash = await app.services.passwords.hash(computeMd5Hex(PASSWORD))
  await app.db.insert(accounts).values({ account, realname: account, tenantId: 1, passwordHash })
}
const login = (app: App, account: string, password: string, more = {}) =>
  app.stranger().call('POST', '/api/v1/account/login', { account, pswdMd5: computeMd5Hex(password), ...more })

/** Requests a captcha and stores a known answer, because the database keeps only the hash. */
async function picture(app: App) {
  const { data } = await app.stranger().call('GET', '/api/v1/account/captcha')
  const answerHash = createHash('sha256').update('abcd').digest()
  await app.db.update(challenges).set({ answerHash }).where(eq(challenges.id, data.captchaId))
  return { captchaId: data.captchaId as string, captcha: 'ABCD' }
}
const listedAsLocked = async (app: App, account: string) =>
  (await app.db.$count(accounts, and(eq(accounts.account, account), buildLockedFilter(1)))) === 1
/** Moves the lock-out into the past so that the lock-out ends. */
const later = (app: App) =>
  app.db.execute(sql`update login_failures set
  last_time = last_time - interval '2 minutes', lock_until = lock_until - interval '2 minutes'`)

describe('lock-out after one failure', () => {
  test('an account is locked at the first wrong password and again after the lock-out ends, and lists show the lock', async () => {
    await person(strict, 'one.try')
    expect(await login(strict, 'one.try', PASSWORD)).toMatchObject({ msg: '请输入图形验证码', data: { captcha: true } })
    const wrong = () => picture(strict).then((answer) => login(strict, 'one.try', 'wrong', answer))
    for (let round = 0; round < 2; round += 1) {
      const { msg, data } = await wrong()
      expect(msg).toMatch(/^登录失败次数过多，已锁定1分钟，请(1分钟|\d+秒)后再试$/)
      expect(data).toEqual({ captcha: true, retryAfter: expect.any(Number) })
      const right = await login(strict, 'one.try', PASSWORD, await picture(strict))
      expect(right.msg).toMatch(/^登录失败次数过多，已锁定1分钟/)
      expect(await listedAsLocked(strict, 'one.try')).toBe(true)
      await later(strict)
      expect(await listedAsLocked(strict, 'one.try')).toBe(false)
    }
    expect((await login(strict, 'one.try', PASSWORD, await picture(strict))).code).toBe(200)
  })

  test('an administrator can end a lock-out by unlocking the account', async () => {
    await recordFailure(strict.db, guess('Freed'), limits(1))
    const locked = async () =>
      (await strict.db.execute<{ locked: boolean }>(sql`select ${isAccountLocked('FREED')} as locked`)).rows[0]?.locked
    expect(await locked()).toBe(true)
    await unlockAccount(strict.db, 'freed')
    expect(await locked()).toBe(false)
    expect(await readLockState(strict.db, guess('Freed'))).toEqual({ ...OPEN, failures: 0 })
  })
})

describe('each limit applies at the configured failure', () => {
  test('login requires a captcha after the first failure and locks the account after the second', async () => {
    await person(second, 'two.tries')
    expect(await login(second, 'two.tries', 'wrong')).toMatchObject({ msg: '账号或密码错误', data: { captcha: true } })
    expect(await login(second, 'two.tries', 'wrong')).toMatchObject({ msg: '请输入图形验证码' })
    const answer = await login(second, 'two.tries', 'wrong', await picture(second))
    expect(answer.msg).toContain('已锁定10分钟')
  })

  test.each([1, 2, 3, 4, 5])(
    'an account is locked after %i failures when the limit is set to this number',
    async (lockAfter) => {
      const who = guess(`after${lockAfter}`)
      for (let n = 1; n < lockAfter; n += 1) {
        expect(await recordFailure(strict.db, who, limits(lockAfter))).toMatchObject({ failures: n, isLocked: false })
        expect((await readLockState(strict.db, who)).isLocked).toBe(false)
      }
      const last = await recordFailure(strict.db, who, limits(lockAfter))
      expect(last).toMatchObject({ failures: lockAfter, isLocked: true })
      expect(last.waitSeconds).toBeGreaterThan(55)
      expect((await readLockState(strict.db, who)).isLocked).toBe(true)
    },
  )

  test('an account in the short delay after a failure does not count as locked', async () => {
    for (let n = 0; n < 4; n += 1) await recordFailure(strict.db, guess('slow'), limits(9))
    const { waitSeconds, isLocked } = await readLockState(strict.db, guess('slow'))
    expect({ waits: waitSeconds > 0, isLocked }).toEqual({ waits: true, isLocked: false })
  })
})

describe('simultaneous attempts', () => {
  const normal = useApp({ OMS_RATE_LOGIN: '100000', OMS_LOGIN_CAPTCHA_AFTER: '100' })
  // The delay after the third failure lasts one second. On a busy machine, the waiting attempts take longer and would
  // verify the password again, as they should. The trigger makes each delay an hour longer than any test.
  beforeAll(async () => {
    await normal.db.execute(sql`create function lengthen_delay() returns trigger language plpgsql as
      $$begin new.lock_until := new.lock_until + interval '1 hour'; return new; end$$`)
    await normal.db.execute(sql`create trigger lengthen_delay before insert or update on login_failures
      for each row when (new.key like 'p:%') execute function lengthen_delay()`)
  })

  test('ten simultaneous attempts, of which only the last has the right password, all fail', async () => {
    await person(normal, 'at.once')
    const words = [...Array.from({ length: 9 }, (_, at) => `wrong${at}`), PASSWORD]
    const answers = await Promise.all(words.map((word) => login(normal, 'at.once', word)))
    expect(answers.filter(({ code }) => code === 200)).toEqual([])
    const { rows } = await normal.db.execute<{ count: number }>(
      sql`select count from login_failures where key like 'p:at.once|%'`,
    )
    // The third failure delays further attempts: simultaneous attempts are refused before the password is hashed.
    expect(rows).toEqual([{ count: 3 }])
  })

  test('of sixty simultaneous attempts in two processes, only those before the delay verify the password', async () => {
    const { db } = normal
    const processes = [
      new CredentialAttempts(normal.services.database),
      new CredentialAttempts(normal.services.database),
    ] as const
    let looked = 0
    let atOnce = 0
    const attempt = async () => {
      if ((await readLockState(db, guess('sixty'))).waitSeconds > 0) return
      looked += 1
      atOnce += 1
      await new Promise((done) => setTimeout(done, 20))
      expect(atOnce).toBe(1)
      atOnce -= 1
      await recordFailure(db, guess('sixty'), limits(5))
    }
    const run = (at: number) =>
      processes[at % 2 ? 0 : 1].run('Sixty', attempt).catch((error: unknown) => {
        // On a slow machine, an attempt waits too long for its turn and is refused without verifying the password.
        if (!(error instanceof ApiError)) throw error
      })
    await Promise.all(Array.from({ length: 60 }, (_, at) => run(at)))
    expect(looked).toBe(3)
  })

  test('twenty simultaneous logins with the correct password create twenty sessions', async () => {
    await person(normal, 'many.clients')
    const answers = await Promise.all(Array.from({ length: 20 }, () => login(normal, 'many.clients', PASSWORD)))
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 200))
  })

  test('successful logins reduce the failure count of an IP address', async () => {
    await person(normal, 'office.one')
    await person(normal, 'office.two')
    const count = async () =>
      (await normal.db.execute<{ count: number }>(sql`select count from login_failures where key = 'i:127.0.0.1'`))
        .rows[0]?.count ?? 0
    const before = await count()
    for (const word of ['typo', 'typo2']) await login(normal, 'office.one', word)
    expect(await count()).toBe(before + 2)
    await login(normal, 'office.one', PASSWORD)
    expect(await count()).toBe(before)
    await login(normal, 'office.two', PASSWORD)
    expect(await count()).toBe(Math.max(0, before - 1))
  })
})
