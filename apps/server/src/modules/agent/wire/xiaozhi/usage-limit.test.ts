import { describe, expect, test } from 'vitest'
import { NO_PACKAGE_TEXT } from '../../orders/open-packs.ts'
import { limitLab, NOTICE } from '#test/fixtures/limit-fixture.ts'
import { chunksOf, QUESTION, wordsOf } from '#test/fixtures/relay-fixture.ts'

const { oms, lab, sell, configuration, asked, limitTo, eventsOf } = limitLab()
const [COUNT, WARN, STOP] = ['0', '1', '2'] as const

describe('AGENT-16 a relayed model', () => {
  test('AGENT-16 at the limit the relay streams the notice as a completion and calls no vendor', async () => {
    await limitTo(STOP)
    const { status, type, text } = await asked()
    expect([status, type]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(wordsOf(text)).toBe(NOTICE)
    const { chunks, isDone } = chunksOf(text)
    expect(isDone).toBe(true)
    expect(chunks[0]).toMatchObject({
      object: 'chat.completion.chunk',
      model: 'LLM_Relayed',
      choices: [{ index: 0, delta: { role: 'assistant', content: NOTICE }, finish_reason: null }],
    })
    expect(chunks.at(-1)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }] })
    expect(lab.vendor.calls).toEqual([])
    expect(await oms.query('select from agent_usage')).toEqual([])
    expect(await eventsOf(18)).toEqual([{ detail: { reason: NO_PACKAGE_TEXT } }])
  })

  test('AGENT-16 at the limit a client that does not stream gets the notice as a plain completion', async () => {
    await limitTo(STOP)
    const { text } = await asked({ ...QUESTION, stream: false })
    expect(JSON.parse(text)).toMatchObject({
      object: 'chat.completion',
      model: 'LLM_Relayed',
      choices: [{ index: 0, message: { role: 'assistant', content: NOTICE }, finish_reason: 'stop' }],
      usage: { total_tokens: 0 },
    })
  })

  test('AGENT-16 the relay stops a device during a session, and serves it again after a purchase', async () => {
    await limitTo(STOP)
    const id = await sell()
    expect(wordsOf((await asked()).text)).toBe('你好')
    await oms.query('update agent_grants set state = 2, spent = total, remaining = 0 where id = $1', [id])
    expect(wordsOf((await asked()).text)).toBe(NOTICE)
    await sell({ state: 0 })
    expect(wordsOf((await asked()).text)).toBe('你好')
  })

  test('AGENT-16 the relay serves devices when usage.limit is set to count or warn; changes apply at once', async () => {
    for (const mode of [COUNT, WARN]) {
      await limitTo(mode)
      expect(wordsOf((await asked()).text)).toBe('你好')
    }
    await limitTo(STOP)
    expect(wordsOf((await asked()).text)).toBe(NOTICE)
    await oms.param('usage.notice', '换一句')
    expect(wordsOf((await asked()).text)).toBe('换一句')
  })

  test('AGENT-16 the relay stops a device after the job agent-usage-fold has charged the last remaining usage', async () => {
    await limitTo(STOP)
    const [order] = await oms.query(
      `insert into agent_orders (order_no, tenant_id, package_id, package_version_id, package_name, target_count, copies, unit_price, amount)
       values ('AO1', 1, 1, 1, '包', 1, 1, 0, 0) returning id`,
    )
    const id = await sell({ unit: 5, remaining: 3 })
    await oms.query('update agent_grants set order_id = $2 where id = $1', [id, order.id])
    expect(wordsOf((await asked()).text)).toBe('你好')
    await expect.poll(() => oms.query('select from agent_usage where unit = 7')).not.toEqual([])
    const { mergeUsage } = await import('../../usage/usage-merge.ts')
    await mergeUsage(oms.services().database.db)
    expect(wordsOf((await asked()).text)).toBe(NOTICE)
  })
})

describe('AGENT-16 packs of device, agent and tenant', () => {
  test.each([
    ['device', 1, () => lab.device.id],
    ['agent', 2, () => lab.agentId],
    ['tenant', 3, () => 1],
  ])('AGENT-16 a pack of the %s lets the device talk', async (_name, scope, targetOf) => {
    await limitTo(STOP)
    await sell({ scope, targetId: targetOf() + 1000 })
    expect(wordsOf((await asked()).text)).toBe(NOTICE)
    await sell({ scope, targetId: targetOf() })
    expect(wordsOf((await asked()).text)).toBe('你好')
  })

  test('AGENT-16 a device may talk with an unlimited pack until the pack ends, and not while the pack is frozen', async () => {
    await limitTo(STOP)
    const id = await sell({ isUnlimited: 1, remaining: 0 })
    expect(wordsOf((await asked()).text)).toBe('你好')
    await oms.query('update agent_grants set is_frozen = 1 where id = $1', [id])
    expect(wordsOf((await asked()).text)).toBe(NOTICE)
    await oms.query(`update agent_grants set is_frozen = 0, valid_until = now() - interval '1 second' where id = $1`, [
      id,
    ])
    expect(wordsOf((await asked()).text)).toBe(NOTICE)
  })

  test('AGENT-16 a device that used its last device day may talk until midnight', async () => {
    await limitTo(STOP)
    const id = await sell({ unit: 1, remaining: 0, spent: 30, state: 2 })
    expect(wordsOf((await asked()).text)).toBe(NOTICE)
    await oms.query(
      `insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day) values (1, $1, 1, 2, 1, current_date - 1)`,
      [id],
    )
    expect(wordsOf((await asked()).text)).toBe(NOTICE)
    await oms.query(
      `insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day) values (1, $1, 1, 2, 1, current_date)`,
      [id],
    )
    expect(wordsOf((await asked()).text)).toBe('你好')
  })
})

describe('AGENT-16 the configuration of a device', () => {
  const plain = async () => {
    const agentId = await oms.agent()
    return { agentId, device: await oms.bound(agentId) }
  }

  test('AGENT-16 a stopped device gets code 0 and a prompt with the notice, without memory, tools or other models', async () => {
    const { device } = await plain()
    await limitTo(STOP)
    await oms.query('update agent_models set status = 0 where id = $1', [lab.main])
    const { code, data } = await configuration(device.mac)
    expect(code).toBe(0)
    expect(data.prompt).toContain(NOTICE)
    expect(data.prompt).not.toContain('小明')
    expect(data).toMatchObject({
      device_max_output_size: String(NOTICE.length),
      Memory: { Memory_T: { type: 'nomem' } },
      Intent: { Intent_T: { type: 'nointent' } },
      plugins: {},
      summaryMemory: null,
      context_providers: [],
    })
    expect(data.mcp_endpoint).toBeUndefined()
    expect(data.selected_module).toMatchObject({ VAD: 'VAD_T', ASR: 'ASR_T', TTS: 'TTS_T', LLM: 'LLM_T' })
    await oms.query('update agent_models set status = 1 where id = $1', [lab.main])
  })

  test('AGENT-16 a stopped device gets a relayed model, else the cheapest model with a price, else its own model', async () => {
    const { agentId, device } = await plain()
    await limitTo(STOP)
    const llm = async () => (await configuration(device.mac)).data.selected_module.LLM
    const [cheap, dear] = [await oms.model('LLM_Cheap', 'LLM', openai), await oms.model('LLM_Dear', 'LLM', openai)]
    for (const id of [cheap, dear]) await oms.modelSecret(id, 'api_key', 'sk-x')
    const price = (id: number, fen: number) =>
      oms.query('update agent_models set price_out = $2, shared = 1 where id = $1', [id, fen])
    await price(cheap, 10)
    await price(dear, 90)
    await oms.query('update agent_models set status = 0 where id = $1', [lab.main])
    expect(await llm()).toBe('LLM_T')
    await oms.query('update agent_models set price_out = 50 where id = $1', [oms.ids['llm']])
    expect(await llm()).toBe('LLM_Cheap')
    await price(cheap, 70)
    expect(await llm()).toBe('LLM_T')
    await oms.query('update agent_models set status = 1 where id = $1', [lab.main])
    expect(await llm()).toBe('LLM_Relayed')
    await oms.query('update agents set llm_id = $2 where id = $1', [agentId, lab.main])
    const { data } = await configuration(device.mac)
    expect(data.LLM.LLM_Relayed.base_url).toBe(`${oms.origin()}/xiaozhi/llm/v1`)
    expect(data.device_max_output_size).toBe('0')
  })

  test('AGENT-16 without the relay, the output limit is the remaining characters plus the characters spoken today', async () => {
    const { agentId, device } = await plain()
    await limitTo(STOP)
    await sell({ targetId: device.id, unit: 4, remaining: 500 })
    const size = async () => (await configuration(device.mac)).data.device_max_output_size
    expect(await size()).toBe('500')
    await oms.query(
      `insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n)
       values (current_date, 1, $1, $2, 0, 1, 4, 40), (current_date - 1, 1, $1, $2, 0, 1, 4, 900), (current_date, 1, $1, $2, 0, 2, 4, 900)`,
      [agentId, device.id],
    )
    expect(await size()).toBe('540')
    await oms.param('device_max_output_size', '300')
    expect(await size()).toBe('300')
    await limitTo(WARN)
    expect(await size()).toBe('300')
  })

  test('AGENT-16 the configuration is unchanged below the limit, and above the limit when usage.limit is set to warn', async () => {
    const { device } = await plain()
    const before = (await configuration(device.mac)).data
    await limitTo(STOP)
    await sell({ targetId: device.id })
    expect((await configuration(device.mac)).data).toEqual(before)
    await oms.query('delete from agent_grants')
    await limitTo(WARN)
    expect((await configuration(device.mac)).data).toEqual(before)
  })

  test.each([
    ['stores nothing', 'mem_local_short', 0],
    ['has no memory', 'nomem', 2],
  ])(
    'AGENT-16 with every value of usage.limit, voice servers report the turns of an agent that %s',
    async (_name, type, conf) => {
      const memory = await oms.model(`Memory_${type}_${conf}`, 'Memory', { type })
      const device = await oms.bound(await oms.agent({ chat_history_conf: conf, mem_id: memory }))
      const history = async () => (await configuration(device.mac)).data.chat_history_conf
      for (const mode of [COUNT, WARN, STOP]) {
        await limitTo(mode)
        expect(await history()).toBe(1)
      }
    },
  )

  test('AGENT-16 the timeline says why a device was stopped or exceeded its limit', async () => {
    await limitTo(WARN)
    await configuration()
    await limitTo(STOP)
    await configuration()
    const details = (await eventsOf(11)).map(({ detail }) => [detail.limit, detail.isStopped])
    expect(details).toEqual([
      [NO_PACKAGE_TEXT, false],
      [NO_PACKAGE_TEXT, true],
    ])
  })

  test('AGENT-16 a device may talk only with packs of its current tenant', async () => {
    const agentId = await oms.agent({ tenant_id: 7 })
    const device = await oms.bound(agentId, 7)
    await limitTo(STOP, 7)
    await sell({ scope: 3, targetId: 1 })
    expect((await configuration(device.mac)).data.prompt).toContain(NOTICE)
    await sell({ targetId: device.id })
    expect((await configuration(device.mac)).data.prompt).toContain(NOTICE)
    await sell({ targetId: device.id, tenantId: 7 })
    expect((await configuration(device.mac)).data.prompt).toBe('你是小明')
    expect((await configuration()).data.prompt).toBe('你是小明')
  })

  test('AGENT-16 a second process applies the same usage limit', async () => {
    await limitTo(STOP)
    const other = await oms.another()
    const body = { macAddress: lab.device.mac, clientId: 'c', selectedModule: {} }
    const elsewhere = async () =>
      (await oms.call('config/agent-models', { body, origin: other.origin })).json().data.prompt
    expect(await elsewhere()).toContain(NOTICE)
    await sell()
    expect(await elsewhere()).toBe('你是小明')
  })
})

const openai = { type: 'openai', base_url: 'http://127.0.0.1:9/v1' }
