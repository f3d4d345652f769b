import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { encrypt } from '#core/crypto/keys.ts'
import { ensureVoiceModel } from './voice-model.ts'
import { createJsonServer } from '#test/clients/json-server.ts'
import { type Caller, useApp } from '#test/harness.ts'

const oms = useApp()
const URL = '/api/v1/agent/device/tool'
const tool = (name: string, properties: object = {}, required: readonly string[] = []) => ({
  name,
  description: `${name}\u0007 of the firmware`,
  inputSchema: { type: 'object', properties, required },
})

interface Command {
  readonly clientId: string
  readonly method: string
  readonly params: { readonly cursor?: string; readonly withUserTools?: boolean; readonly name?: string }
}

/** Fake gateway: responds for the connected client id as the device would. */
const gateway = {
  connected: '',
  commands: [] as Command[],
  answer: (_command: Command): { status: number; body: unknown } => ({ status: 200, body: {} }),
}
const server = createJsonServer(({ payload }, incoming, outgoing) => {
  const clientId = decodeURIComponent(incoming.url!.split('/').at(-1)!)
  const command = { clientId, method: payload.method, params: payload.params }
  gateway.commands.push(command)
  const { status, body } =
    clientId === gateway.connected
      ? gateway.answer(command)
      : { status: 500, body: { success: false, error: '设备未连接' } }
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
const success = (data: unknown) => ({ status: 200, body: { success: true, data } })

const query = async (text: string, values: unknown[] = []) =>
  (await oms.services.database.pool.query(text, values)).rows
const MAC = '0500000000a1'
const PART = '05_00_00_00_00_a1'
const clientId = `bread_wifi@@@${PART}@@@${PART}`
let staff: Caller
let stranger: Caller
let deviceId: number

/** Sets the gateway of the platform, with a signature key. */
async function setGateway() {
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  await query(`insert into agent_params (tenant_id, code, value) values (1, 'server.mqtt_manager_api', $1)`, [address])
  await query(
    `insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted, last_four)
     values (3, 1, 'server.mqtt_signature_key', 1, $1, '')`,
    [encrypt(oms.services.config.secretKey, 'Signature-Key-1')],
  )
  oms.services.agentParameters.forget()
}

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const modelId = await ensureVoiceModel(oms.services)
  const [device] = await query(
    'insert into devices (tenant_id, model_id, sn, mac) values (1, $1, $2, $2) returning id',
    [modelId, MAC],
  )
  deviceId = device.id
  await query(
    `insert into agent_devices (device_id, tenant_id, agent_id, mac, board) values ($1, 1, 1, $2, 'bread:wifi')`,
    [deviceId, MAC],
  )
  staff = await oms.by({ permissions: ['agent:device:call'] })
  stranger = await oms.by({ tenant: '丁公司', permissions: ['agent:device:call'] })
})
afterAll(() => void server.close())
beforeEach(() => Object.assign(gateway, { connected: clientId, commands: [] }))

test('without a gateway the tools are hidden, and listing them names the missing parameter', async () => {
  expect((await staff.call('GET', `${URL}/feature?deviceId=${deviceId}`)).data).toEqual({ isEnabled: false })
  expect((await staff.call('GET', `${URL}/${deviceId}`)).msg).toContain('server.mqtt_manager_api')
  await setGateway()
  expect((await staff.call('GET', `${URL}/feature?deviceId=${deviceId}`)).data).toEqual({ isEnabled: true })
})

test('the list contains the tools of all pages with their fields, except tools that install firmware', async () => {
  const volume = { volume: { type: 'integer', minimum: 0, maximum: 100 } }
  gateway.answer = ({ params }) =>
    params.cursor === ''
      ? success({ tools: [tool('self.audio_speaker.set_volume', volume, ['volume']), 7], nextCursor: 'self.reboot' })
      : success({ result: { tools: [tool('self.reboot'), tool('self.upgrade_firmware')] } })
  const { data } = await staff.call('GET', `${URL}/${deviceId}`)
  expect(data.list).toEqual([
    {
      name: 'self.audio_speaker.set_volume',
      description: 'self.audio_speaker.set_volume  of the firmware',
      fields: [{ name: 'volume', type: 'integer', description: '', required: true, minimum: 0, maximum: 100 }],
    },
    { name: 'self.reboot', description: 'self.reboot  of the firmware', fields: [] },
  ])
  expect(gateway.commands.map(({ params }) => params)).toEqual([
    { cursor: '', withUserTools: true },
    { cursor: 'self.reboot', withUserTools: true },
  ])
})

test('calling a tool returns its text and logs the device and the tool', async () => {
  gateway.answer = () => success({ content: [{ type: 'text', text: '{"volume":40}' }, { type: 'image' }] })
  const call = { name: 'self.audio_speaker.set_volume', arguments: { volume: 40 } }
  expect((await staff.call('POST', `${URL}/${deviceId}`, call)).data).toEqual({
    isError: false,
    text: '{"volume":40}\n[image]',
  })
  expect(gateway.commands).toEqual([{ clientId, method: 'tools/call', params: call }])
  const [logged] = await query('select action, biz_id from oper_logs order by oper_id desc limit 1')
  expect(logged).toEqual({ action: '调用固件工具「self.audio_speaker.set_volume」', biz_id: String(deviceId) })
})

test('a call reaches a device that is connected in the default group because it booted unbound', async () => {
  gateway.connected = clientId.replace('bread_wifi', 'GID_default')
  gateway.answer = () => success({ content: [], isError: true })
  const { data } = await staff.call('POST', `${URL}/${deviceId}`, { name: 'self.reboot' })
  expect(data).toEqual({ isError: true, text: '' })
  expect(gateway.commands.map((command) => command.clientId)).toEqual([clientId, gateway.connected])
})

test.each([
  ['a device that is not connected', () => ({ status: 500, body: { error: '设备未连接' } }), '设备未连接'],
  ['an unknown tool', () => ({ status: 500, body: { success: false, error: 'Unknown tool: x' } }), 'Unknown tool: x'],
  ['an error of the device', () => success({ error: { message: 'Missing valid argument' } }), 'Missing valid argument'],
  ['a body without a reason', () => ({ status: 502, body: 'bad gateway' }), '没有说明原因'],
  ['a result of another type', () => success('收到'), '没有说明原因'],
])('a failed tool call returns the reason: %s', async (_what, answer, reason) => {
  gateway.answer = answer
  expect(await staff.call('POST', `${URL}/${deviceId}`, { name: 'self.x' })).toMatchObject({
    msg: `设备没有执行：${reason}`,
  })
})

test('no account can install firmware by a tool call or call a device of another tenant', async () => {
  const install = { name: 'self.upgrade_firmware', arguments: { url: 'http://203.0.113.9/x.bin' } }
  expect((await staff.call('POST', `${URL}/${deviceId}`, install)).data).toEqual({ field: 'name' })
  for (const [method, path] of [
    ['GET', `/${deviceId}`],
    ['GET', `/feature?deviceId=${deviceId}`],
    ['POST', `/${deviceId}`],
  ] as const)
    expect(
      (await stranger.call(method, `${URL}${path}`, method === 'POST' ? { name: 'self.reboot' } : undefined)).msg,
    ).toContain('不存在')
  expect(gateway.commands).toEqual([])
})
