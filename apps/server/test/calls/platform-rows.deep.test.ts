import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { ensureVoiceModel } from '#modules/agent/devices/voice-model.ts'
import { modules } from '#main/modules.ts'
import { validInputs } from '#test/fixtures/valid-inputs.ts'
import { requestOf } from '#test/fixtures/worlds.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const AGENT = '/api/v1/agent'
const SHARED_TEXT = SHARED_DATA_MESSAGE
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
  'scene_menus',
  'scenes',
  'settings',
]

/** Tables with rows of tenants, whose platform rows all tenants use. */
const TABLES_WITH_SHARED_ROWS = ['agent_models', 'agent_params', 'agent_templates', 'agent_voices']

const digest = async () => {
  const digestOf = (table: string, where = sql``) => sql`select ${table}::text as name,
    md5(string_agg(t::text, '|' order by t::text)) as rows from ${sql.identifier(table)} t ${where}`
  const parts = [
    ...PLATFORM_TABLES.map((table) => digestOf(table)),
    ...TABLES_WITH_SHARED_ROWS.map((table) => digestOf(table, sql`where tenant_id = 1`)),
  ]
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

async function tenantInScope() {
  await app.by({ tenant: '范围之内' })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = '范围之内'`)
  return rows[0]!.id
}
const limitedStaff = async () =>
  app.by({ permissions: [...ALL_PERMISSIONS], dataScope: 3, scopeIds: [await tenantInScope()] })

beforeAll(async () => {
  // The first read creates the secret of the platform.
  await app.services.agentParameters.of(1)
  await app.db.execute(sql`insert into device_types (id, type_name, type_code) values (1, '类型', 'TYPE1')`)
  await app.db.execute(
    sql`insert into device_models (id, type_id, model_name, model_code) values (1, 1, '型号', 'MODEL1')`,
  )
  await app.db.execute(sql`select setval('device_types_id_seq', 100), setval('device_models_id_seq', 100)`)
  // The first bound voice device creates its device model.
  await ensureVoiceModel(app.services)
})

describe('platform rows that all tenants share', () => {
  test('this test can build valid input for at least two thirds of the write calls', () => {
    const reached = writes.filter((endpoint) => validInputs(endpoint).some(({ isValid }) => isValid))
    const missed = writes
      .filter((endpoint) => !reached.includes(endpoint))
      .map(({ method, path }) => `${method} ${path}`)
    expect(reached.length / writes.length, missed.join('\n')).toBeGreaterThan(0.66)
  })

  test('no call of a tenant account changes platform rows that all tenants share', { timeout: 300_000 }, async () => {
    const tenant = await app.by({ tenant: '目录之外', permissions: [...ALL_PERMISSIONS] })
    expect(await writersOf(tenant)).toEqual([])
  })

  test('no call of limited staff changes platform rows that all tenants share', { timeout: 300_000 }, async () => {
    // These calls count: the version of the permissions, and the uses of a template.
    const counters = ['POST /api/v1/sys/scene/sync/:id', 'POST /api/v1/agent/list']
    const writers = await writersOf(await limitedStaff())
    expect(writers.filter((each) => !counters.includes(each))).toEqual([])
  })

  test('limited staff can neither change nor reveal parameters and model keys of the platform', async () => {
    const limited = await limitedStaff()
    const { rows } = await app.db.execute<{ id: number }>(
      sql`select min(id) as id from agent_models where tenant_id = 1`,
    )
    const { id } = rows[0]!
    const { rows: voices } = await app.db.execute<{ id: number }>(
      sql`select min(id) as id from agent_voices where tenant_id = 1`,
    )
    const before = await digest()
    const [code, reason] = ['server.secret', '查看']
    const refused = [
      await limited.call('POST', `${AGENT}/params/reveal`, { code, reason }),
      await limited.call('POST', `${AGENT}/params/secret`, {}),
      await limited.call('DELETE', `${AGENT}/params/secret`),
      await limited.call('PUT', `${AGENT}/params`, { code: 'usage.notice', value: '80', rev: 0 }),
      await limited.call('DELETE', `${AGENT}/params?code=usage.limit`),
      await limited.call('POST', `${AGENT}/params/servers/action`, { address: 'ws://a.example', action: 'restart' }),
      await limited.call('POST', `${AGENT}/config/reveal`, { id, field: 'api_key', reason }),
      await limited.call('POST', `${AGENT}/config/copy/${id}`),
      await limited.call('POST', `${AGENT}/config/default/${id}`),
      await limited.call('POST', `${AGENT}/config/test/${id}`),
      await limited.call('PUT', '/api/v1/sys/about', { rev: 0 }),
      await limited.call('POST', `/api/v1/agent/voice/test/${voices[0]!.id}`, { text: '你好' }),
    ]
    expect(refused.map(({ code: answer, msg }) => [answer, msg])).toEqual(refused.map(() => [501, SHARED_TEXT]))
    expect(await digest()).toBe(before)
    expect((await limited.call('GET', `${AGENT}/config/${id}`)).data).toMatchObject({ isEditable: false, config: {} })
    const own = { code: 'usage.notice', value: '80', rev: 0, tenantId: await tenantInScope() }
    expect(await limited.call('PUT', `${AGENT}/params`, own)).toMatchObject({ code: 200 })
  })

  test('limited staff cannot change scenes, menus or ticket time limits, also while switched to a tenant', async () => {
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
    const tenantId = await tenantInScope()
    const limited = await limitedStaff()
    const inside = await app.by({ superAdmin: true })
    expect((await inside.call('POST', `/api/v1/tenant/switch/${tenantId}`)).code).toBe(200)
    const before = await digest()
    for (const caller of [limited, inside]) {
      expect((await caller.call('GET', '/api/v1/sys/account/perms')).data.seesAllTenants).toBe(false)
      for (const endpoint of shared)
        for (const { input } of validInputs(endpoint))
          expect((await caller.inject(requestOf(endpoint, input))).json(), endpoint.title).toMatchObject({
            code: 501,
            msg: SHARED_TEXT,
          })
    }
    expect(await digest()).toBe(before)
  })

  test('limited staff cannot create shared rows in the platform, but can create rows while switched to a tenant', async () => {
    const creating = writes.filter(({ createsSharedRows }) => createsSharedRows)
    expect(creating.map(({ title }) => title)).toEqual(expect.arrayContaining(['新增模板', '新增音色']))
    const limited = await limitedStaff()
    const inside = await app.by({ superAdmin: true })
    expect((await inside.call('POST', `/api/v1/tenant/switch/${await tenantInScope()}`)).code).toBe(200)
    for (const endpoint of creating)
      for (const { input } of validInputs(endpoint)) {
        expect((await limited.inject(requestOf(endpoint, input))).json(), endpoint.title).toMatchObject({
          code: 501,
          msg: SHARED_TEXT,
        })
        const { msg } = (await inside.inject(requestOf(endpoint, input))).json()
        expect(msg, endpoint.title).not.toBe(SHARED_TEXT)
      }
  })

  test('control: the same calls change the shared platform rows when a platform account sends them', {
    timeout: 300_000,
  }, async () => {
    const writers = await writersOf(await app.by({ superAdmin: true }))
    expect(writers).toContain('POST /api/v1/device/model/quick')
    expect(writers.length, writers.join('\n')).toBeGreaterThanOrEqual(12)
  })
})
