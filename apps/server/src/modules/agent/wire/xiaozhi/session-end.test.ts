import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dropSummaries } from '../../history/memory.ts'
import { registerSessionWork } from '../../history/session-work.ts'
import { createJsonServer } from '#test/clients/json-server.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const prompts: string[] = []
let answer = ''
/** Runs while the model writes its answer. */
let meanwhile = async () => {}
const vendor = createJsonServer(async ({ messages }, _request, response) => {
  await meanwhile()
  prompts.push(messages[0].content)
  if (answer === '') return void response.writeHead(500).end('{"error":{"message":"down"}}')
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`data: ${JSON.stringify({ choices: [{ delta: { content: answer } }] })}\n\ndata: [DONE]\n\n`)
})

describe('end of a session', () => {
  let slm = 0
  beforeAll(async () => {
    await new Promise<void>((done) => vendor.listen(0, '127.0.0.1', done))
    const { port } = vendor.address() as AddressInfo
    slm = await oms.model('SLM_T', 'LLM', { type: 'openai', base_url: `http://127.0.0.1:${port}/v1`, model_name: 'm' })
    registerSessionWork(oms.services())
  })
  afterAll(() => void vendor.close())
  let session = 0
  const talk = async (mac: string, words: readonly string[]) => {
    session += 1
    for (const [at, content] of words.entries())
      await oms.call('agent/chat-history/report', {
        body: {
          macAddress: mac,
          sessionId: `end${session}`,
          chatType: 1 + (at % 2),
          content,
          reportTime: Date.now() + at,
        },
      })
    return `end${session}`
  }
  const post = async (path: string) => (await oms.call(path)).json()
  const titleOf = async (id: string) =>
    (await oms.query('select title from agent_sessions where session_id = $1', [id]))[0].title

  test('AGENT-02 title and summary requests return null at once; a job calls the small model later', async () => {
    const device = await oms.bound(await oms.agent({ slm_id: slm }))
    await oms.query(`update agent_devices set memory = '旧记忆' where device_id = $1`, [device.id])
    const id = await talk(device.mac, ['我叫小红喜欢猫', '好的', '嗯', '再见'])
    answer = '“喜欢猫的小红”'
    expect(await post(`agent/chat-title/${id}/generate`)).toEqual({ code: 0, msg: 'success', data: null })
    expect(await post(`agent/chat-summary/${id}/save`)).toEqual({ code: 0, msg: 'success', data: null })
    expect(await titleOf(id)).toBe('')
    await oms.services().jobs.drain()
    expect(await titleOf(id)).toBe('喜欢猫的小红')
    const [row] = await oms.query(
      `select memory, session_id, close_time is not null as closed from agent_devices where device_id = $1`,
      [device.id],
    )
    expect(row).toEqual({ memory: '“喜欢猫的小红”', session_id: '', closed: true })
    const summary = prompts.find((text) => text.includes('旧记忆'))!
    expect([summary.includes('我叫小红喜欢猫'), summary.includes('嗯'), summary.includes('好的')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('AGENT-02 without a small model or after three failures of the model, the title is the shortened first user turn', async () => {
    const plain = await talk((await oms.bound(await oms.agent())).mac, ['今天广州的天气怎么样要不要带伞出门', '晴'])
    await post(`agent/chat-title/${plain}/generate`)
    const failing = await talk((await oms.bound(await oms.agent({ slm_id: slm }))).mac, ['讲个笑话吧', '好'])
    answer = ''
    await post(`agent/chat-title/${failing}/generate`)
    await oms.services().jobs.drain()
    expect([await titleOf(plain), await titleOf(failing)]).toEqual(['今天广州的天气怎么样要不要带伞', '讲个笑话吧'])
    const [work] = await oms.query(
      `select state, tries from agent_after f join agent_sessions s on s.id = f.session_row_id where s.session_id = $1`,
      [failing],
    )
    expect(work).toEqual({ state: 3, tries: 3 })
  })

  test('AGENT-09 the summary of an agent with shared memory is stored in the agent', async () => {
    const agentId = await oms.agent({ slm_id: slm, memory_scope: 2 })
    const id = await talk((await oms.bound(agentId)).mac, ['我住在广州天河区'])
    answer = '住在天河'
    await post(`agent/chat-summary/${id}/save`)
    await oms.services().jobs.drain()
    expect(await oms.query('select memory from agents where id = $1', [agentId])).toEqual([{ memory: '住在天河' }])
  })

  test('AGENT-09 a memory that staff edit while the model summarises is merged again, so that no edit is lost', async () => {
    const device = await oms.bound(await oms.agent({ slm_id: slm }))
    const id = await talk(device.mac, ['我喜欢红色的气球'])
    answer = '喜欢红色'
    meanwhile = async () => {
      meanwhile = async () => {}
      await oms.query(`update agent_devices set memory = '对花生过敏' where device_id = $1`, [device.id])
    }
    await post(`agent/chat-summary/${id}/save`)
    await oms.services().jobs.drain()
    expect(prompts.at(-2)).not.toContain('对花生过敏')
    expect(prompts.at(-1)).toContain('旧记忆：\n对花生过敏\n')
    expect(await oms.query('select memory from agent_devices where device_id = $1', [device.id])).toEqual([
      { memory: '喜欢红色' },
    ])
  })

  test('AGENT-09 a memory or title that is erased while the model runs is not stored again', async () => {
    const device = await oms.bound(await oms.agent({ slm_id: slm }))
    const id = await talk(device.mac, ['我喜欢红色的气球'])
    answer = '喜欢红色'
    meanwhile = () =>
      oms.services().database.db.transaction(async (db) => {
        await db.execute(sql`update agent_devices set memory = '' where device_id = ${device.id}`)
        await dropSummaries(db, sql`s.device_id = ${device.id}`)
        await db.execute(sql`delete from agent_after`)
      })
    await post(`agent/chat-summary/${id}/save`)
    await oms.services().jobs.drain()
    await post(`agent/chat-title/${id}/generate`)
    await oms.services().jobs.drain()
    meanwhile = async () => {}
    const [found] = await oms.query(
      'select memory, title from agent_devices join agent_sessions using (device_id) where device_id = $1',
      [device.id],
    )
    expect(found).toEqual({ memory: '', title: '' })
  })

  test('AGENT-02 an unknown session returns 10053; AGENT-03 a session of another tenant returns 10053', async () => {
    expect((await post('agent/chat-title/nothing/generate')).code).toBe(10_053)
    expect((await post('agent/chat-summary/nothing/save')).code).toBe(10_053)
    const id = await talk((await oms.bound(await oms.agent())).mac, ['你好'])
    const own = 'own-secret-of-acme-0123456789'
    await oms.ownSecret(7, own)
    expect((await oms.call(`agent/chat-title/${id}/generate`, { secret: own })).json().code).toBe(10_053)
  })

  test('AGENT-02 the memory that old voice servers send is stored', async () => {
    const device = await oms.bound(await oms.agent())
    const put = (mac: string) =>
      oms.call(`agent/saveMemory/${mac}`, { method: 'PUT', body: { summaryMemory: '喜欢\u0000狗' } })
    expect((await put(encodeURIComponent(device.mac))).json()).toEqual({ code: 0, msg: 'success', data: null })
    expect(await oms.query('select memory from agent_devices where device_id = $1', [device.id])).toEqual([
      { memory: '喜欢狗' },
    ])
    expect((await put('00:00:00:00:00:01')).json().code).toBe(10_041)
    await oms.query(`update agent_devices set memory = '' where device_id = $1`, [device.id])
    await oms.query(`insert into agent_params (tenant_id, code, value) values (1, 'history.mode', '1')`)
    oms.services().agentParameters.forget()
    expect((await put(encodeURIComponent(device.mac))).json()).toEqual({ code: 0, msg: 'success', data: null })
    expect(await oms.query('select memory from agent_devices where device_id = $1', [device.id])).toEqual([
      { memory: '' },
    ])
    await oms.query(`delete from agent_params where code = 'history.mode'`)
    oms.services().agentParameters.forget()
  })

  describe('a memory that an old voice server saves', () => {
    const memoryOf = async (id: number) =>
      (await oms.query('select memory from agent_devices where device_id = $1', [id]))[0].memory as string
    const edit = (id: number, memory: string) =>
      oms.query('update agent_devices set memory = $2, memory_edit_time = now() where device_id = $1', [id, memory])
    const MINUTE_AGO = `memory = '旧', memory_edit_time = now() - interval '1 minute'`
    const put = (mac: string, summaryMemory: string) =>
      oms.call(`agent/saveMemory/${encodeURIComponent(mac)}`, { method: 'PUT', body: { summaryMemory } })
    const connect = async (mac: string) => {
      await oms.call('config/agent-models', { body: { macAddress: mac, clientId: 'c', selectedModule: {} } })
      await oms.services().voiceServers.events.flush()
    }

    test('AGENT-09 an edit during the session is kept, and the words of the session are merged into the edited memory', async () => {
      const device = await oms.bound(await oms.agent({ slm_id: slm }))
      await connect(device.mac)
      await talk(device.mac, ['我喜欢红色的气球'])
      await edit(device.id, '对花生过敏')
      // The configuration of a camera question is not the start of the session.
      await connect(device.mac)
      answer = '对花生过敏，喜欢红色'
      expect((await put(device.mac, '喜欢红色')).json()).toEqual({ code: 0, msg: 'success', data: null })
      expect(await memoryOf(device.id)).toBe('对花生过敏')
      await oms.services().jobs.drain()
      expect(prompts.at(-1)).toContain('旧记忆：\n对花生过敏\n')
      expect(await memoryOf(device.id)).toBe('对花生过敏，喜欢红色')
    })

    test('AGENT-09 an edit between the connection and the first turn is kept; an erased memory stays empty', async () => {
      const device = await oms.bound(await oms.agent({ slm_id: slm }))
      await connect(device.mac)
      await edit(device.id, '')
      await talk(device.mac, ['我喜欢红色的气球'])
      const before = prompts.length
      await put(device.mac, '喜欢红色')
      await oms.services().jobs.drain()
      expect(await memoryOf(device.id)).toBe('')
      expect(prompts.length).toBe(before)
    })

    test('AGENT-09 a saved memory replaces an edit made before the session, also in an agent with shared memory', async () => {
      const agentId = await oms.agent({ slm_id: slm, memory_scope: 2 })
      const [own, shared] = [await oms.bound(await oms.agent()), await oms.bound(agentId)]
      await oms.query(`update agent_devices set ${MINUTE_AGO} where device_id = $1`, [own.id])
      await oms.query(`update agents set ${MINUTE_AGO} where id = $1`, [agentId])
      for (const { mac } of [own, shared]) {
        await connect(mac)
        await talk(mac, ['我喜欢红色的气球'])
        await put(mac, '新')
      }
      expect(await memoryOf(own.id)).toBe('新')
      expect(await oms.query('select memory from agents where id = $1', [agentId])).toEqual([{ memory: '新' }])
    })
  })

  test.each(['', '{"summaryMemory":', '[]', '{}', '{"summaryMemory":5}', '{"summaryMemory":null}'])(
    'AGENT-02 the memory report %j does not change the stored memory',
    async (body) => {
      const device = await oms.bound(await oms.agent())
      await oms.query(`update agent_devices set memory = '喜欢狗' where device_id = $1`, [device.id])
      const path = `agent/saveMemory/${encodeURIComponent(device.mac)}`
      expect((await oms.call(path, { method: 'PUT', body })).json().code).toBe(10_034)
      expect(await oms.query('select memory from agent_devices where device_id = $1', [device.id])).toEqual([
        { memory: '喜欢狗' },
      ])
    },
  )

  test('AGENT-02 the address book returns sentences that the voice server speaks', async () => {
    const agentId = await oms.agent()
    const [mine, other] = [await oms.bound(agentId), await oms.bound(agentId)]
    const hex = (mac: string) => mac.replaceAll(':', '')
    await oms.query(`insert into agent_contacts (tenant_id, mac, target_mac, alias) values (1, $1, $2, '奶奶')`, [
      hex(mine.mac),
      hex(other.mac),
    ])
    const get = async (name: string, mac = mine.mac, path = 'call') =>
      (
        await oms.call(`device/address-book/${path}?callerMac=${mac}&nickname=${encodeURIComponent(name)}`, {
          method: 'GET',
        })
      ).json()
    expect(await get('爷爷')).toMatchObject({
      code: 0,
      data: { status: 'error', message: expect.stringMatching(/没有这个名字/) },
    })
    expect((await get('奶奶')).data).toMatchObject({ status: 'error', message: expect.stringMatching(/网关/) })
    expect((await get('奶奶', mine.mac, 'lookup')).data).toMatchObject({
      targetMac: hex(other.mac),
      hasPermission: true,
    })
    expect((await get('奶奶', 'wrong')).code).toBe(0)
  })
})

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
