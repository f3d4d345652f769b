import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { isOpenToTokens } from '#core/auth/api-tokens.ts'
import { computeMd5Hex } from '#core/auth/passwords.ts'
import { accountRoles, accounts, apiTokens } from '#core/schema/account.ts'
import { operLogs } from '#core/schema/system.ts'
import { modules } from '#main/modules.ts'
import { type Caller, useApp, type Who } from '#test/harness.ts'

const app = useApp()
const TOKENS = '/api/v1/account/token'
const ROLES = '/api/v1/tenant/role/list'
const NOTICES = '/api/v1/sys/notice/page?pageNum=1&pageSize=10'
const PASSWORD = computeMd5Hex('Correct-horse-7')
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const LIST_DEVICES = 'device:apkManage:list'
const DEVICES = '/api/v1/device/info/page?pageNum=1&pageSize=10'

/** Creates an account with a password. */
async function person(who: Who = { permissions: [LIST_DEVICES, 'device:apkManage:add'] }) {
  const caller = await app.by(who)
  const passwordHash = await app.services.passwords.hash(PASSWORD)
  await app.db.update(accounts).set({ passwordHash }).where(eq(accounts.uid, caller.uid))
  return caller
}

const create = (caller: Caller, over: object = {}) =>
  caller.call('POST', TOKENS, {
    name: 'ERP',
    permissions: [LIST_DEVICES],
    nets: [],
    expireDay: TOMORROW,
    pswdMd5: PASSWORD,
    ...over,
  })

const call = async (token: string, url = DEVICES, more: object = {}) =>
  app.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${token}` }, ...more })
const codeOf = async (token: string, url?: string) => (await call(token, url)).json().code as number

test('a token has the permissions that both it and its account have now', async () => {
  const owner = await person()
  const { data } = await create(owner)
  expect(await codeOf(data.token)).toBe(200)
  expect(await codeOf(data.token, NOTICES)).toBe(501)
  await app.db.delete(accountRoles).where(eq(accountRoles.uid, owner.uid))
  await app.services.events.publish(app.db, 'rights', { version: '1', uids: [owner.uid] })
  await expect.poll(() => codeOf(data.token)).toBe(501)
})

test('a token of a super administrator has only its own permissions', async () => {
  const owner = await person({ superAdmin: true })
  const { data } = await create(owner)
  expect(await codeOf(data.token)).toBe(200)
  expect(await codeOf(data.token, NOTICES)).toBe(501)
})

test('an account grants no permission that it does not have, and confirms with its password', async () => {
  const owner = await person()
  expect(await create(owner, { permissions: ['system:notice:list'] })).toMatchObject({
    code: 400,
    msg: '不能授予您没有的权限',
    data: { field: 'permissions' },
  })
  expect(await create(owner, { pswdMd5: computeMd5Hex('wrong') })).toMatchObject({
    code: 400,
    data: { field: 'pswdMd5' },
  })
  expect(await create(owner, { expireDay: '2020-01-01' })).toMatchObject({ code: 400, data: { field: 'expireDay' } })
  expect(await create(owner, { expireDay: '2099-01-01' })).toMatchObject({ code: 400, data: { field: 'expireDay' } })
  expect(await create(owner, { nets: ['10.0.0.0/33'] })).toMatchObject({ code: 400 })
  expect((await owner.call('GET', TOKENS)).data.list).toEqual([])
})

test('a revoked, expired, rotated or unknown token is refused', async () => {
  const owner = await person()
  const first = (await create(owner)).data
  const refusal = { code: 401, msg: '访问令牌无效、已过期或已撤销' }
  expect((await call(`oms_${'x'.repeat(43)}`)).json()).toMatchObject(refusal)
  expect(await codeOf(first.token)).toBe(200)

  const kept = (await owner.call('POST', `${TOKENS}/rotate/${first.id}`, { hours: 1 })).data
  expect([await codeOf(first.token), await codeOf(kept.token)]).toEqual([200, 200])
  const last = (await owner.call('POST', `${TOKENS}/rotate/${first.id}`, { hours: 0 })).data
  await expect.poll(() => codeOf(kept.token)).toBe(401)
  expect([await codeOf(first.token), await codeOf(last.token)]).toEqual([401, 200])

  expect(await owner.call('DELETE', `${TOKENS}/${first.id}`)).toMatchObject({ code: 200 })
  await expect.poll(() => codeOf(last.token)).toBe(401)

  const expired = (await create(owner)).data
  await app.db
    .update(apiTokens)
    .set({ expireTime: sql`now()` as unknown as string })
    .where(eq(apiTokens.id, expired.id))
  expect((await call(expired.token)).json()).toMatchObject(refusal)
})

test('a token is valid only in its networks', async () => {
  const owner = await person()
  const near = (await create(owner, { nets: ['127.0.0.0/8', '2001:db8::/32'] })).data
  const far = (await create(owner, { nets: ['203.0.113.7'] })).data
  expect(await codeOf(near.token)).toBe(200)
  expect((await call(far.token)).json()).toMatchObject({ code: 401, msg: '访问令牌不能在当前网络使用' })
})

test('an account manages only its own tokens, and at most 20 of them', async () => {
  const [owner, other] = [await person(), await person()]
  const { data } = await create(owner)
  expect(await other.call('DELETE', `${TOKENS}/${data.id}`)).toMatchObject({ code: 400 })
  expect(await other.call('POST', `${TOKENS}/rotate/${data.id}`, { hours: 0 })).toMatchObject({ code: 400 })
  expect((await other.call('GET', TOKENS)).data.list).toEqual([])
  const [row] = await app.db.select().from(apiTokens).where(eq(apiTokens.id, data.id))
  const { id: _, ...copy } = row!
  const copies = Array.from({ length: 19 }, (_each, at) => ({
    ...copy,
    tokenHash: Buffer.from(`copy ${data.id} ${at}`),
  }))
  await app.db.insert(apiTokens).values(copies)
  expect(await create(owner)).toMatchObject({ code: 501, msg: '访问令牌不能超过20个，请先撤销不用的令牌' })
  const listed = (await owner.call('GET', TOKENS)).data.list
  expect(listed).toHaveLength(20)
  expect(JSON.stringify(listed)).not.toContain(data.token)
})

test('a token of a tenant reaches only its tenant, and is refused while the account is disabled', async () => {
  const owner = await person({ tenant: 'Token tenant', permissions: [LIST_DEVICES] })
  const { data } = await create(owner)
  expect((await call(data.token)).json().data.total).toBe(0)
  await app.db.update(accounts).set({ status: 0 }).where(eq(accounts.uid, owner.uid))
  await app.services.events.publish(app.db, 'rights', { version: '2', uids: [owner.uid] })
  await expect.poll(() => codeOf(data.token)).toBe(403)
})

test('the operation log names the token', async () => {
  const owner = await person()
  const { data } = await create(owner)
  await app.app.inject({
    method: 'POST',
    url: '/api/v1/device/info',
    headers: { authorization: `Bearer ${data.token}` },
    payload: { sn: 'TOKEN-1' },
  })
  const [row] = await app.db
    .select()
    .from(operLogs)
    .where(eq(operLogs.operName, `${owner.account}（令牌「ERP」）`))
  expect(row).toMatchObject({ uid: owner.uid, status: 0 })
})

test('no token is used for accounts, roles, tokens, secrets or decisions', async () => {
  const owner = await person({ superAdmin: true })
  const { data } = await create(owner, { permissions: ['system:rolemanagement:list'] })
  expect((await call(data.token, ROLES)).json()).toMatchObject({ code: 501, msg: '此操作不能使用访问令牌' })
  const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
  const mustBeClosed = ({ path, revealsSecret }: Endpoint) =>
    revealsSecret === true ||
    /passw|mfa|account\/session|online\/|\/role|account\/token|resetCode|assignRole|switch|\/audit/i.test(path)
  const open = endpoints.filter((each) => mustBeClosed(each) && isOpenToTokens(each) && each.access !== 'public')
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

test('a caller that asks for HTTP statuses gets refusals as HTTP statuses', async () => {
  const owner = await person()
  const { data } = await create(owner)
  const headers = { authorization: `Bearer ${data.token}`, 'x-oms-status': 'http' }
  const statusOf = async (url: string, token = headers.authorization) =>
    (await call('', url, { headers: { ...headers, authorization: token } })).statusCode
  expect(await statusOf(DEVICES)).toBe(200)
  expect(await statusOf('/api/v1/device/info/page?pageNum=zero')).toBe(400)
  expect(await statusOf(NOTICES)).toBe(403)
  expect(await statusOf(DEVICES, `Bearer oms_${'x'.repeat(43)}`)).toBe(401)
})
