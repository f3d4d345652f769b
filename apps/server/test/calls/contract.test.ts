import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALL_PERMISSIONS, CATALOGUE } from '@oms/contract/catalogue.ts'
import { listPagePermissions } from '@oms/contract/core/permissions.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const urlOf = (path: string) => path.replaceAll(/:\w+/g, '1')

const guarded = endpoints.filter(({ access }) => access !== 'public')
const permitted = endpoints.filter(({ access }) => access.includes(':'))
const writes = guarded.filter(({ method }) => method !== 'GET')

let nobody: Caller
beforeAll(async () => {
  nobody = await app.as()
})

describe('access', () => {
  test.each(guarded)('PERM-04 $method $path refuses an anonymous request', async ({ method, path }) => {
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

/** Returns all source files of server, console and contract except the catalogue. */
function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      ({ name, parentPath }) => /\.tsx?$/.test(name) && !/\.test\./.test(name) && !parentPath.includes('catalogue'),
    )
    .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'))
}

test('every permission of the catalogue is used by a call, a handler or a page', () => {
  const used = new Set(endpoints.map(({ access }) => access as string))
  const root = join(import.meta.dirname, '../../../..')
  const text = ['apps/server/src', 'apps/console/src', 'packages/contract/src']
    .flatMap((folder) => sources(join(root, folder)))
    .join('\n')
  const idle = [...ALL_PERMISSIONS].filter((permission) => !used.has(permission) && !text.includes(`'${permission}'`))
  expect(idle).toEqual([])
})

test('the name of the permission to change a status contains both labels of the status switch', () => {
  const permissions = CATALOGUE.flatMap(({ pages }) => pages.flatMap(listPagePermissions))
  const names = new Map<string, string>(permissions.map(({ perms, name }) => [perms, name]))
  const switches = endpoints.filter(({ access, statusLabels }) => statusLabels && access.endsWith(':enable'))
  const misnamed = switches.filter(
    ({ access, statusLabels }) => names.get(access) !== `${statusLabels?.enable}${statusLabels?.disable}`,
  )
  expect(switches.length).toBeGreaterThan(20)
  expect(misnamed.map(({ path, access }) => `${path}: ${names.get(access)}`)).toEqual([])
})

test('every call that reads a table limits its rows, so that dialogs can name the limit', () => {
  const tables = endpoints.filter(({ file }) => file?.extensions.includes('xlsx') && !file.extensions.includes('pdf'))
  expect(tables.length).toBeGreaterThan(7)
  expect(tables.filter(({ file }) => !file?.maxRows).map(({ path }) => path)).toEqual([])
})

test('unknown calls return 404, and other methods of known calls return 405', async () => {
  const missing = await app.stranger().inject({ method: 'GET', url: '/api/v1/no/such/call' })
  expect([missing.statusCode, missing.json().msg]).toEqual([404, '网络请求不存在!'])
  const wrong = await app.stranger().inject({ method: 'DELETE', url: '/api/v1/account/login' })
  expect([wrong.statusCode, wrong.headers.allow]).toEqual([405, 'POST'])
})

test.each(['/device%2Fv1/check', '/./device/v1/check', '/DEFAULT/controller%2Fv1/SN1', '/%2e/xiaozhi/ota/'])(
  'the misspelt device path %s returns no page',
  async (url) => {
    const reply = await app.stranger().inject({ url, headers: { accept: 'text/html' } })
    expect([reply.statusCode, reply.json().msg]).toEqual([404, '网络请求不存在!'])
  },
)
