import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { validInputs } from '#test/fixtures/valid-inputs.ts'
import { requestOf } from '#test/fixtures/worlds.ts'
import { type Caller, useApp, type Who } from '#test/harness.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const OWN_SESSION = ['/api/v1/account/logout', '/api/v1/account/session', '/api/v1/tenant/switch']
/** Calls of these areas take accounts by `id`. All other calls that name an account have one of these fields. */
const AREAS = /^\/api\/v1\/(sys|tenant|account)\//
const ACCOUNT_FIELDS = ['uid', 'uids', 'account', 'sessionId']
const namesAccount = ({ path, input }: Endpoint) =>
  AREAS.test(path) || (input instanceof z.ZodObject && ACCOUNT_FIELDS.some((name) => name in input.shape))
const writes = endpoints.filter((endpoint) => {
  const { access, method, body, path } = endpoint
  return (
    namesAccount(endpoint) &&
    access !== 'public' &&
    method !== 'GET' &&
    body !== 'multipart' &&
    body !== 'binary' &&
    !OWN_SESSION.some((start) => path.startsWith(start))
  )
})
const WIDER = { code: 501, msg: '该账号的权限或数据范围超出您自己的，不能操作' }

/** Calls that change an account of another person. The control test fails when one of them has no effect. */
const ACCOUNT_CALLS = [
  'PUT /api/v1/tenant/user',
  'DELETE /api/v1/tenant/user',
  'POST /api/v1/tenant/disableAccount/:id',
  'POST /api/v1/tenant/enableAccount/:id',
  'POST /api/v1/tenant/user/status',
  'POST /api/v1/tenant/user/resetPasswd/:id',
  'POST /api/v1/tenant/user/resetCode/:id',
  'POST /api/v1/tenant/user/removeMfa/:id',
  'POST /api/v1/tenant/user/unlock/:id',
  'POST /api/v1/tenant/user/assignRole',
  'POST /api/v1/sys/account/enable/:id',
  'POST /api/v1/sys/account/disable/:id',
  'POST /api/v1/sys/account/resetPasswd/:id',
  'POST /api/v1/sys/account/resetCode/:id',
  'POST /api/v1/sys/account/removeMfa/:id',
  'POST /api/v1/sys/account/unlock/:id',
  'POST /api/v1/sys/account/forceLogout/:id',
  'POST /api/v1/sys/loginlog/unlock',
  'DELETE /api/v1/sys/online/:sessionId',
  'DELETE /api/v1/sys/online',
  'POST /api/v1/tenant/role/addUserRole',
  'POST /api/v1/tenant/role/removeUserRole',
]

let tenantId: number
let limited: Caller
/** A role without permissions, which the callers may assign. */
let spareRoleId: number

interface Target extends Caller {
  readonly sessionIds: readonly string[]
}

/**
 * Creates a locked account with a second factor and a session, so that each call has something to change. A disabled
 * account also has the role `spareRoleId`.
 */
async function targetOf(who: Who, status: number): Promise<Target> {
  const made = await app.by(who)
  await app.db.execute(
    sql`update accounts set status = ${status}, mfa_enabled = true, mfa_secret = 'v1.x' where uid = ${made.uid}`,
  )
  await app.db.execute(sql`insert into login_failures values
    (${`p:${made.account}|10.1.1.1`}, 5, now(), now() + interval '10 minutes')`)
  if (status === 0) await app.db.execute(sql`insert into account_roles values (${made.uid}, ${spareRoleId})`)
  const { rows } = await app.db.execute<{ id: string }>(sql`select id from sessions where uid = ${made.uid}`)
  return { ...made, sessionIds: rows.map(({ id }) => id) }
}

async function stateOf({ uid, account }: Target) {
  const { rows } = await app.db.execute(sql`select
    (select a::text from accounts a where uid = ${uid}) as account,
    (select string_agg(role_id::text, ',' order by role_id) from account_roles where uid = ${uid}) as roles,
    (select count(*) from sessions where uid = ${uid} and end_time is null) as sessions,
    (select count(*) from login_failures where key like ${`%:${account}|%`}) as failures,
    (select string_agg(c::text, ',') from challenges c where uid = ${uid}) as codes`)
  return JSON.stringify(rows)
}

/** Returns the inputs of a call that name the target in every field of an account, with both states. */
function inputsFor(endpoint: Endpoint, { uid, account, sessionIds }: Target) {
  const isOnline = endpoint.path.includes('/sys/online')
  const ids = isOnline ? sessionIds : [uid]
  const known = { id: uid, uid, uids: [uid], ids, sessionId: sessionIds[0], account, rev: 0 }
  return validInputs(endpoint).flatMap(({ input }) =>
    [0, 1].map((status) => {
      const given = Object.entries({ ...known, roleId: spareRoleId, roleIds: [spareRoleId], status }).filter(
        ([name]) => name in input,
      )
      return { ...input, ...Object.fromEntries(given) }
    }),
  )
}

/** Runs every mutation against targets of this kind. Returns the calls that changed one of them. */
async function changesBy(actor: Caller, who: Who): Promise<Set<string>> {
  const found = new Set<string>()
  // The first target is enabled, the second one is disabled.
  const targets = [await targetOf(who, 1), await targetOf(who, 0)]
  for (const endpoint of writes)
    for (const [at, target] of [...targets].entries()) {
      const before = await stateOf(target)
      for (const input of inputsFor(endpoint, target)) {
        const reply = await actor.inject(requestOf(endpoint, input))
        expect(reply.statusCode, `${endpoint.path} ${reply.body.slice(0, 200)}`).toBeLessThan(500)
      }
      if ((await stateOf(target)) === before) continue
      found.add(`${endpoint.method} ${endpoint.path}`)
      targets[at] = await targetOf(who, at === 0 ? 1 : 0)
    }
  return found
}

beforeAll(async () => {
  await app.by({ tenant: '范围之内' })
  await app.by({ tenant: '范围之外' })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '范围之内'`)
  tenantId = rows[0]!.id
  // Ids of accounts occur in no other table, so that the calls of other modules find no rows.
  await app.db.execute(sql`select setval(pg_get_serial_sequence('accounts', 'uid'), 700000)`)
  spareRoleId = (await app.by({ dataScope: 3, scopeIds: [tenantId] })).roleId
  limited = await app.by({ permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [tenantId] })
})

describe('calls that change the account of another person', () => {
  test('no call of limited staff changes an account with a wider data scope', { timeout: 300_000 }, async () => {
    expect([...(await changesBy(limited, { dataScope: 1 }))]).toEqual([])
  })

  test('no call changes an account that has a permission which the caller lacks', { timeout: 300_000 }, async () => {
    const lacking = 'upgrade:ota:list'
    const actor = await app.by({ permissions: [...ALL_PERMISSIONS].filter((permission) => permission !== lacking) })
    expect([...(await changesBy(actor, { permissions: [lacking] }))]).toEqual([])
  })

  test('control: every account call can change an account with the same rights', {
    timeout: 300_000,
  }, async () => {
    const changes = await changesBy(limited, { dataScope: 3, scopeIds: [tenantId] })
    expect([...changes]).toEqual(expect.arrayContaining(ACCOUNT_CALLS))
  })

  test('tenants that an account created count as part of its data scope', async () => {
    const target = await targetOf({ dataScope: 3, scopeIds: [tenantId] }, 1)
    const reset = () => limited.call('POST', `/api/v1/tenant/user/resetPasswd/${target.uid}`)
    await app.db.execute(sql`update tenants set create_by = ${target.uid} where name = '范围之外'`)
    expect(await reset()).toMatchObject(WIDER)
    await app.db.execute(sql`update tenants set create_by = null where name = '范围之外'`)
    expect(await reset()).toMatchObject({ code: 200 })
  })

  test('the lists state why the caller may not change an account', async () => {
    const wider = await targetOf({ dataScope: 1 }, 1)
    const equal = await targetOf({ dataScope: 3, scopeIds: [tenantId] }, 1)
    const superAdmin = await targetOf({ superAdmin: true }, 1)
    await app.db.execute(
      sql`insert into login_logs (account, tenant_id, ip, status) values (${wider.account}, 1, '10.1.1.1', 0)`,
    )
    const refusalIn = async (path: string, { account }: Caller) => {
      const { data } = await limited.call('GET', `/api/v1${path}?account=${account}`)
      return (data as { list: { changeRefusal: string | null }[] }).list[0]!.changeRefusal
    }
    for (const path of ['/tenant/user/list', '/sys/account/all/page', '/sys/online/page']) {
      expect(await refusalIn(path, wider), path).toBe(WIDER.msg)
      expect(await refusalIn(path, equal), path).toBeNull()
      expect(await refusalIn(path, superAdmin), path).toBe('只有超级管理员可以操作超级管理员')
    }
    expect(await refusalIn('/sys/loginlog/page', wider)).toBe(WIDER.msg)
  })

  test('only a super administrator can unlock another super administrator', async () => {
    const target = await targetOf({ superAdmin: true }, 1)
    const before = await stateOf(target)
    for (const path of ['/tenant/user/unlock', '/sys/account/unlock'])
      expect(await limited.call('POST', `/api/v1${path}/${target.uid}`)).toMatchObject({
        code: 501,
        msg: '只有超级管理员可以操作超级管理员',
      })
    expect(await stateOf(target)).toBe(before)
  })
})
