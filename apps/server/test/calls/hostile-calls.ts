import { ALL_PERMISSIONS } from '@oms/contract/permissions/catalogue.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { type HostileInput, hostileInputs } from './hostile.ts'

const CALLERS = {
  'the platform administrator': { superAdmin: true },
  "a tenant's account with all permissions": { tenant: '恶意客户', permissions: [...ALL_PERMISSIONS] },
}

/** Streams have their own tests. */
const isStream = ({ stream, body }: Endpoint) => stream !== undefined || body === 'multipart' || body === 'binary'

/** Calls that one caller can make one after the other. A logout would end the session, so the rest would be refused. */
export const repeatableCalls = modules
  .flatMap(({ contract }): Endpoint[] => Object.values(contract))
  .filter((endpoint) => !isStream(endpoint) && endpoint.path !== '/api/v1/account/logout')

/** Declares one test per read or write call: 130 wrong values of one caller cause no server fault. */
export function testHostileInputs(kind: 'reads' | 'writes', callerName: keyof typeof CALLERS) {
  const app = useApp({ OMS_RATE_LOGIN: '1000000' })
  let caller: Caller
  beforeAll(async () => {
    caller = await app.by(CALLERS[callerName])
  })
  const endpoints = repeatableCalls
    .filter(({ method }) => (method === 'GET') === (kind === 'reads'))
    // A public call does not depend on the caller, so one caller is enough.
    .filter(({ access }) => access !== 'public' || callerName === 'the platform administrator')

  describe(`hostile input of ${callerName}`, () => {
    test.each(endpoints)(
      '$method $path responds to 130 invalid values without an internal error',
      { timeout: 120_000 },
      async (endpoint) => {
        // The callers begin with different fields, so that together they try more pairs of value and field.
        const inputs = hostileInputs(endpoint, Object.keys(CALLERS).indexOf(callerName))
        expect(inputs.length).toBeGreaterThanOrEqual(130)
        const who = endpoint.access === 'public' ? app.stranger() : caller
        for (const input of inputs) await attack(endpoint, who, input)
      },
    )
  })
}

async function attack(endpoint: Endpoint, who: Caller, { url, payload, headers }: HostileInput) {
  const reply = await who.inject({ method: endpoint.method, url, headers, ...(payload !== undefined && { payload }) })
  const said = `${reply.statusCode} ${reply.body.slice(0, 300)} for ${url.slice(0, 200)} ${String(payload).slice(0, 200)}`
  expect(reply.statusCode, said).toBeLessThan(500)
  expect(reply.body, said).not.toMatch(/\bat .*\.(ts|js|mjs):\d+/)
  const { code, msg } = reply.json()
  expect(code, said).not.toBe(500)
  expect(typeof msg, said).toBe('string')
}
