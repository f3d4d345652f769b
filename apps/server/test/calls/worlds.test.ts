import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'
import {
  FOREIGN_ID,
  insertForeignRows,
  foreignRows,
  MARK,
  reachingInputs,
  requestOf,
  tablesWithoutRowSecurity,
} from '#test/fixtures/worlds.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const guarded = endpoints.filter(({ access, stream }) => access !== 'public' && stream !== 'events')
const reads = guarded.filter(({ method }) => method === 'GET')
/** Omits uploads and imports, which refer to no rows, and calls that end the caller's session. */
const writes = guarded.filter(
  ({ method, body, path }) =>
    method !== 'GET' && body !== 'multipart' && body !== 'binary' && path !== '/api/v1/account/logout',
)

let inside: Caller
let tables: string[]
let before: Record<string, string>
beforeAll(async () => {
  // A tenant administrator with all permissions. The other tenant has a row in every table.
  inside = await app.by({ tenant: '自己的世界', permissions: [...ALL_PERMISSIONS] })
  const filled = await insertForeignRows(app.db)
  before = await foreignRows(app.db, filled)
  tables = filled.filter((table) => before[table] !== '')
})

const traceIn = (body: string) =>
  [String(FOREIGN_ID), MARK].find((trace) => body.toLowerCase().includes(trace.toLowerCase()))

test('control: the platform can read rows of the other tenant, and the tenant can read its own rows', async () => {
  const vendor = await app.by({ superAdmin: true })
  expect(tables.length).toBeGreaterThan(40)
  const seen = await vendor.inject({ method: 'GET', url: '/api/v1/tenant/page' })
  expect(traceIn(seen.body)).toBeDefined()
  const answered: number[] = []
  // One after the other: on a busy machine, calls that wait too long for a connection return 503.
  for (const endpoint of reads.filter(({ path, stream }) => !path.includes(':') && !stream))
    answered.push((await inside.inject(requestOf(endpoint, reachingInputs(endpoint)[0] ?? {}))).json().code)
  const right = answered.filter((code) => code === 200).length
  expect(right / answered.length).toBeGreaterThan(0.7)
})

test('TENANT-05 every table with tenant rows has row-level security in the database', async () => {
  expect(await tablesWithoutRowSecurity(app.db)).toEqual([])
})

describe('MODULE-01 a tenant sees no rows of another tenant', () => {
  test.each(reads)('$method $path returns no row of the other tenant', async (endpoint) => {
    for (const input of reachingInputs(endpoint)) {
      const request = requestOf(endpoint, input)
      const reply = await inside.inject(request)
      const said = `${request.url}: ${reply.statusCode} ${reply.body.slice(0, 600)}`
      expect(reply.statusCode, said).toBeLessThan(500)
      expect(traceIn(reply.body), said).toBeUndefined()
    }
  })
})

describe('MODULE-01 a tenant changes no rows of another tenant', () => {
  test.each(writes)('$method $path changes no row of the other tenant', async (endpoint) => {
    for (const input of reachingInputs(endpoint)) {
      const reply = await inside.inject(requestOf(endpoint, input))
      const said = reply.body.slice(0, 300)
      expect(reply.statusCode, said).toBeLessThan(500)
      if (String(reply.headers['content-type']).includes('json')) expect(reply.json().code, said).not.toBe(500)
      expect(reply.body, said).not.toContain(MARK)
    }
  })

  test('the operation log of the tenant contains no row of the other tenant', async () => {
    const logs = await inside.inject({ method: 'GET', url: '/api/v1/sys/operlog/page?limit=200' })
    expect(logs.json().data.total).toBeGreaterThan(50)
    // A row of a creation (type 1) contains the text that this test itself sent.
    const rows = logs.json().data.list.filter(({ businessType }: { businessType: number }) => businessType !== 1)
    expect(rows.filter((row: object) => traceIn(JSON.stringify(row)) !== undefined)).toEqual([])
  })

  test('no row of the other tenant was changed by the calls of this test', async () => {
    const after = await foreignRows(app.db, tables)
    const own = (rows: string) => rows.split('|')
    for (const table of tables)
      for (const row of own(before[table] ?? '')) expect(own(after[table] ?? ''), table).toContain(row)
  })
})
