import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { modules } from '#main/modules.ts'
import { validInputs } from '#test/fixtures/valid-inputs.ts'
import { requestOf } from '#test/fixtures/worlds.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp({ OMS_RATE_LOGIN: '1000000' })
const OTHER_SESSION = /^\/api\/v1\/(account\/(logout|session)|tenant\/switch|sys\/online)/
const endpoints: Endpoint[] = modules.flatMap(({ contract }) => Object.values(contract))
const writes = endpoints.filter(
  ({ access, method, body, path }) =>
    access !== 'public' &&
    (method === 'POST' || method === 'PUT') &&
    body !== 'multipart' &&
    body !== 'binary' &&
    !OTHER_SESSION.test(path),
)

/** Tables of logs, sessions and work that calls add rows to, whatever the tenant receives. */
const RECORDS_OF_WORK = ['jobs', 'login_logs', 'oper_logs', 'sessions']
/**
 * Calls that add a part to an existing record of a tenant that is out of use. `docs/explanation/customers.md` lists
 * them.
 */
const PARTS: readonly string[] = [
  'POST /api/v1/agent/params/secret agent_params',
  'POST /api/v1/agent/params/secret agent_secrets',
  'POST /api/v1/device/access/gatewayToken device_access',
  'POST /api/v1/sys/notice notices',
  'POST /api/v1/advertise/screen/smilKey/:id ad_screens',
  'POST /api/v1/advertise/screen/smilKey/:id ad_screen_periods',
  'POST /api/v1/feedback/template ticket_templates',
]

async function listTenantTables(): Promise<string[]> {
  const { rows } = await app.db.execute<{ name: string }>(sql`select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`)
  return rows.map(({ name }) => name).filter((name) => !RECORDS_OF_WORK.includes(name))
}

let tables: string[]
async function countRows(tenantId: number) {
  const counts = tables.map(
    (name) => sql`select ${name}::text as name, count(*)::int as count from ${sql.identifier(name)}
      where tenant_id = ${tenantId}`,
  )
  const { rows } = await app.db.execute<{ name: string; count: number }>(sql.join(counts, sql` union all `))
  return new Map(rows.map(({ name, count }) => [name, count]))
}

/** Creates a tenant with a device, an agent, an App account and a voice device, all with this id. */
async function tenantWithRows(name: string, id: number) {
  await app.by({ tenant: name })
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from tenants where name = ${name}`)
  const tenantId = rows[0]!.id
  await app.db.execute(sql`insert into devices (id, sn, mac, tenant_id, model_id)
    values (${id}, ${`SN${id}`}, ${`0300${String(id).padStart(8, '0')}`}, ${tenantId}, 1)`)
  await app.db.execute(sql`insert into agents (id, tenant_id, agent_code, agent_name)
    values (${id}, ${tenantId}, ${`AGT_${id}`}, '智能体')`)
  await app.db.execute(
    sql`insert into app_accounts (uid, account, tenant_id) values (${id}, ${`app${id}`}, ${tenantId})`,
  )
  return tenantId
}

/** Returns the calls after which a table has more rows of the tenant, with the table. */
async function givers(caller: Caller, tenantId: number): Promise<string[]> {
  const found: string[] = []
  await app.db.execute(sql`insert into agent_codes (mac, code, expire_time)
    values ('040000000001', '123456', now() + interval '1 hour') on conflict do nothing`)
  let before = await countRows(tenantId)
  for (const endpoint of writes) {
    for (const { input } of validInputs(endpoint)) await caller.inject(requestOf(endpoint, input))
    const after = await countRows(tenantId)
    for (const [name, count] of after)
      if (count > (before.get(name) ?? 0)) found.push(`${endpoint.method} ${endpoint.path} ${name}`)
    before = after
  }
  return found
}

beforeAll(async () => {
  await app.db.execute(sql`insert into device_types (id, type_name, type_code) values (1, '类型', 'TYPE1')`)
  await app.db.execute(
    sql`insert into device_models (id, type_id, model_name, model_code) values (1, 1, '型号', 'MODEL1')`,
  )
  await app.db.execute(sql`select setval('device_types_id_seq', 100), setval('device_models_id_seq', 100),
    setval('devices_id_seq', 100), setval('agents_id_seq', 100)`)
  tables = await listTenantTables()
})

describe('staff working inside a tenant', () => {
  test('no call adds a row to a disabled tenant, except parts of existing records', { timeout: 300_000 }, async () => {
    const tenantId = await tenantWithRows('停用的客户', 1)
    const boss = await app.by({ superAdmin: true })
    await app.db.execute(sql`update tenants set status = 0 where id = ${tenantId}`)
    app.services.sessions.forgetAll()
    expect((await boss.call('POST', `/api/v1/tenant/switch/${tenantId}`)).code).toBe(200)
    const found = await givers(boss, tenantId)
    expect(found.filter((each) => !PARTS.includes(each))).toEqual([])
  })

  test('control: the same calls add rows to an active tenant', { timeout: 300_000 }, async () => {
    const { rows } = await app.db.execute<{ id: number }>(sql`update tenants set status = 1
      where name = '停用的客户' returning id`)
    const tenantId = rows[0]!.id
    app.services.sessions.forgetAll()
    const boss = await app.by({ superAdmin: true })
    expect((await boss.call('POST', `/api/v1/tenant/switch/${tenantId}`)).code).toBe(200)
    const found = await givers(boss, tenantId)
    expect(found).toEqual(
      expect.arrayContaining([
        'POST /api/v1/agent/device/bind agent_devices',
        'POST /api/v1/agent/device/bindMac devices',
        'POST /api/v1/device/info devices',
      ]),
    )
  })
})
