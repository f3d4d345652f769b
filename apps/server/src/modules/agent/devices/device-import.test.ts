import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '#core/auth/rights.ts'
import { decrypt } from '#core/crypto/keys.ts'
import { findImport } from '#core/spreadsheet/import/import.ts'
import { importLines } from '#core/spreadsheet/import/take-lines.ts'
import { assertDeviceQuota } from '#modules/device/device-quota.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'
import { listenForDevices } from '#test/device-port.ts'
import { deviceQueries } from '#test/device-queries.ts'
import { type Caller, useApp } from '#test/harness.ts'

const oms = useApp()
const HEAD = '*MAC,*智能体编码,名称,序列号,HMAC 密钥'
const KEY = 'a1'.repeat(32)
const OTHER = 'B2'.repeat(32)
let port: Awaited<ReturnType<typeof listenForDevices>>
let me: Caller
let tenant: Caller
const query = async (text: string, values: unknown[] = []) =>
  (await oms.services.database.pool.query(text, values)).rows

beforeAll(async () => {
  port = await listenForDevices(oms.services)
  me = await oms.by({ permissions: ['agent:device:list', 'agent:device:import'] })
  tenant = await oms.by({ tenant: '丁公司', permissions: ['agent:device:list', 'agent:device:import'] })
  await query(
    `insert into agents (tenant_id, agent_code, agent_name) select id, case id when 1 then 'AGT_A' else 'AGT_B' end, '小智'
     from tenants where id = 1 or name = '丁公司'`,
  )
  await query(`insert into agent_identity_keys (serial, tenant_id, key_encrypted) values ('CHIP-OLD', 1, 'kept')`)
})
afterAll(() => port?.close())

async function take(who: Caller, lines: readonly string[], dryRun = '0', head = HEAD) {
  const boundary = 'x-bind-import'
  const field = `--${boundary}\r\nContent-Disposition: form-data; name="dryRun"\r\n\r\n${dryRun}\r\n`
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="d.csv"\r\nContent-Type: text/csv\r\n\r\n${[head, ...lines].join('\n')}\r\n--${boundary}--\r\n`
  const reply = await who.inject({
    method: 'POST',
    url: '/api/v1/agent/device/import',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: field + file,
  })
  return reply.json().data
}

const LINES = [
  `02:00:00:00:0B:01,AGT_A,客厅,CHIP-1,${KEY}`,
  '02-00-00-00-0b-02,AGT_A,卧室,,',
  '12,AGT_A,,,',
  '02:00:00:00:0b:04,,,,',
  '02:00:00:00:0b:05,NOPE,,,',
  '02:00:00:00:0b:06,AGT_A,,CHIP-6,abc',
  `02:00:00:00:0b:07,AGT_A,,,${KEY}`,
  '020000000b01,AGT_A,再来一次,,',
  `02:00:00:00:0b:09,AGT_A,,CHIP-1,${OTHER}`,
  `02:00:00:00:0b:0a,AGT_A,,CHIP-OLD,${OTHER}`,
  '02:00:00:00:0b:0b,AGT_A,,序列号,',
]
/** Imports rows, and locks the quota of the tenant of AGT_B in another transaction before the last row. */
async function importBesideLock(lines: readonly string[], dryRun: '0' | '1') {
  const rights = await oms.services.sessions.rightsOf(me.uid)
  const [{ id }] = await query(`select tenant_id as id from agents where agent_code = 'AGT_B'`)
  await importLines(
    { services: oms.services, now: new Date(), user: createUser(rights!, { id: '', tenantId: 1 }) },
    {
      definition: findImport('agentDevice')!,
      input: { dryRun },
      table: { name: 'd.csv', bytes: Buffer.from([HEAD, ...lines].join('\n')) },
      onLine: async (done) =>
        void (done === lines.length - 1 && (await oms.db.transaction((db) => assertDeviceQuota(db, id)))),
    },
  )
}

test('neither an import of bindings nor its dry run locks the device quota of a tenant', async () => {
  const lines = ['02:00:00:00:0d:01,AGT_B,,,', '02:00:00:00:0d:02,AGT_B,,,', '02:00:00:00:0d:03,AGT_B,,,']
  for (const dryRun of ['1', '0'] as const) await importBesideLock(lines, dryRun)
  expect(await query(`select mac from agent_devices where mac like '020000000d%'`)).toHaveLength(3)
})

test('an import counts the devices of each tenant once at its start, and of all tenants in one query at its end', async () => {
  const of = `where id in (select tenant_id from agents where agent_code in ('AGT_A', 'AGT_B'))`
  await query(`update tenants set device_quota = 5000 ${of}`)
  const macs = ['1', '2', '3', '4', '5', '6']
  const lines = macs.map((n) => `02:00:00:00:0c:0${n},${Number(n) % 2 ? 'AGT_A' : 'AGT_B'},,,`)
  const sent = await deviceQueries(async () => expect(await take(me, lines)).toMatchObject({ created: 6, failed: 0 }))
  expect(sent.filter((text) => text.includes('count(*)') && text.includes('from "devices"'))).toHaveLength(3)
  await query(`update tenants set device_quota = -1 ${of}`)
})

const boundMacs = async () =>
  (await query(`select mac from agent_devices where mac like '020000000b%' order by mac`)).map(({ mac }) => mac)

test('AGENT-04 an import creates valid rows and reports invalid rows with their number and column; a dry run creates none', async () => {
  for (const dryRun of ['1', '0']) {
    const data = await take(me, LINES, dryRun)
    expect(data).toMatchObject({ total: 11, created: 2, updated: 0, failed: 9, dryRun: dryRun === '1' })
    expect(data.rows).toEqual([
      { row: 4, field: 'MAC', msg: 'MAC格式不正确，应为12位十六进制' },
      { row: 5, field: '智能体编码', msg: '请输入智能体编码' },
      { row: 6, field: '智能体编码', msg: '智能体编码「NOPE」不存在' },
      { row: 7, field: 'HMAC 密钥', msg: 'HMAC 密钥应为64位十六进制' },
      { row: 8, field: '序列号', msg: '有 HMAC 密钥时请输入序列号' },
      { row: 9, field: 'MAC', msg: '该设备已绑定智能体，请先解绑' },
      { row: 10, field: 'MAC', msg: '该设备已绑定智能体，请先解绑' },
      { row: 11, field: 'HMAC 密钥', msg: '序列号「CHIP-OLD」已有另一个密钥，更换需要“重置身份”权限' },
      { row: 12, field: '序列号', msg: '序列号只能包含字母、数字和 . _ : -' },
    ])
    expect(await boundMacs()).toEqual(dryRun === '1' ? [] : ['020000000b01', '020000000b02'])
  }
  const [first] = await query(`select sn, mac, dev_name from devices where mac = '020000000b01'`)
  expect(first).toEqual({ sn: 'CHIP-1', mac: '020000000b01', dev_name: '客厅' })
  expect(await query(`select sn from devices where sn in ('CHIP-OLD', 'CHIP-6')`)).toEqual([])
})

test('AGENT-04 imported keys are encrypted, appear in no log, and are required at activation', async () => {
  const stored = await query('select serial, tenant_id, key_encrypted as key from agent_identity_keys order by serial')
  expect(stored.map(({ serial, tenant_id }) => [serial, tenant_id])).toEqual([
    ['CHIP-1', 1],
    ['CHIP-OLD', 1],
  ])
  expect(stored[0].key).not.toContain(KEY)
  expect(decrypt(oms.services.config.secretKey, stored[0].key)).toBe(KEY)
  const logged = JSON.stringify(await query('select * from oper_logs'))
  expect(logged).toContain('设备绑定')
  expect(logged).not.toContain(KEY)
  const activated = async (key: string) => {
    const device = new XiaozhiDevice(`${port.url}/xiaozhi/ota/`, { mac: '02:00:00:00:0b:01', serial: 'CHIP-1', key })
    const { activation } = await device.boot()
    expect(activation).toBeUndefined()
    device.answer = { activation: { challenge: device.mac } }
    return device.activate()
  }
  expect([await activated(KEY), await activated(OTHER)]).toEqual([200, 202])
})

test('AGENT-04 an unbound device is imported again with its key; another key requires the right 重置身份 and is logged', async () => {
  const unbind = () => query(`delete from agent_devices where mac = '020000000b01'`)
  const row = (key: string) => [`02:00:00:00:0b:01,AGT_A,客厅,CHIP-1,${key}`]
  await unbind()
  expect(await take(me, row(KEY.toUpperCase()))).toMatchObject({ created: 1, failed: 0 })
  await unbind()
  const refused = await take(me, row(OTHER))
  expect(refused.rows).toEqual([
    { row: 2, field: 'HMAC 密钥', msg: '序列号「CHIP-1」已有另一个密钥，更换需要“重置身份”权限' },
  ])
  const keyOf = async () =>
    decrypt(
      oms.services.config.secretKey,
      (await query(`select key_encrypted as key from agent_identity_keys where serial = 'CHIP-1'`))[0].key,
    )
  expect(await keyOf()).toBe(KEY)
  const may = await oms.by({ permissions: ['agent:device:import', 'agent:device:reset'] })
  expect(await take(may, row(OTHER), '1')).toMatchObject({ created: 1, failed: 0 })
  expect(await keyOf(), 'after the dry run').toBe(KEY)
  expect(await take(may, row(OTHER))).toMatchObject({ created: 1, failed: 0 })
  expect(await keyOf()).toBe(OTHER.toLowerCase())
  const logs = await query(`select uid, action from oper_logs where title = '更换设备密钥'`)
  expect(logs).toEqual([{ uid: may.uid, action: '导入时更换序列号「CHIP-1」的 HMAC 密钥' }])
})

test('AGENT-04 a tenant imports only to its own agents and cannot take a key or a device of another tenant', async () => {
  const data = await take(tenant, [
    '02:00:00:00:0b:20,AGT_A,,,',
    '02:00:00:00:0b:01,AGT_B,,,',
    `02:00:00:00:0b:21,AGT_B,,CHIP-OLD,${KEY}`,
    `02:00:00:00:0b:22,AGT_B,,CHIP-22,${OTHER}`,
  ])
  expect(data).toMatchObject({ created: 1, failed: 3 })
  expect(data.rows.map(({ row }: { row: number }) => row)).toEqual([2, 3, 4])
  expect(data.rows[0].msg).toBe('智能体编码「AGT_A」不存在')
  const keys =
    await query(`select tenant_id = 1 as platform from agent_identity_keys where serial in ('CHIP-OLD', 'CHIP-22')
    order by serial`)
  expect(keys).toEqual([{ platform: false }, { platform: true }])
})

test('AGENT-04 the file of refused rows contains encrypted keys and can be imported again', async () => {
  const refused = [
    `02:00:00:00:0b:31,AGT_C,,CHIP-31,${KEY}`,
    `02:00:00:00:0b:32,AGT_A,,,${OTHER}`,
    '02:00:00:00:0b:33,AGT_A,,CHIP-33,abcdef',
  ]
  const { file, rows } = await take(me, refused)
  const text = (await me.inject({ method: 'GET', url: `/api/v1/file/${file.id}` })).body
  for (const key of [KEY, OTHER, 'abcdef', ...['a1', 'B2'].map((pair) => pair.repeat(8))]) {
    expect(text).not.toContain(key)
    expect(JSON.stringify(rows)).not.toContain(key)
  }
  expect(text.match(/已加密:/g)).toHaveLength(3)
  await query(`insert into agents (tenant_id, agent_code, agent_name) values (1, 'AGT_C', '小智')`)
  const [, ...lines] = text.trim().split('\n')
  const data = await take(me, [lines[0]!], '0', text.slice(0, text.indexOf('\n')))
  expect(data).toMatchObject({ created: 1, failed: 0 })
  const [{ key }] = await query(`select key_encrypted as key from agent_identity_keys where serial = 'CHIP-31'`)
  expect(decrypt(oms.services.config.secretKey, key)).toBe(KEY)
})

test('an import of 60 lines sends fewer than 20 SQL statements', async () => {
  const lines = Array.from({ length: 60 }, (_, at) => `02:00:00:01:11:${String(at).padStart(2, '0')},AGT_A,,,`)
  const sent = await deviceQueries(async () => expect(await take(me, lines)).toMatchObject({ created: 60 }))
  expect(sent.length).toBeLessThan(20)
})
