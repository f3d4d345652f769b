import { expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
type Device = Awaited<ReturnType<typeof oms.bound>>
let session = 0

const connect = async ({ mac }: Device) => {
  await oms.call('config/agent-models', { body: { macAddress: mac, clientId: 'c', selectedModule: {} } })
  await oms.services().voiceServers.events.flush()
}
/** Reports one turn of a new session and returns the id of the session. */
const talk = async ({ mac }: Device) => {
  session += 1
  const turn = { chatType: 1, content: '我喜欢红色的气球', reportTime: Date.now() }
  await oms.call('agent/chat-history/report', { body: { macAddress: mac, sessionId: `saved${session}`, ...turn } })
  return `saved${session}`
}
const save = async ({ mac }: Device, summaryMemory: string) =>
  (await oms.call(`agent/saveMemory/${encodeURIComponent(mac)}`, { method: 'PUT', body: { summaryMemory } })).json()
const edit = ({ id }: Device, memory: string) =>
  oms.query('update agent_devices set memory = $2, memory_edit_time = now() where device_id = $1', [id, memory])
const memoryOf = async ({ id }: Device) =>
  (await oms.query('select memory from agent_devices where device_id = $1', [id]))[0].memory as string
const summaries = async ({ id }: Device) =>
  (
    await oms.query(
      `select s.session_id as id from agent_after f join agent_sessions s on s.id = f.session_row_id
       where f.kind = 2 and s.device_id = $1 order by f.id`,
      [id],
    )
  ).map((row) => row.id as string)

/** Moves all times of a device into the past, so that the next step is ten seconds later. */
async function wait({ mac, id }: Device) {
  const earlier = (columns: readonly string[]) =>
    columns.map((column) => `${column} = ${column} - interval '10 seconds'`).join(', ')
  await oms.query(`update agent_events set ${earlier(['create_time'])} where mac = $1`, [mac.replaceAll(':', '')])
  const ofSession = earlier(['first_time', 'last_time', 'end_time'])
  await oms.query(`update agent_sessions set ${ofSession} where device_id = $1`, [id])
  const ofDevice = earlier(['session_time', 'memory_edit_time'])
  await oms.query(`update agent_devices set ${ofDevice} where device_id = $1`, [id])
}

test('AGENT-09 with overlapping sessions, the first saved memory belongs to the earlier session and keeps edits', async () => {
  const device = await oms.bound(await oms.agent())
  await connect(device)
  const earlier = await talk(device)
  await wait(device)
  await edit(device, '对花生过敏')
  await wait(device)
  await connect(device)
  const later = await talk(device)
  await save(device, '喜欢红色')
  expect([await memoryOf(device), await summaries(device)]).toEqual(['对花生过敏', [earlier]])
  // The timeline has no repeated configuration, so the later session may have received the memory before the edit.
  await save(device, '爱听故事')
  expect([await memoryOf(device), await summaries(device)]).toEqual(['对花生过敏', [earlier, later]])
  await wait(device)
  await connect(device)
  await talk(device)
  await save(device, '对花生过敏，爱听故事')
  expect(await memoryOf(device)).toBe('对花生过敏，爱听故事')
})

test('AGENT-09 a memory saved before the first turn replaces edits made before the connection, but no later edit', async () => {
  const device = await oms.bound(await oms.agent())
  await connect(device)
  await talk(device)
  await save(device, '打过招呼')
  expect(await memoryOf(device)).toBe('打过招呼')
  await wait(device)
  await edit(device, '对花生过敏')
  await wait(device)
  await connect(device)
  await save(device, '对花生过敏，问过天气')
  expect(await memoryOf(device)).toBe('对花生过敏，问过天气')
  await wait(device)
  await edit(device, '对牛奶过敏')
  // The configuration of a camera question is not the start of the session.
  await connect(device)
  await save(device, '对花生过敏，要下雨')
  expect(await memoryOf(device)).toBe('对牛奶过敏')
})
