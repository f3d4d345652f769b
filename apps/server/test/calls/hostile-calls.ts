import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import fc from 'fast-check'
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

type Kind = 'reads' | 'writes'
type CallerName = keyof typeof CALLERS

const endpointsOf = (kind: Kind, caller: CallerName) =>
  repeatableCalls
    .filter(({ method }) => (method === 'GET') === (kind === 'reads'))
    // A public call does not depend on the caller, so one caller is enough.
    .filter(({ access }) => access !== 'public' || caller === 'the platform administrator')

/**
 * Each caller begins with another field, so that the callers test different pairs of value and field. Successive calls
 * get different invalid bodies.
 */
const inputsOf = (endpoint: Endpoint, caller: CallerName) => {
  const turn = Object.keys(CALLERS).indexOf(caller)
  return hostileInputs(endpoint, { field: turn, body: repeatableCalls.indexOf(endpoint) + turn })
}

function prepareCaller(name: CallerName) {
  const app = useApp({ OMS_RATE_LOGIN: '1000000' })
  let caller: Caller
  beforeAll(async () => {
    caller = await app.by(CALLERS[name])
  })
  return (endpoint: Endpoint) => (endpoint.access === 'public' ? app.stranger() : caller)
}

/** Declares one test per read or write call: 70 wrong inputs of one caller cause no server fault. */
export function testHostileInputs(kind: Kind, callerName: CallerName) {
  const callerOf = prepareCaller(callerName)
  describe(`hostile input of ${callerName}`, () => {
    test.each(endpointsOf(kind, callerName))(
      '$method $path responds to 70 invalid inputs without an internal error',
      { timeout: 120_000 },
      async (endpoint) => {
        const inputs = inputsOf(endpoint, callerName)
        expect(inputs.length).toBeGreaterThanOrEqual(70)
        expect(await findFaults(endpoint, callerOf(endpoint), inputs)).toEqual([])
      },
    )
  })
}

/**
 * Declares one test per kind of call: a few random wrong values for each call. `OMS_TEST_SEED` repeats a random
 * selection.
 */
export function testDrawnHostileInputs(callerName: CallerName, count: number) {
  const callerOf = prepareCaller(callerName)
  const seed = Number(process.env['OMS_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  test.each<Kind>(['reads', 'writes'])(
    `%s of ${callerName} respond to drawn invalid values without an internal error (OMS_TEST_SEED=${seed})`,
    { timeout: 120_000 },
    async (kind) => {
      for (const endpoint of endpointsOf(kind, callerName)) {
        const inputs = fc.sample(fc.constantFrom(...inputsOf(endpoint, callerName)), { seed, numRuns: count })
        expect(await findFaults(endpoint, callerOf(endpoint), inputs)).toEqual([])
      }
    },
  )
}

const STACK_LINE = /\bat .*\.(ts|js|mjs):\d+/

/** Sends the inputs. Returns each server fault, each response with a stack, and each response without a message. */
async function findFaults(endpoint: Endpoint, who: Caller, inputs: readonly HostileInput[]): Promise<string[]> {
  const faults: string[] = []
  for (const { url, payload, headers } of inputs) {
    const reply = await who.inject({ method: endpoint.method, url, headers, ...(payload !== undefined && { payload }) })
    const { code, msg } = reply.json()
    if (reply.statusCode >= 500 || code === 500 || typeof msg !== 'string' || STACK_LINE.test(reply.body))
      faults.push(
        `${reply.statusCode} ${reply.body.slice(0, 300)} for ${url.slice(0, 200)} ${String(payload).slice(0, 200)}`,
      )
  }
  return faults
}
