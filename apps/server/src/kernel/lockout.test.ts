import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { accounts, challenges } from '#db/schema/account.ts'
import { useApp } from '#test/harness.ts'
import { lockedIs } from './accounts/lock-filter.ts'
import { lockedAccount, recordFailure, standingOf, unlock } from './lockout.ts'
import { md5Hex } from './passwords.ts'

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
  const passwordHash = await app.kernel.passwords.hash(md5Hex(PASSWORD))
  await app.db.insert(accounts).values({ account, realname: account, tenantId: 1, passwordHash })
}
const login = (app: App, account: string, password: string, more = {}) =>
  app.stranger().call('POST', '/api/v1/account/login', { account, pswdMd5: md5Hex(password), ...more })

/** A captcha whose answer is known: only its hash is stored, so the test stores one of its own. */
async function picture(app: App) {
  const { data } = await app.stranger().call('GET', '/api/v1/account/captcha')
  const answerHash = createHash('sha256').update('abcd').digest()
  await app.db.update(challenges).set({ answerHash }).where(eq(challenges.id, data.captchaId))
  return { captchaId: data.captchaId as string, captcha: 'ABCD' }
}
const listedAsLocked = async (app: App, account: string) =>
  (await app.db.$count(accounts, and(eq(accounts.account, account), lockedIs(1)))) === 1
/** Lets the lock run out. */
const later = (app: App) =>
  app.db.execute(sql`update login_failures set
  last_time = last_time - interval '2 minutes', lock_until = lock_until - interval '2 minutes'`)

describe('a lock after one failure', () => {
  test('locks at the first wrong password, again after it ran out, and lists say so', async () => {
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

  test('is lifted by the administrator’s unlock', async () => {
    await recordFailure(strict.db, guess('Freed'), limits(1))
    const locked = async () =>
      (await strict.db.execute<{ locked: boolean }>(sql`select ${lockedAccount('FREED')} as locked`)).rows[0]?.locked
    expect(await locked()).toBe(true)
    await unlock(strict.db, 'freed')
    expect(await locked()).toBe(false)
    expect(await standingOf(strict.db, guess('Freed'))).toEqual({ ...OPEN, failures: 0 })
  })
})

describe('the limits are reached by the failure they name', () => {
  test('a captcha from the first failure on, a lock at the second', async () => {
    await person(second, 'two.tries')
    expect(await login(second, 'two.tries', 'wrong')).toMatchObject({ msg: '账号或密码错误', data: { captcha: true } })
    expect(await login(second, 'two.tries', 'wrong')).toMatchObject({ msg: '请输入图形验证码' })
    const answer = await login(second, 'two.tries', 'wrong', await picture(second))
    expect(answer.msg).toContain('已锁定10分钟')
  })

  test.each([1, 2, 3, 4, 5])('a lock after %i', async (lockAfter) => {
    const who = guess(`after${lockAfter}`)
    for (let n = 1; n < lockAfter; n += 1) {
      expect(await recordFailure(strict.db, who, limits(lockAfter))).toMatchObject({ failures: n, isLocked: false })
      expect((await standingOf(strict.db, who)).isLocked).toBe(false)
    }
    const last = await recordFailure(strict.db, who, limits(lockAfter))
    expect(last).toMatchObject({ failures: lockAfter, isLocked: true })
    expect(last.waitSeconds).toBeGreaterThan(55)
    expect((await standingOf(strict.db, who)).isLocked).toBe(true)
  })

  test('seconds of delay before the lock are no lock', async () => {
    for (let n = 0; n < 4; n += 1) await recordFailure(strict.db, guess('slow'), limits(9))
    const { waitSeconds, isLocked } = await standingOf(strict.db, guess('slow'))
    expect({ waits: waitSeconds > 0, isLocked }).toEqual({ waits: true, isLocked: false })
  })
})
