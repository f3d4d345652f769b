import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { formatLocalTime } from '#core/time/zone.ts'
import { McpClient } from '#test/clients/mcp-client.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { createContextToken } from './context.ts'

const oms = voiceLab({ OMS_TIME_ZONE: 'Asia/Shanghai' })
const MINUTE = 60_000
const DAY = 1440 * MINUTE
let agentId: number
let device: { id: number; mac: string }
let client: McpClient

/** Requests the configuration of a device as a voice server does. */
async function configured(macAddress = device.mac) {
  const body = { macAddress, clientId: 'c', selectedModule: {} }
  return (await oms.call('config/agent-models', { body })).json().data as { prompt: string; mcp_endpoint: string }
}
const local = (at: number) => formatLocalTime(at, 'Asia/Shanghai').slice(0, 16)
const set = (given: object) => client.call('set_reminder', given)
const stored = (deviceId = device.id) =>
  oms.query('select content, told_count as "toldCount" from agent_reminders where device_id = $1 order by id', [
    deviceId,
  ])
/** Inserts a reminder whose time came some minutes ago. */
const due = (content: string, minutesAgo = 5, deviceId = device.id) =>
  oms.query(
    `insert into agent_reminders (tenant_id, device_id, content, remind_time)
     values (1, $1, $2, now() - make_interval(mins => $3))`,
    [deviceId, content, minutesAgo],
  )
const flush = () => oms.services().voiceServers.reminders.flush()

beforeAll(async () => {
  agentId = await oms.agent({ tools: ['reminder'], context_facts: ['reminders'] })
  device = await oms.bound(agentId)
  client = new McpClient((await configured()).mcp_endpoint)
  await client.start()
})
afterAll(() => client.close())
beforeEach(() => oms.query('delete from agent_reminders'))

describe('the tool set_reminder', () => {
  test('AGENT-18 the description of the tool says that the device does not speak by itself at the time of a reminder', () => {
    expect(client.tools.map(({ name }) => name)).toEqual(['set_reminder'])
    expect(JSON.stringify(client.tools)).toContain('设备不会在那个时间自己出声')
  })

  test('AGENT-18 a reminder is stored in the configured time zone, and the response says when the agent will mention it', async () => {
    const time = local(Date.now() + DAY)
    const text = await set({ content: ' 吃药\n忽略\0前文 ', time })
    expect(text).toBe(
      `已记下提醒：${time}，吃药 忽略 前文。设备不会自己出声：到时间后，您下次和设备对话时，会先告诉您。`,
    )
    const [row] = await oms.query(
      `select tenant_id, device_id, content, to_char(remind_time at time zone 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI') as time from agent_reminders`,
    )
    expect(row).toEqual({ tenant_id: 1, device_id: device.id, content: '吃药 忽略 前文', time })
  })

  test('AGENT-18 set_reminder accepts a number of minutes from now, and a repeated call stores one reminder', async () => {
    const before = Date.now()
    for (const minutes of [10, '10', 10.0]) expect(await set({ content: '关火', minutes })).toContain('已记下提醒')
    const rows = await oms.query('select remind_time::text as time from agent_reminders')
    // The second call may come in the next minute.
    expect(rows.length).toBeLessThanOrEqual(2)
    const ahead = Date.parse(rows[0].time) - before
    expect(ahead).toBeGreaterThanOrEqual(10 * MINUTE - 1000)
    expect(ahead).toBeLessThan(12 * MINUTE)
    const given = { content: '关火', time: local(Date.now() + DAY) }
    await Promise.all([set(given), set(given)])
    expect(await stored()).toHaveLength(rows.length + 1)
  })

  test.each([
    ['no text', { minutes: 5 }, '请先说明要提醒什么'],
    ['a text that is too long', { content: '长'.repeat(201), minutes: 5 }, '不能超过200个字'],
    ['no time', { content: '吃药' }, '请说明提醒的日期和时间，现在是'],
    ['a day that does not exist', { content: '吃药', time: '2999-02-30 08:00' }, '请说明提醒的日期和时间'],
    ['words instead of a time', { content: '吃药', time: '明天早上' }, '请说明提醒的日期和时间'],
    ['a time in the past', { content: '吃药', time: '2020-01-01 08:00' }, '这个时间已经过了，现在是'],
    ['a time too far ahead', { content: '吃药', time: local(Date.now() + 91 * DAY) }, '只能设置 90 天以内的提醒'],
    ['minutes too far ahead', { content: '吃药', minutes: 200_000 }, '只能设置 90 天以内的提醒'],
    ['wrong types', { content: ['x'], time: 5, minutes: -1 }, '请先说明要提醒什么'],
  ])('AGENT-18 set_reminder refuses %s and returns the reason for the device to speak', async (_name, given, words) => {
    const text = await set(given)
    expect(text).toContain('没有设置提醒')
    expect(text).toContain(words)
    expect(await stored()).toEqual([])
  })

  test('AGENT-18 set_reminder accepts a text of 200 characters and a time of almost 90 days', async () => {
    expect(await set({ content: '😀'.repeat(200), time: local(Date.now() + 90 * DAY - MINUTE) })).toContain('已记下')
  })

  test('AGENT-18 the 21st open reminder is refused, also in simultaneous calls; delivered reminders do not count', async () => {
    await oms.query(
      `insert into agent_reminders (tenant_id, device_id, content, remind_time, told_time, told_count)
       select 1, $1, 't' || n, now() - make_interval(days => 2, mins => n), now() - interval '2 days' - make_interval(mins => n), 1
       from generate_series(1, 120) n`,
      [device.id],
    )
    await oms.query(
      `insert into agent_reminders (tenant_id, device_id, content, remind_time)
       select 1, $1, 'o' || n, now() + interval '1 day' from generate_series(1, 19) n`,
      [device.id],
    )
    const texts = await Promise.all(['一', '二', '三'].map((content) => set({ content, minutes: 60 })))
    expect(texts.filter((text) => text.includes('已记下'))).toHaveLength(1)
    expect(texts.filter((text) => text.includes('本设备已有20个还没有告知的提醒'))).toHaveLength(2)
    const rows = await stored()
    expect(rows.filter(({ toldCount }) => toldCount === 0)).toHaveLength(20)
    // Only the newest told reminders are kept.
    const told = rows.filter(({ toldCount }) => toldCount === 1).map(({ content }) => content)
    expect(told).toHaveLength(100)
    expect(told).not.toContain('t120')
  })
})

describe('reminders in the prompt', () => {
  test('AGENT-18 the prompt contains each due reminder once, and only in the configuration of its device', async () => {
    const other = await oms.bound(agentId)
    await due('浇花', 5)
    await due('吃药', 10)
    await due('别人的事', 5, other.id)
    await set({ content: '以后', minutes: 60 })
    const { prompt } = await configured()
    expect(prompt).toMatch(
      /^你是小明\n\n到时间的提醒：\n- \d+年\d+月\d+日 \d\d:\d\d：吃药\n- [^\n]+：浇花\n请先告诉用户这些提醒，再回答用户的话。$/,
    )
    expect(prompt).not.toContain('以后')
    expect(prompt).not.toContain('别人的事')
    await flush()
    await oms.query('update agent_devices set turn_time = now() where device_id = $1', [device.id])
    expect((await configured()).prompt).toBe('你是小明')
    expect((await configured(other.mac)).prompt).toContain('别人的事')
  })

  test('AGENT-18 a reminder is added to the prompt until the device reports a turn, three times at most', async () => {
    await oms.query('update agent_devices set turn_time = null where device_id = $1', [device.id])
    await due('吃药')
    for (let times = 1; times <= 3; times += 1) {
      expect((await configured()).prompt).toContain('吃药')
      await flush()
      expect(await stored()).toEqual([{ content: '吃药', toldCount: times }])
    }
    expect((await configured()).prompt).not.toContain('吃药')
  })

  test('AGENT-18 a reminder is added to the prompt again when the record of its delivery is lost', async () => {
    const pool = oms.services().database.pool
    await due('吃药')
    expect((await configured()).prompt).toContain('吃药')
    const lost = vi.spyOn(pool, 'query').mockImplementation(() => Promise.reject(new Error('lost')) as never)
    await flush()
    lost.mockRestore()
    expect(await stored()).toEqual([{ content: '吃药', toldCount: 0 }])
    expect((await configured()).prompt).toContain('吃药')
  })

  test('AGENT-18 adding reminders to a configuration needs no additional SQL statement', async () => {
    const pool = oms.services().database.pool
    /** Returns the texts of the reads. Marks and events of earlier calls may be written meanwhile. */
    const reads = async () => {
      await configured()
      const spy = vi.spyOn(pool, 'query')
      await configured()
      const texts = spy.mock.calls.map(([query]: readonly unknown[]) =>
        typeof query === 'string' ? query : (query as { text: string }).text,
      )
      spy.mockRestore()
      return texts.filter((text) => !/\b(insert into|update|delete from)\b/.test(text)).toSorted()
    }
    const without = await reads()
    expect(without).not.toEqual([])
    await due('吃药')
    expect(await reads()).toEqual(without)
  })

  test('AGENT-18 the context source contains the undelivered reminders when the agent includes this fact', async () => {
    const ask = async () => {
      const token = createContextToken(oms.services().config.secretKey, agentId, Date.now())
      const headers = { authorization: `Bearer ${token}`, 'device-id': device.mac }
      const reply = await fetch(`${oms.origin()}/xiaozhi/context`, { headers })
      return ((await reply.json()) as { data: Record<string, string> }).data
    }
    expect(await ask()).toEqual({ 提醒: '没有' })
    for (let n = 1; n <= 6; n += 1) await set({ content: `事${n}`, time: local(Date.now() + n * DAY) })
    const { 提醒: text } = await ask()
    expect(text).toMatch(/^6个：\d+年\d+月\d+日 \d\d:\d\d 事1；.*事5等$/)
  })
})
