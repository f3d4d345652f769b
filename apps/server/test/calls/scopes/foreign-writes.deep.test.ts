import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { modules } from '#main/modules.ts'
import { validInputs } from '#test/fixtures/valid-inputs.ts'
import { FOREIGN_ID, ID_FIELD, insertForeignRows, MARK, requestOf } from '#test/fixtures/worlds.ts'
import { type Caller, useApp, type Who } from '#test/harness.ts'

const SESSION = /^\/api\/v1\/(account\/(logout|session)|tenant\/switch)/
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const writes = endpoints
  .filter(
    ({ access, method, body, path }) =>
      access !== 'public' && method !== 'GET' && body !== 'multipart' && body !== 'binary' && !SESSION.test(path),
  )
  // Deletes run last, because other calls need the rows.
  .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))

/** Replaces ids, tenant and revision of the input by the values of the foreign rows. */
function withForeignIds(name: string, value: unknown, tenantId: number): unknown {
  if (name === 'tenantId') return tenantId
  if (name === 'rev') return 0
  if (ID_FIELD.test(name)) return Array.isArray(value) || name.endsWith('s') ? [FOREIGN_ID] : FOREIGN_ID
  if (Array.isArray(value)) return value.map((each) => withForeignIds('', each, tenantId))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withForeignIds(key, each, tenantId)]))
}

/** Replaces texts by the texts of the foreign rows. Each text consists of the mark and the column name. */
function withForeignTexts({ input: schema }: Endpoint, input: Record<string, unknown>) {
  let given = input
  for (const [name, value] of Object.entries(input)) {
    const text = `${MARK}${name.toLowerCase().replace(/s$/, Array.isArray(value) ? '' : 's')}`
    const next = { ...given, [name]: Array.isArray(value) ? [text] : text }
    if (!ID_FIELD.test(name) && schema.safeParse(next).success) given = next
  }
  return given
}

function inputsOf(endpoint: Endpoint, tenantId: number) {
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name as string, FOREIGN_ID])
  return validInputs(endpoint)
    .slice(0, 2)
    .flatMap(({ input }) => {
      const byId = { ...(withForeignIds('', input, tenantId) as object), ...Object.fromEntries(inPath) }
      return [byId, withForeignTexts(endpoint, byId)]
    })
}

interface Limited {
  readonly title: string
  /** Tenant of the foreign rows. */
  readonly tenantId: number
  readonly who: Who
  /** Changes of rows that the caller shares with other accounts: method, path and table. */
  readonly shared: readonly string[]
}

const CALLERS: readonly Limited[] = [
  {
    title: 'an account limited to its own records, and rows of another account',
    tenantId: PLATFORM_TENANT_ID,
    who: { dataScope: 4 },
    // Lists of certificates, orders of shops and text templates show the records of the whole tenant.
    shared: [
      'POST /api/v1/license/cert/scrap devices',
      'POST /api/v1/license/cert/scrap licenses',
      'POST /api/v1/oss/order/refund/reject oss_refunds',
      'PUT /api/v1/feedback/template ticket_templates',
    ],
  },
  {
    title: 'staff limited to chosen tenants, and rows of another tenant',
    tenantId: FOREIGN_ID,
    who: { dataScope: 3, scopeIds: [PLATFORM_TENANT_ID] },
    shared: [],
  },
]

describe.each(CALLERS)('$title', ({ tenantId, who, shared }) => {
  const app = useApp({ OMS_RATE_LOGIN: '1000000' })
  let caller: Caller
  let tables: string[]

  /** Returns a hash for each table of the rows that contain the id or the mark of the foreign rows. */
  const hashRows = async () => {
    const parts = tables.map(
      (table) => sql`select ${table}::text as name, (select coalesce(array_agg(md5(t::text)), '{}')
        from ${sql.identifier(table)} t where t::text like ${`%${FOREIGN_ID}%`} or t::text like ${`%${MARK}%`}) as hashes`,
    )
    const { rows } = await app.db.execute<{ name: string; hashes: string[] }>(sql.join(parts, sql` union all `))
    return new Map(rows.map(({ name, hashes }) => [name, new Set(hashes)]))
  }

  beforeAll(async () => {
    caller = await app.by({ ...who, permissions: [...ALL_PERMISSIONS] })
    // The sender of webhooks changes rows of all tenants in the background.
    await app.services.webhooks.close()
    tables = (await insertForeignRows(app.db, tenantId)).filter((table) => !/^(oper_logs|jobs|sessions)/.test(table))
  })

  test('no write by id or by natural key changes the foreign rows', { timeout: 300_000 }, async () => {
    const found: string[] = []
    const original = await hashRows()
    for (const endpoint of writes) {
      let isDone = false
      for (const input of inputsOf(endpoint, tenantId)) {
        const { body } = await caller.inject(requestOf(endpoint, input))
        isDone ||= body.startsWith('{"code":200') || !body.startsWith('{')
      }
      // A refused call is rolled back.
      if (!isDone) continue
      const now = await hashRows()
      for (const [table, hashes] of original) {
        const kept = new Set([...hashes].filter((hash) => now.get(table)?.has(hash)))
        if (kept.size < hashes.size) found.push(`${endpoint.method} ${endpoint.path} ${table}`)
        original.set(table, kept)
      }
    }
    expect(found.filter((each) => !shared.includes(each))).toEqual([])
  })
})
