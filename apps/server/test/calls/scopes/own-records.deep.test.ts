import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { useDemoApp } from '#test/demo-app.ts'
import type { Caller } from '#test/harness.ts'

const app = useDemoApp()
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const lists = endpoints.filter(
  ({ access, stream, method, path }) =>
    access !== 'public' && stream === undefined && method === 'GET' && !path.includes(':'),
)

/**
 * Lists whose rows an account that is limited to its own records shares with its tenant: catalogues, names for pickers,
 * and the stock of the tenant. A list that is not named here shows only rows that the account created.
 */
const SHARED = [
  /\/options?\//,
  /\/(choices|permTree|roleOptions)$/,
  /^\/api\/v1\/account\/(search|session|job)/,
  // Views that colleagues share; a view has no rows.
  /^\/api\/v1\/view\//,
  /^\/api\/v1\/sys\/(about|account\/|dict|menu|scene|notice\/mine|operlog|loginlog)/,
  /^\/api\/v1\/(device\/(type|model|group)|license|tenant\/(industry|scene|simple|role)|oss\/(package|statistics)|feedback\/sla)/,
  /^\/api\/v1\/agent\/(config|voice\/(page|clone\/models)|params|product|list\/choices|template)/,
  /^\/api\/v1\/tenant\/user\/apply/,
  /^\/api\/v1\/(home|device\/(ota|software)\/(tenant|signing))/,
]

let own: Caller
let tenantOwn: Caller
beforeAll(async () => {
  const permissions = [...ALL_PERMISSIONS]
  own = await app.by({ permissions, dataScope: 4 })
  const { rows } = await app.db.execute<{ name: string }>(
    sql`select t.name from agents a join tenants t on t.id = a.tenant_id where t.id > 1 group by 1 order by count(*) desc limit 1`,
  )
  tenantOwn = await app.by({ tenant: rows[0]!.name, permissions, dataScope: 4 })
})

const countRows = (data: { total?: unknown; list?: unknown[] } | undefined) =>
  Number(data?.total ?? data?.list?.length ?? 0)

test('the lists of an account limited to its own records contain no row of other accounts', async () => {
  for (const caller of [own, tenantOwn]) {
    const found: string[] = []
    for (const { path } of lists) {
      if (SHARED.some((each) => each.test(path))) continue
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      const { code, data } = await caller.call('GET', `${path}?pageNum=1&pageSize=10`)
      const count = code === 200 ? countRows(data) : 0
      if (count > 0) found.push(`${path}: ${count}`)
    }
    expect(found).toEqual([])
  }
}, 300_000)
