import { ALL_PERMISSIONS } from '@oms/contract/permissions/catalogue.ts'
import { HISTORY_PERMISSIONS } from '@oms/contract/permissions/history.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { loggedRecords } from '#domain/tenants/logged-records.ts'
import { operLogs } from '#schema/system.ts'
import { createDemoData } from '#demo/fill.ts'
import { useApp } from '#test/harness.ts'

/** Kinds of records without an owner, and their tables. */
const SHARED: Readonly<Record<string, string>> = {
  scene: 'scenes',
  menu: 'menus',
  dictType: 'dict_types',
  dictData: 'dict_data',
  industry: 'industries',
  deviceType: 'device_types',
  deviceModel: 'device_models',
  storagePackage: 'oss_packages',
  agentProduct: 'agent_products',
  agentProvider: 'agent_providers',
}
/** An operation of platform staff. */
const ROW = { tenantId: 1, title: '修改', action: '改动', requestMethod: 'PUT', operUrl: '/', operIp: '127.0.0.1' }
/** Kinds of which the demo has no record outside the platform. */
const NOT_IN_DEMO = new Set(['displayLink', 'notice'])

const app = useApp()
beforeAll(() => createDemoData(app.services), 600_000)

test('every kind of record with a history belongs to a tenant, or its table has no owner', async () => {
  const known = new Set([...loggedRecords().map(([kind]) => kind), ...Object.keys(SHARED)])
  expect(Object.keys(HISTORY_PERMISSIONS).filter((kind) => !known.has(kind))).toEqual([])
  const { rows } = await app.db.execute<{ table: string }>(
    sql`select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`,
  )
  const owned = rows.map(({ table }) => table)
  expect(Object.values(SHARED).filter((table) => owned.includes(table))).toEqual([])
})

test('staff limited to chosen tenants reads no operation on a record of another tenant, by the history or the log', async () => {
  const { rows: chosen } = await app.db.execute<{ id: number }>(sql`select max(id) as id from tenants`)
  const own = chosen[0]!.id
  const mine = { permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [own] }
  const [limited, boss] = [await app.by(mine), await app.by({ superAdmin: true })]
  const without = new Set<string>()
  for (const [bizType, table, key, owner] of loggedRecords()) {
    const { rows } = await app.db.execute<{ id: number }>(
      sql`select ${key}::int as id from ${table} where ${owner} > 1 and ${owner} <> ${own} order by 1 limit 1`,
    )
    const bizId = rows[0]?.id
    if (bizId === undefined) {
      without.add(bizType)
      continue
    }
    await app.db.insert(operLogs).values({ ...ROW, bizType, bizId: String(bizId) })
    for (const path of [`biz/${bizType}/${bizId}?`, `page?bizType=${bizType}&bizId=${bizId}&`]) {
      const url = `/api/v1/sys/operlog/${path}pageSize=10`
      expect((await boss.call('GET', url)).data.total, url).toBeGreaterThan(0)
      expect((await limited.call('GET', url)).data.total, url).toBe(0)
    }
  }
  expect([...without].filter((kind) => !NOT_IN_DEMO.has(kind))).toEqual([])
})
