import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))

/** Columns by which a call sorts; undefined for calls without sorting. */
function sortColumnsOf({ method, path, input }: Endpoint): readonly string[] | undefined {
  if (method !== 'GET' || path.endsWith('/export') || !(input instanceof z.ZodObject)) return undefined
  const column = (input.shape as Record<string, z.ZodType>)['orderByColumn']
  return column instanceof z.ZodOptional ? (column.unwrap() as z.ZodEnum).options.map(String) : undefined
}

const sorted = endpoints.flatMap((endpoint) =>
  (sortColumnsOf(endpoint) ?? [])
    .filter(() => endpoint.input.safeParse({ pageNum: 1, pageSize: 10 }).success)
    .flatMap((column) => ['asc', 'desc'].map((direction) => ({ path: endpoint.path, column, direction }))),
)

let admin: Caller
beforeAll(async () => {
  admin = await app.by({ permissions: [...ALL_PERMISSIONS] })
})

interface Sent {
  readonly text: string
  readonly values?: unknown[]
}

/** Returns the queries for a page of sorted rows that this process sends during the work. */
async function sortedQueries(work: () => Promise<unknown>): Promise<Sent[]> {
  const client = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown }
  const { query } = client
  const sent: Sent[] = []
  client.query = function recorded(this: unknown, ...args) {
    const [first, values] = args as [string | Sent, unknown[] | undefined]
    const each =
      typeof first === 'string' ? { text: first, values } : { text: first.text, values: first.values ?? values }
    if (/\border by [^()]*\blimit\b/i.test(each.text))
      sent.push({ text: each.text, ...(each.values && { values: each.values }) })
    return query.apply(this, args)
  }
  try {
    await work()
  } finally {
    client.query = query
  }
  return sent
}

async function planOf({ text, values }: Sent) {
  const client = await app.services.database.pool.connect()
  try {
    await client.query('begin')
    await client.query('set local enable_sort = off')
    await client.query('set local enable_seqscan = off')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    // A query that finds the keys of a page first sorts the rows of the page again.
    return /\blimit \S+( offset \S+)?\s*$/i.test(text) ? plan : plan.replace(/^Sort {2}/, '')
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** Lists of tables whose rows staff creates one by one, or that are small for another reason. They are sorted in memory. */
const SMALL = [
  // Accounts, roles and settings of tenants.
  '/api/v1/sys/account/all/page',
  '/api/v1/sys/dict/data/list',
  '/api/v1/sys/dict/type/list',
  '/api/v1/sys/scene/page',
  '/api/v1/tenant/page',
  '/api/v1/tenant/role/list',
  '/api/v1/tenant/user/list',
  // One row a tenant.
  '/api/v1/license/statistics/tenant',
  // Only live sessions.
  '/api/v1/sys/online/page',
  // Product data and content.
  '/api/v1/advertise/ad/page',
  '/api/v1/advertise/program/page',
  '/api/v1/agent/config/page',
  '/api/v1/agent/product/page',
  '/api/v1/agent/template/page',
  '/api/v1/agent/voice/page',
  '/api/v1/device/model/page',
  '/api/v1/device/type/page',
  '/api/v1/license/batch/page',
  '/api/v1/oss/allowance',
  '/api/v1/oss/appkey/page',
  '/api/v1/oss/device/import/page',
  '/api/v1/oss/package/page',
]

const growing = sorted.filter(({ path }) => !SMALL.includes(path))

test('every list that this test excludes as small exists', () => {
  expect(SMALL.filter((path) => !sorted.some((each) => each.path === path))).toEqual([])
})

test.each(growing)('an index supports $path sorted by $column $direction', async ({ path, column, direction }) => {
  const url = `${path}?pageNum=1&pageSize=10&orderByColumn=${column}&isAsc=${direction}`
  const pages = await sortedQueries(async () => {
    expect((await admin.inject({ method: 'GET', url })).json()).toMatchObject({ code: 200 })
  })
  expect(pages.length).toBeGreaterThan(0)
  const plans = await Promise.all(pages.map(planOf))
  for (const plan of plans) expect(plan).not.toMatch(/(?<!Incremental )\bSort {2}\(cost/)
})
