import { ALL_PERMISSIONS } from '@oms/contract/permissions/catalogue.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { validInputs } from '#test/fixtures/valid-inputs.ts'
import { requestOf } from '#test/fixtures/worlds.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const END_SESSION = ['/api/v1/account/logout', '/api/v1/account/session']
const writes = endpoints
  .filter(
    ({ access, method, body, path }) =>
      access !== 'public' &&
      method !== 'GET' &&
      body !== 'multipart' &&
      body !== 'binary' &&
      !END_SESSION.some((end) => path.startsWith(end)),
  )
  // Deletes run last, because other calls need the rows.
  .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))

/** Tables of the platform that all tenants share. */
const PLATFORM_TABLES = [
  'agent_products',
  'device_models',
  'device_types',
  'dict_data',
  'dict_types',
  'industries',
  'license_thresholds',
  'menus',
  'oss_packages',
  'scene_device_types',
  'scene_industries',
  'scene_menus',
  'scenes',
  'settings',
]

const digest = async () => {
  const parts = PLATFORM_TABLES.map(
    (table) => sql`select ${table}::text as name, md5(string_agg(t::text, '|' order by t::text)) as rows
      from ${sql.identifier(table)} t`,
  )
  const { rows } = await app.db.execute<{ name: string; rows: string | null }>(sql.join(parts, sql` union all `))
  return JSON.stringify(rows.toSorted((a, b) => a.name.localeCompare(b.name)))
}

/** Runs every mutation as this caller. Returns the mutations that changed a platform table. */
async function writersOf(caller: Caller): Promise<string[]> {
  const found: string[] = []
  let before = await digest()
  for (const endpoint of writes) {
    for (const { input } of validInputs(endpoint)) {
      const reply = await caller.inject(requestOf(endpoint, input))
      expect(reply.statusCode, `${endpoint.path} ${reply.body.slice(0, 200)}`).toBeLessThan(500)
    }
    const after = await digest()
    if (after !== before) found.push(`${endpoint.method} ${endpoint.path}`)
    before = after
  }
  return found
}

beforeAll(async () => {
  await app.db.execute(sql`insert into device_types (id, type_name, type_code) values (1, '类型', 'TYPE1')`)
  await app.db.execute(
    sql`insert into device_models (id, type_id, model_name, model_code) values (1, 1, '型号', 'MODEL1')`,
  )
  await app.db.execute(sql`select setval('device_types_id_seq', 100), setval('device_models_id_seq', 100)`)
})

describe('rows of the platform that all tenants share', () => {
  test('at least two thirds of the calls receive valid input', () => {
    const reached = writes.filter((endpoint) => validInputs(endpoint).some(({ isValid }) => isValid))
    const missed = writes
      .filter((endpoint) => !reached.includes(endpoint))
      .map(({ method, path }) => `${method} ${path}`)
    expect(reached.length / writes.length, missed.join('\n')).toBeGreaterThan(0.66)
  })

  test('no call of a tenant account changes these rows', { timeout: 300_000 }, async () => {
    const tenant = await app.by({ tenant: '目录之外', permissions: [...ALL_PERMISSIONS] })
    expect(await writersOf(tenant)).toEqual([])
  })

  test('staff limited to chosen tenants changes no scene, menu or time limit, also not while working inside a tenant', async () => {
    const shared = writes.filter(({ allTenants }) => allTenants)
    expect(shared.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        '新增业务场景',
        '修改业务场景',
        '删除业务场景',
        '停用业务场景',
        '修改菜单',
        '修改服务时限',
      ]),
    )
    await app.by({ tenant: '范围之内' })
    const tenantId = (await app.db.execute<{ id: number }>(sql`select id from tenants where name = '范围之内'`)).rows[0]
      ?.id as number
    const limited = await app.by({ permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [tenantId] })
    const inside = await app.by({ superAdmin: true })
    expect((await inside.call('POST', `/api/v1/tenant/switch/${tenantId}`)).code).toBe(200)
    const before = await digest()
    for (const caller of [limited, inside]) {
      expect((await caller.call('GET', '/api/v1/sys/account/perms')).data.seesAllTenants).toBe(false)
      for (const endpoint of shared)
        for (const { input } of validInputs(endpoint))
          expect((await caller.inject(requestOf(endpoint, input))).json(), endpoint.title).toMatchObject({
            code: 501,
            msg: '该数据由全部客户共用，您的数据范围不包含全部客户，只能查看',
          })
    }
    expect(await digest()).toBe(before)
  })

  test('the same calls of a platform account change these rows, so the attack is effective', {
    timeout: 300_000,
  }, async () => {
    const writers = await writersOf(await app.by({ superAdmin: true }))
    expect(writers).toContain('POST /api/v1/device/model/quick')
    expect(writers.length, writers.join('\n')).toBeGreaterThanOrEqual(12)
  })
})
