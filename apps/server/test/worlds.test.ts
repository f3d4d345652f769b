import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '../src/modules.ts'
import { type Caller, useApp } from './harness.ts'
import { FOREIGN_ID, fillForeignWorld, foreignRows, MARK, reachingInputs, requestOf, unwalled } from './worlds.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const guarded = endpoints.filter(({ access, stream }) => access !== 'public' && stream !== 'events')
const reads = guarded.filter(({ method }) => method === 'GET')
/** Uploads and imports name nothing of anybody's; ending one's own session would end the walk. */
const writes = guarded.filter(
  ({ method, body, path }) =>
    method !== 'GET' && body !== 'multipart' && body !== 'binary' && path !== '/api/v1/account/logout',
)

let inside: Caller
let tables: string[]
let before: Record<string, string>
beforeAll(async () => {
  // An administrator of a customer with every permission there is; the other customer has a row in every table.
  inside = await app.by({ tenant: '自己的世界', permissions: [...ALL_PERMISSIONS] })
  const filled = await fillForeignWorld(app.db)
  before = await foreignRows(app.db, filled)
  tables = filled.filter((table) => before[table] !== '')
})

const traceIn = (body: string) =>
  [String(FOREIGN_ID), MARK].find((trace) => body.toLowerCase().includes(trace.toLowerCase()))

test('the other world is there: the vendor sees it, and the customer reads at all', async () => {
  const vendor = await app.by({ superAdmin: true })
  expect(tables.length).toBeGreaterThan(40)
  const seen = await vendor.inject({ method: 'GET', url: '/api/v1/tenant/page' })
  expect(traceIn(seen.body)).toBeDefined()
  const answered = await Promise.all(
    reads
      .filter(({ path, stream }) => !path.includes(':') && !stream)
      .map(
        async (endpoint) => (await inside.inject(requestOf(endpoint, reachingInputs(endpoint)[0] ?? {}))).json().code,
      ),
  )
  const right = answered.filter((code) => code === 200).length
  expect(right / answered.length).toBeGreaterThan(0.7)
})

test('TENANT-05 every table that belongs to tenants is walled off in the database too', async () => {
  expect(await unwalled(app.db)).toEqual([])
})

describe('MODULE-01 a customer sees nothing of another', () => {
  test.each(reads)('$method $path', async (endpoint) => {
    for (const input of reachingInputs(endpoint)) {
      const request = requestOf(endpoint, input)
      const reply = await inside.inject(request)
      const said = `${request.url}: ${reply.statusCode} ${reply.body.slice(0, 600)}`
      expect(reply.statusCode, said).toBeLessThan(500)
      expect(traceIn(reply.body), said).toBeUndefined()
    }
  })
})

describe('MODULE-01 a customer changes nothing of another', () => {
  test.each(writes)('$method $path', async (endpoint) => {
    for (const input of reachingInputs(endpoint)) {
      const reply = await inside.inject(requestOf(endpoint, input))
      const said = reply.body.slice(0, 300)
      expect(reply.statusCode, said).toBeLessThan(500)
      if (String(reply.headers['content-type']).includes('json')) expect(reply.json().code, said).not.toBe(500)
      expect(reply.body, said).not.toContain(MARK)
    }
  })

  test('not a row of it has changed', async () => {
    const after = await foreignRows(app.db, tables)
    const own = (rows: string) => rows.split('|')
    for (const table of tables)
      for (const row of own(before[table] ?? '')) expect(own(after[table] ?? ''), table).toContain(row)
  })
})
