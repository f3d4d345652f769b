import { createHash } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { accounts, challenges } from '#core/schema/account.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { useApp } from '#test/harness.ts'

const app = useApp({ OMS_RATE_LOGIN: '100000' })
const LOGIN = '/api/v1/account/login'
const PASSWORD = 'Correct-horse-7'

async function person(account: string, over: Partial<typeof accounts.$inferInsert> = {}) {
  const passwordHash = await app.services.passwords.hash(computeMd5Hex(PASSWORD))
  const [row] = await app.db
    .insert(accounts)
    .values({ account, realname: '张三', tenantId: PLATFORM_TENANT_ID, passwordHash, ...over })
    .returning({ uid: accounts.uid })
  return row?.uid as number
}
const login = (account: string, password = PASSWORD, more = {}) =>
  app.stranger().call('POST', LOGIN, { account, pswdMd5: computeMd5Hex(password), ...more })

/** Requests a captcha and stores a known answer, because the database keeps only the hash. */
async function knownCaptcha() {
  const { data } = await app.stranger().call('GET', '/api/v1/account/captcha')
  const answerHash = createHash('sha256').update('abcd').digest()
  await app.db.update(challenges).set({ answerHash }).where(eq(challenges.id, data.captchaId))
  return { captchaId: data.captchaId as string, captcha: 'ABCD' }
}

describe('login', () => {
  test('ACCOUNT-01 GUARD-04 login with the correct password returns token, uid, account and tenant, also form-encoded', async () => {
    const uid = await person('zhang.san')
    const reply = await app.stranger().inject({
      method: 'POST',
      url: LOGIN,
      payload: `account=ZHANG.SAN&pswdMd5=${computeMd5Hex(PASSWORD).toUpperCase()}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const { code, data } = reply.json()
    expect(code).toBe(200)
    expect(data).toMatchObject({ uid, account: 'zhang.san', ownerId: PLATFORM_TENANT_ID, mustChangePassword: false })
    expect(reply.cookies).toEqual([])
    expect((await app.withTicket(data.token).call('GET', `/api/v1/account/detail/${uid}`)).data.realname).toBe('张三')
  })

  test('a console session requires its cookie in addition to the ticket', async () => {
    const uid = await person('console.user')
    const reply = await app.stranger().inject({
      method: 'POST',
      url: LOGIN,
      payload: { account: 'console.user', pswdMd5: computeMd5Hex(PASSWORD) },
      headers: { 'x-client': 'console' },
    })
    const { token } = reply.json().data
    const [cookie] = reply.cookies as { name: string; value: string; httpOnly: boolean; sameSite: string }[]
    expect(cookie).toMatchObject({ name: 'oms_session', httpOnly: true, sameSite: 'Strict' })
    const url = `/api/v1/account/detail/${uid}`
    expect((await app.withTicket(token).call('GET', url)).code).toBe(401)
    const both = await app
      .withTicket(token)
      .inject({ method: 'GET', url, cookies: { oms_session: cookie?.value ?? '' } })
    expect(both.json().code).toBe(200)
  })

  test('an unknown account and a wrong password return the same message', async () => {
    await person('known.one')
    const wrong = await login('known.one', 'no')
    expect(wrong).toMatchObject({ code: 400, msg: '账号或密码错误' })
    expect(await login('nobody.at.all', 'no')).toEqual(wrong)
  })

  test('login requires a captcha after three failures and locks the account after five, also for the right password', async () => {
    await person('guessed')
    for (let i = 0; i < 3; i++) await login('guessed', `wrong${i}`)
    await app.db.execute(sql`update login_failures set lock_until = null where key like 'p:guessed|%'`)
    expect(await login('guessed')).toMatchObject({ code: 400, data: { field: 'captcha', captcha: true } })
    for (let i = 0; i < 2; i++) {
      await app.db.execute(sql`update login_failures set lock_until = null where key like 'p:guessed|%'`)
      await login('guessed', `wrong${i}`, await knownCaptcha())
    }
    const locked = await login('guessed', PASSWORD, await knownCaptcha())
    expect(locked.msg).toContain('已锁定10分钟')
    expect(locked.data.retryAfter).toBeGreaterThan(500)
  })

  test('disabled and expired accounts get 403 with the reason at login', async () => {
    await person('disabled.one', { status: 0 })
    await person('expired.one', { expireTime: '2020-01-01 00:00:00' })
    expect(await login('disabled.one')).toMatchObject({ code: 403, msg: '账号已停用，请联系管理员' })
    expect(await login('expired.one')).toMatchObject({ code: 403, msg: '账号已过期，请联系管理员' })
  })

  test('a one-time password permits only the change of the password', async () => {
    const uid = await person('fresh.one', { pwdMustChange: true })
    const { data } = await login('fresh.one')
    expect(data.mustChangePassword).toBe(true)
    const fresh = app.withTicket(data.token)
    expect(await fresh.call('GET', '/api/v1/account/preference')).toMatchObject({ code: 200 })
    const payload = { realname: '李四' }
    expect(await fresh.call('POST', `/api/v1/account/modify/${uid}`, payload)).toMatchObject({
      code: 501,
      msg: '请先修改初始密码',
    })
  })
})

describe('session', () => {
  test('GUARD-06 a request with an ownerId other than the tenant of the session is refused', async () => {
    const one = await app.as()
    const url = '/api/v1/sys/account/perms'
    const own = (await one.inject({ method: 'GET', url, headers: { ownerId: '1' } })).json()
    expect(own).toMatchObject({ code: 200, data: { zone: 'Asia/Shanghai' } })
    expect((await one.inject({ method: 'GET', url, headers: { ownerId: '2' } })).json().code).toBe(403)
    const forged = await app.stranger().inject({ method: 'GET', url, headers: { ticket: 'forged', ownerId: '1' } })
    expect(forged.json().code).toBe(401)
  })

  test('the permissions contain the colour scheme of the account, which the console needs before its first render', async () => {
    const one = await app.as()
    const theme = async () => (await one.call('GET', '/api/v1/sys/account/perms')).data.theme
    expect(await theme()).toBe('')
    await one.call('PUT', '/api/v1/account/preference', { key: 'theme', value: '"dark"' })
    expect(await theme()).toBe('dark')
    await one.call('PUT', '/api/v1/account/preference', { key: 'theme', value: 'purple' })
    expect(await theme()).toBe('')
  })

  test('GUARD-07 logout invalidates the token immediately', async () => {
    const one = await app.as()
    expect(await one.call('POST', '/api/v1/account/logout')).toMatchObject({ code: 200, msg: '退出成功' })
    await expect.poll(async () => (await one.call('GET', '/api/v1/sys/account/perms')).code).toBe(401)
  })

  test('a request of a session that another person ended gets HTTP 401', async () => {
    const victim = await app.as()
    await app.services.sessions.endOf(app.db, [victim.uid], 'forced')
    const status = async () => (await victim.inject({ method: 'GET', url: '/api/v1/sys/account/perms' })).statusCode
    await expect.poll(status).toBe(401)
  })

  test('an account can list and end its other sessions; beyond the session limit the oldest session ends', async () => {
    const uid = await person('many.sessions')
    const tokens: string[] = []
    for (let i = 0; i < 6; i++) tokens.push((await login('many.sessions')).data.token)
    const last = app.withTicket(tokens[5] as string)
    const { data } = await last.call('GET', '/api/v1/account/session')
    expect(data.list).toHaveLength(5)
    expect(data.list.filter((row: { current: boolean }) => row.current)).toHaveLength(1)
    expect((await last.call('DELETE', '/api/v1/account/session')).data.ended).toBe(4)
    await expect
      .poll(
        async () => (await app.withTicket(tokens[4] as string).inject({ url: '/api/v1/account/session' })).statusCode,
      )
      .toBe(401)
    expect((await last.call('GET', `/api/v1/account/detail/${uid}`)).code).toBe(200)
  })
})

describe('password', () => {
  test('ACCOUNT-02 changing the password requires the old password, refuses weak passwords, and ends every session', async () => {
    await person('changer')
    const { data } = await login('changer')
    const me = app.withTicket(data.token)
    const url = '/api/v1/account/passwd/modify'
    expect(await me.call('POST', url, {})).toMatchObject({
      code: 400,
      msg: '请输入旧密码',
      data: { field: 'oldPswdMd5' },
    })
    const old = { oldPswdMd5: computeMd5Hex(PASSWORD) }
    expect(await me.call('POST', url, old)).toMatchObject({ msg: '请输入新密码' })
    expect(await me.call('POST', url, { ...old, newPswdMd5: computeMd5Hex('123456') })).toMatchObject({
      msg: '密码过于简单，请更换',
    })
    expect(
      await me.call('POST', url, { oldPswdMd5: computeMd5Hex('x'), newPswdMd5: computeMd5Hex('Another-9') }),
    ).toMatchObject({
      msg: '旧密码错误',
    })
    expect(await me.call('POST', url, { ...old, newPswdMd5: computeMd5Hex('Another-9') })).toMatchObject({
      code: 200,
      msg: '修改成功，请重新登录！',
    })
    await expect.poll(async () => (await me.inject({ url: '/api/v1/account/session' })).statusCode).toBe(401)
    expect((await login('changer', 'Another-9')).code).toBe(200)
  })

  test('ROUTE-03 a reset code sets a new password once and becomes invalid after five wrong codes', async () => {
    const uid = await person('forgetful')
    const code = async () => {
      const { createChallenge } = await import('#core/auth/challenge.ts')
      await createChallenge(app.db, { kind: 'reset', answer: 'k7p2m9qx', minutes: 15, uid })
    }
    await code()
    const reset = (given: string) =>
      app.stranger().call('POST', '/api/v1/account/passwd/reset', {
        account: 'forgetful',
        code: given,
        newPswdMd5: computeMd5Hex('Remembered-1'),
      })
    expect(await reset('wrong')).toMatchObject({ code: 400, msg: '验证码错误或已过期' })
    expect(await reset('K7P2M9QX')).toMatchObject({ code: 200 })
    expect(await reset('k7p2m9qx')).toMatchObject({ code: 400 })
    expect((await login('forgetful', 'Remembered-1')).code).toBe(200)
  })
})

describe('register', () => {
  test('ROUTE-02 registration creates an account without permissions, once per name, and requires a captcha', async () => {
    const form = { account: 'new.comer', realname: '新人', pswdMd5: computeMd5Hex(PASSWORD) }
    const register = (more: object) => app.stranger().call('POST', '/api/v1/account/register', { ...form, ...more })
    expect((await register({ captchaId: 'x', captcha: 'y' })).msg).toBe('图形验证码错误或已过期')
    expect(await register(await knownCaptcha())).toMatchObject({ code: 200, msg: '注册成功，请登录' })
    expect(await register({ ...(await knownCaptcha()), account: 'NEW.comer' })).toMatchObject({
      code: 400,
      msg: '账号已存在',
      data: { field: 'account' },
    })
    const { data } = await login('new.comer')
    expect(data.ownerId).toBeNull()
    const perms = await app.withTicket(data.token).call('GET', '/api/v1/sys/account/perms')
    expect(perms.data).toMatchObject({ buttons: [], menus: [] })
  })
})

describe('profile', () => {
  test('ACCOUNT-03 an account can change only the profile fields of its own row', async () => {
    const me = await app.as()
    const url = `/api/v1/account/modify/${me.uid}`
    const profile = {
      realname: '王五',
      nickname: '小五',
      gender: 2,
      birthday: '1990-02-28',
      profile: '硬件',
      address: '深圳',
    }
    expect(await me.call('POST', url, { ...profile, status: 0, isTenantAdmin: true, tenantId: 9 })).toMatchObject({
      code: 200,
    })
    const [row] = await app.db.select().from(accounts).where(eq(accounts.uid, me.uid))
    expect(row).toMatchObject({ ...profile, status: 1, isTenantAdmin: false, tenantId: PLATFORM_TENANT_ID })
    expect(await me.call('POST', url, { ...profile, realname: ' ' })).toMatchObject({
      msg: '请输入真实名称',
      data: { field: 'realname' },
    })
    expect(await me.call('POST', url, { ...profile, realname: '一二三四五六七八九十一二三四五六' })).toMatchObject({
      code: 400,
    })
    expect(await me.call('POST', url, { ...profile, gender: 3 })).toMatchObject({
      code: 400,
      data: { field: 'gender' },
    })
    expect(await me.call('POST', url, { ...profile, profile: 'x'.repeat(201) })).toMatchObject({
      code: 400,
      data: { field: 'profile' },
    })
    const other = await app.as()
    expect((await me.call('POST', `/api/v1/account/modify/${other.uid}`, profile)).code).toBe(400)
  })

  test('a profile save with an old revision is refused with the name of the last editor', async () => {
    const me = await app.as()
    const url = `/api/v1/account/modify/${me.uid}`
    expect((await me.call('POST', url, { realname: '甲', rev: 0 })).data.rev).toBe(1)
    const late = await me.call('POST', url, { realname: '乙', rev: 0 })
    expect(late).toMatchObject({ code: 400, data: { conflict: { by: '甲', isOwn: true, rev: 1 } } })
    expect(Object.keys(late.data.conflict).sort()).toEqual(['at', 'by', 'isOwn', 'rev'])
  })

  test('the operation log records the account and the change without secrets', async () => {
    const me = await app.as()
    await me.call('POST', `/api/v1/account/modify/${me.uid}`, { realname: '日志' })
    const { rows } = await app.db.execute(sql`select * from oper_logs where uid = ${me.uid}`)
    expect(rows[0]).toMatchObject({ title: '修改个人资料', biz_type: 'account', status: 1 })
    const { rows: all } = await app.db.execute(sql`select * from oper_logs`)
    expect(JSON.stringify(all)).not.toContain(computeMd5Hex(PASSWORD))
  })
})
