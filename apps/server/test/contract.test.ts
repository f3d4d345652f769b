import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '../src/modules.ts'
import { type Caller, useApp } from './harness.ts'
import { hostileInputs } from './hostile.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const urlOf = (path: string) => path.replaceAll(/:\w+/g, '1')
/** Their bodies are streams, and their answers too: they have tests of their own. */
const isStream = ({ stream, body }: Endpoint) => stream !== undefined || body === 'multipart' || body === 'binary'

const guarded = endpoints.filter(({ access }) => access !== 'public')
const permitted = endpoints.filter(({ access }) => access.includes(':'))
const writes = guarded.filter(({ method }) => method !== 'GET')

let nobody: Caller
beforeAll(async () => {
  nobody = await app.as()
})

describe('access', () => {
  test.each(guarded)('PERM-04 $method $path refuses a stranger', async ({ method, path }) => {
    expect((await app.stranger().call(method, urlOf(path))).code).toBe(401)
  })

  test.each(permitted)('PERM-04 $method $path refuses an account without the permission', async ({ method, path }) => {
    const answer = await nobody.call(method, urlOf(path))
    expect(answer).toMatchObject({ code: 501, msg: '您没有权限！' })
  })

  test.each(writes)('$method $path refuses a cookie without the ticket header', async ({ method, path }) => {
    const reply = await app.stranger().inject({ method, url: urlOf(path), cookies: { oms_session: 'x'.repeat(43) } })
    expect(reply.json().code).toBe(401)
  })
})

describe('hostile input', () => {
  let caller: Caller
  let callerOfTenant: Caller
  beforeAll(async () => {
    caller = await app.by({ superAdmin: true })
    callerOfTenant = await app.by({ tenant: '恶意客户', permissions: [...ALL_PERMISSIONS] })
  })

  // Calls that end the caller's own session would make every later answer a refusal.
  const survivable = endpoints.filter((endpoint) => !isStream(endpoint) && endpoint.path !== '/api/v1/account/logout')
  test.each(survivable)(
    '$method $path answers 200 wrong values without a fault',
    { timeout: 120_000 },
    async (endpoint) => {
      const inputs = hostileInputs(endpoint)
      expect(inputs.length).toBeGreaterThanOrEqual(200)
      const who = endpoint.access === 'public' ? app.stranger() : inputs.length % 2 ? caller : callerOfTenant
      for (const { url, payload, headers } of inputs) {
        const reply = await who.inject({
          method: endpoint.method,
          url,
          headers,
          ...(payload !== undefined && { payload }),
        })
        const said = `${reply.statusCode} ${reply.body.slice(0, 300)} for ${url.slice(0, 200)} ${String(payload).slice(0, 200)}`
        expect(reply.statusCode, said).toBeLessThan(500)
        expect(reply.body, said).not.toMatch(/\bat .*\.(ts|js|mjs):\d+/)
        const { code, msg } = reply.json()
        expect(code, said).not.toBe(500)
        expect(typeof msg, said).toBe('string')
      }
    },
  )
})

test('every permission of the catalogue opens at least one call', () => {
  const used = new Set(endpoints.map(({ access }) => access as string))
  const idle = [...ALL_PERMISSIONS].filter((permission) => !used.has(permission))
  // Rights that a handler asks for beside the call's own, or that only show a button.
  expect(idle).toEqual(idle.filter((permission) => /:(plain|query|dataScope|scene)$/.test(permission)))
})

test('unknown calls answer 404, known ones under another method 405', async () => {
  const missing = await app.stranger().inject({ method: 'GET', url: '/api/v1/no/such/call' })
  expect([missing.statusCode, missing.json().msg]).toEqual([404, '网络请求不存在!'])
  const wrong = await app.stranger().inject({ method: 'DELETE', url: '/api/v1/account/login' })
  expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'POST'])
})
