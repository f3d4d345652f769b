import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { beforeAll, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { reachingInputs, requestOf } from '#test/fixtures/worlds.ts'

const app = useApp()
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
/** Paths of options that an account needs no permission for, because any screen may show them. */
const OF_ANY_SCREEN = [
  '/device/options/model',
  '/device/options/type',
  '/tenant/options/tenant',
  '/tenant/industry/options',
]
const options = endpoints.filter(
  ({ access, method, path }) =>
    access !== 'public' &&
    method === 'GET' &&
    /\/options(\/|$)|\/statistics\/(ads|programs|groups)$/.test(path) &&
    !OF_ANY_SCREEN.some((end) => path.endsWith(end)),
)

let outsider: Caller
beforeAll(async () => {
  outsider = await app.as('system:manager:list')
})
const codeOf = async (caller: Caller, endpoint: Endpoint) =>
  (await caller.inject(requestOf(endpoint, reachingInputs(endpoint)[0]!))).json().code

test('the options of a page are refused to an account without any permission of the page', async () => {
  expect(options.length).toBeGreaterThan(12)
  const readable: string[] = []
  for (const endpoint of options) if ((await codeOf(outsider, endpoint)) !== 501) readable.push(endpoint.path)
  expect(readable).toEqual([])
})

test.each([
  ['LicenseManage:StatisticalAnalysis:list', '/api/v1/license/options/', ['type']],
  ['ossManage:ossStatisticalAnalysis:list', '/api/v1/oss/options/', ['package']],
  ['advertiseManage:statisticalAnalysis:list', '/api/v1/advertise/statistics/', ['ads', 'programs', 'groups']],
])('the permission %s of one page is sufficient to read the options of the page', async (permission, path, names) => {
  const caller = await app.as(permission)
  for (const name of names) expect(await caller.call('GET', `${path}${name}`), name).toMatchObject({ code: 200 })
})
