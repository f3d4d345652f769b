import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { stock } from '#test/fixtures/license-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
/** Ways in which a tenant is out of use, with the refusal. Staff may work inside a tenant unless it is deleted. */
const STANDINGS = {
  disabled: { change: sql`status = 0`, msg: (name: string) => `客户「${name}」已停用，不能新增、分配或转入` },
  expired: {
    change: sql`expire_time = now() - interval '1 second'`,
    msg: (name: string) => `客户「${name}」已过期，不能新增、分配或转入`,
  },
  deleted: { change: sql`deleted_at = now()`, msg: () => '客户不存在或已被删除' },
} as const

let boss: Caller
let colleague: Caller
let modelId: number
let made = 0
const next = () => `r${(made += 1)}`

interface Tenant {
  readonly id: number
  readonly no: string
  readonly name: string
  readonly roleId: number
  /** Serial of a device of the tenant. */
  readonly sn: string
  readonly pendingGrant: number
  readonly grant: number
  readonly applicant: number
  readonly agentId: number
  readonly agentCode: string
}
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type Result = { code: number; msg: string; data: any }

const idOf = async (text: ReturnType<typeof sql>) => (await app.db.execute<{ id: number }>(text)).rows[0]?.id as number
const deviceOf = (tenantId: number, sn: string) =>
  idOf(sql`insert into devices (sn, tenant_id, model_id) values (${sn}, ${tenantId}, ${modelId}) returning id`)

async function importCsv(url: string, text: string): Promise<Result> {
  const head = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  return (await boss.inject({ method: 'POST', url, headers, payload: `${head}${text}\r\n--x--\r\n` })).json()
}

/** Reports the first refused line of an import like a refused call. */
async function firstLine(importing: Promise<Result>): Promise<Result> {
  const { code, msg, data } = await importing
  const line = data?.rows?.[0]
  return line ? { code: 400, msg: line.msg, data: { field: line.field } } : { code, msg, data }
}

const grantInput = (tenantId: number) => ({
  tenantId,
  typeCode: 'P2P',
  quota: 5,
  validFrom: '2020-01-01',
  validTo: '2099-12-31',
})

async function tenantNamed(name: string): Promise<Tenant> {
  const { roleId } = await app.by({ tenant: name })
  const { rows } = await app.db.execute<{ id: number; no: string }>(
    sql`select id, tenant_no as no from tenants where name = ${name}`,
  )
  const { id, no } = rows[0] as { id: number; no: string }
  const sn = next()
  await deviceOf(id, sn)
  const grants: number[] = []
  for (let count = 0; count < 2; count++)
    grants.push((await boss.call('POST', '/api/v1/license/grant', grantInput(id))).data.id)
  const [pendingGrant = 0, grant = 0] = grants
  await colleague.call('PUT', '/api/v1/license/grant/audit', { id: grant, rev: 0, pass: 1 })
  const account = next()
  const uid = await idOf(
    sql`insert into accounts (account, realname, password_hash) values (${account}, '新人', 'none') returning uid as id`,
  )
  const applicant = await idOf(sql`insert into user_applications (apply_no, uid, account, realname, tenant_id)
    values (${next()}, ${uid}, ${account}, '新人', ${id}) returning id`)
  const agentCode = `AGT_${next()}`
  const agentId = await idOf(sql`insert into agents (tenant_id, agent_code, agent_name)
    values (${id}, ${agentCode}, '智能体') returning id`)
  return { id, no, name, roleId, sn, pendingGrant, grant, applicant, agentId, agentCode }
}

const post = (url: string, body: object) => boss.call('POST', url, body) as Promise<Result>
const put = (url: string, body: object) => colleague.call('PUT', url, body) as Promise<Result>
const revOf = (grant: number) => idOf(sql`select rev as id from license_grants where id = ${grant}`)
const CERTIFICATES = { mode: 1, vendor: 2, typeCode: 'P2P', count: 1 }

const nextMac = () => `0200${String((made += 1)).padStart(8, '0')}`
async function nextCode() {
  const code = String((made += 1)).padStart(6, '0')
  await app.db.execute(sql`insert into agent_codes (mac, code, expire_time)
    values (${nextMac()}, ${code}, now() + interval '1 hour')`)
  return code
}

/** Calls that name the tenant, each with the field of the refusal. */
const CALLS: Record<string, { field?: string; gone?(tenant: Tenant): string; send(tenant: Tenant): Promise<Result> }> =
  {
    'a new device': {
      field: 'tenantId',
      send: ({ id }) => post('/api/v1/device/info', { sn: next(), modelId, tenantId: id }),
    },
    'a transferred device': {
      field: 'tenantId',
      send: async ({ id }) => post('/api/v1/device/info/transfer', { ids: [await deviceOf(1, next())], tenantId: id }),
    },
    'a new group': {
      field: 'tenantId',
      send: ({ id }) => post('/api/v1/device/group', { groupName: next(), tenantId: id }),
    },
    'a new role': {
      field: 'tenantId',
      send: ({ id }) => post('/api/v1/tenant/role', { roleName: next(), roleCode: next(), tenantId: id }),
    },
    'a new grant': { field: 'tenantId', send: ({ id }) => post('/api/v1/license/grant', grantInput(id)) },
    'a larger grant': {
      send: async ({ grant }) =>
        put('/api/v1/license/grant/quota', { id: grant, rev: await revOf(grant), amount: 1, reason: '加' }),
    },
    'a longer grant': {
      send: async ({ grant }) =>
        put('/api/v1/license/grant/renew', { id: grant, rev: await revOf(grant), validTo: '2100-01-01', reason: '续' }),
    },
    'an approved grant': {
      send: ({ pendingGrant }) => put('/api/v1/license/grant/audit', { id: pendingGrant, rev: 0, pass: 1 }),
    },
    'a plan to allot': {
      field: 'tenantId',
      send: ({ id }) => post('/api/v1/license/cert/allot/plan', { tenantId: id, ...CERTIFICATES }),
    },
    'allotted certificates': {
      field: 'tenantId',
      send: ({ id }) => post('/api/v1/license/cert/allot', { tenantId: id, ...CERTIFICATES, expect: 1, reason: '' }),
    },
    'certificates without a grant': {
      field: 'tenantId',
      send: ({ id }) =>
        post('/api/v1/license/cert/allot/free', { tenantId: id, ...CERTIFICATES, expect: 1, reason: '急' }),
    },
    'a new ticket': {
      field: 'tenantId',
      send: ({ id }) => post('/api/v1/feedback', { problemType: 1, content: '不能开机', tenantId: id }),
    },
    'a new ticket of a device': {
      field: 'sn',
      send: ({ sn }) => post('/api/v1/feedback', { problemType: 1, content: '不能开机', sn }),
    },
    'a new App account': {
      field: 'tenantId',
      send: ({ id }) => post('/api/v1/account/app', { account: next(), tenantId: id }),
    },
    'an approved application': {
      send: ({ applicant, roleId }) =>
        post('/api/v1/tenant/user/apply/audit', { id: applicant, status: 1, roleIds: [roleId] }),
    },
    'a voice device by MAC': {
      field: 'agentId',
      send: ({ agentId }) => post('/api/v1/agent/device/bindMac', { agentId, mac: nextMac() }),
    },
    'a voice device by code': {
      field: 'agentId',
      send: async ({ agentId }) => post('/api/v1/agent/device/bind', { agentId, code: await nextCode() }),
    },
    'imported voice devices': {
      field: '智能体编码',
      send: ({ agentCode }) =>
        firstLine(importCsv('/api/v1/agent/device/import', `*MAC,*智能体编码\n${nextMac()},${agentCode}`)),
    },
    'imported devices': {
      field: '客户编号',
      gone: ({ no }) => `客户编号「${no}」不存在`,
      send: ({ no }) =>
        firstLine(importCsv('/api/v1/device/info/import', `*序列号,型号编码,客户编号\n${next()},RECEIVED,${no}`)),
    },
  }

/** Calls without a tenant, sent by staff that works inside the tenant. */
const INSIDE: Record<string, () => Promise<Result>> = {
  'a new device': () => post('/api/v1/device/info', { sn: next(), modelId }),
  'a new account': () => post('/api/v1/tenant/user', { account: `user_${next()}`, realname: '王五', roleIds: [] }),
  'imported accounts': () => firstLine(importCsv('/api/v1/tenant/user/import', `账号,姓名\nuser_${next()},王五`)),
  'imported App accounts': () => firstLine(importCsv('/api/v1/account/app/import', `账号\napp_${next()}`)),
  'a new firmware version': () =>
    post('/api/v1/device/ota/ver', {
      otaVersion: { modelId, verCode: '100', verName: '秋季版', releaseDate: '2030-01-01 08:00:00' },
      components: [],
    }),
}

beforeAll(async () => {
  boss = await app.by({ superAdmin: true })
  colleague = await app.by({ superAdmin: true })
  const typeId = await idOf(sql`insert into device_types (type_name, type_code) values ('类型', 'RECV') returning id`)
  modelId = await idOf(sql`insert into device_models (type_id, model_name, model_code)
    values (${typeId}, '型号', 'RECEIVED') returning id`)
  await stock(app.db, { prefix: 'RECV', count: 20 })
})

describe('tenants that receive new rows', () => {
  test('every call that creates or assigns something for a tenant accepts an active tenant', async () => {
    const tenant = await tenantNamed('在用')
    for (const [name, { send }] of Object.entries(CALLS)) expect(await send(tenant), name).toMatchObject({ code: 200 })
    await boss.call('POST', `/api/v1/tenant/switch/${tenant.id}`)
    for (const [name, send] of Object.entries(INSIDE)) expect(await send(), name).toMatchObject({ code: 200 })
    await boss.call('POST', '/api/v1/tenant/switchBack')
  })

  test.each(Object.entries(STANDINGS))(
    'every call that creates or assigns something for a tenant refuses a tenant that is %s',
    async (standing, { change, msg }) => {
      const name = `客户${standing}`
      const tenant = await tenantNamed(name)
      await app.db.execute(sql`update tenants set ${change} where id = ${tenant.id}`)
      app.services.sessions.forgetAll()
      for (const [title, { field, gone, send }] of Object.entries(CALLS)) {
        const answer = await send(tenant)
        const expected = standing === 'deleted' && gone ? gone(tenant) : msg(name)
        expect(answer, title).toMatchObject({ code: 400, msg: expected })
        if (field) expect(answer.data, title).toEqual({ field })
      }
      if (standing === 'deleted') return
      expect((await boss.call('POST', `/api/v1/tenant/switch/${tenant.id}`)).code).toBe(200)
      for (const [title, send] of Object.entries(INSIDE))
        expect(await send(), title).toMatchObject({ code: 400, msg: msg(name) })
      await boss.call('POST', '/api/v1/tenant/switchBack')
    },
  )

  test('a ticket cannot be assigned to a handler of a disabled tenant', async () => {
    const handler = await app.by({ tenant: '无人处理', permissions: ['AfterService:Questions:list'] })
    const tenantId = await idOf(sql`select id from tenants where name = '无人处理'`)
    const { data } = await post('/api/v1/feedback', { problemType: 1, content: '不能开机', tenantId })
    await app.db.execute(sql`update tenants set status = 0 where id = ${tenantId}`)
    expect(await post('/api/v1/feedback/assign', { ids: [data.id], handlerId: handler.uid })).toMatchObject({
      code: 400,
      data: { field: 'handlerId' },
    })
  })
})
