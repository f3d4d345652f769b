import { beforeAll, describe, expect, test } from 'vitest'
import { readModelConfigs } from '../../models/model-config.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const ask = (macAddress: string, more: object = {}, secret?: string) =>
  oms
    .call('config/agent-models', {
      body: { macAddress, clientId: 'c', selectedModule: {}, ...more },
      ...(secret !== undefined && { secret }),
    })
    .then((reply) => reply.json())

describe('configuration of a device', () => {
  let device: { id: number; mac: string }
  let agentId: number
  beforeAll(async () => {
    agentId = await oms.agent()
    device = await oms.bound(agentId)
  })

  test('AGENT-02 agent-models returns the agent with decrypted secrets and with plugins as JSON texts', async () => {
    await oms.query('update agent_devices set memory = $2 where device_id = $1', [device.id, '喜欢猫'])
    const { code, data } = await ask(device.mac.toUpperCase())
    expect(code).toBe(0)
    expect(data).toEqual({
      device_max_output_size: '0',
      chat_history_conf: 2,
      selected_module: {
        VAD: 'VAD_T',
        ASR: 'ASR_T',
        LLM: 'LLM_T',
        TTS: 'TTS_T',
        Memory: 'Memory_T',
        Intent: 'Intent_T',
      },
      VAD: { VAD_T: { type: 'silero', threshold: 0.5 } },
      ASR: { ASR_T: { type: 'aliyun', token: 'raw-token', appkey: '', access_key_secret: '' } },
      LLM: { LLM_T: { type: 'openai', base_url: 'http://127.0.0.1:9/v1', api_key: 'sk-raw-key' } },
      TTS: { TTS_T: { type: 'edge', voice: 'x' } },
      Memory: { Memory_T: { type: 'mem_local_short', llm: 'LLM_T' } },
      Intent: { Intent_T: { type: 'function_call' } },
      plugins: { get_weather: '{"default_location":"广州"}' },
      prompt: '你是小明',
      summaryMemory: '喜欢猫',
      context_providers: [],
    })
    expect(oms.logs.join('\n')).not.toContain('sk-raw-key')
    await oms.services().voiceServers.marks.flush()
    const [row] = await oms.query('select session_time is not null as at from agent_devices where device_id = $1', [
      device.id,
    ])
    expect(row.at).toBe(true)
  })

  test('AGENT-02 the configuration omits the VAD and ASR models that the voice server has already loaded', async () => {
    const { data } = await ask(device.mac, { selectedModule: { VAD: 'VAD_T', ASR: 'ASR_T' } })
    expect(Object.keys(data.selected_module)).toEqual(['TTS', 'Memory', 'Intent', 'LLM'])
    expect([data.VAD, data.ASR]).toEqual([undefined, undefined])
  })

  test('AGENT-06 a disabled language model is replaced by its fallback; without a fallback the device gets the reason', async () => {
    const config = { type: 'openai', base_url: 'http://127.0.0.1:9/v1' }
    const [main, second] = [await oms.model('LLM_Off', 'LLM', config), await oms.model('LLM_Second', 'LLM', config)]
    const { mac } = await oms.bound(await oms.agent({ llm_id: main, slm_id: main }))
    await oms.query('update agent_models set status = 0 where id = $1', [main])
    const refusal = { code: 10_053, msg: '大语言模型「LLM_Off」已停用' }
    expect(await ask(mac)).toMatchObject(refusal)
    await oms.services().voiceServers.events.flush()
    const [event] = await oms.query('select kind, detail from agent_events where mac = $1', [mac.replaceAll(':', '')])
    expect(event).toEqual({ kind: 12, detail: { reason: refusal.msg } })
    await oms.query('update agent_models set fallback_model_id = $2 where id = $1', [main, second])
    const { data } = await ask(mac)
    expect(data.selected_module).toMatchObject({ LLM: 'LLM_Second' })
    expect([Object.keys(data.LLM), data.SLM]).toEqual([['LLM_Second', 'LLM_T'], undefined])
    await oms.query('update agent_models set status = 0 where id = $1', [second])
    expect(await ask(mac)).toMatchObject(refusal)
  })

  test('AGENT-02 only the bound Client-Id and the MAC address get the configuration; with device.identity 0, any Client-Id gets it', async () => {
    const { id, mac } = await oms.bound(agentId)
    await oms.query(`update agent_devices set client_id = 'bound-client' where device_id = $1`, [id])
    expect((await ask(mac)).code).toBe(10_041)
    for (const clientId of ['bound-client', mac, mac.replaceAll(':', '_')])
      expect((await ask(mac, { clientId })).code, clientId).toBe(0)
    await oms.param('device.identity', '0')
    expect((await ask(mac)).code).toBe(0)
    await oms.query(`delete from agent_params where code = 'device.identity'`)
    oms.services().agentParameters.forget()
  })

  test('AGENT-06 devices of tenants cannot use a platform model that is no longer shared; platform devices can', async () => {
    const tts = await oms.model('TTS_Shared', 'TTS', { type: 'edge' })
    const [mine, own] = [await oms.agent({ tts_id: tts, tenant_id: 7 }), await oms.agent({ tts_id: tts })]
    const [other, platform] = [await oms.bound(mine, 7), await oms.bound(own)]
    expect((await ask(other.mac)).code).toBe(0)
    await oms.query('update agent_models set shared = 0 where id = $1', [tts])
    expect(await ask(other.mac)).toMatchObject({ code: 10_053, msg: '语音合成「TTS_Shared」已不再共享' })
    expect((await ask(platform.mac)).code).toBe(0)
  })

  test('AGENT-02 an edited agent applies from the next connection', async () => {
    await oms.query(`update agents set system_prompt = '新' where id = $1`, [agentId])
    expect((await ask(device.mac)).data.prompt).toBe('新')
    await oms.query(`update agents set system_prompt = '你是{{assistant_name}}' where id = $1`, [agentId])
  })

  test('AGENT-02 the configuration has clone, voiceprints and MCP address; commas in speaker names become spaces', async () => {
    const tts = await oms.model('TTS_H', 'TTS', { type: 'huoshan_double_stream' })
    const [clone] = await oms.query(
      `insert into agent_voice_clones (tenant_id, model_id, name, voice_id, state, consent_speaker, consent_time)
       values (1, $1, '妈妈', 'S_abc', 2, '妈妈', now()) returning id`,
      [tts],
    )
    const special = await oms.agent({ tts_id: tts, clone_id: clone.id })
    await oms.query(
      `insert into agent_voiceprints (tenant_id, agent_id, name, introduction) values (1, $1, '张,三', '爸爸')`,
      [special],
    )
    await oms.param('server.voice_print', 'http://host:8005/voiceprint/health?key=k')
    await oms.param('server.mcp_endpoint', 'http://host:8004/mcp_endpoint/health?key=k')
    const { data } = await ask((await oms.bound(special)).mac)
    expect(data.TTS.TTS_H).toEqual({
      type: 'huoshan_double_stream',
      access_token: '',
      private_voice: 'S_abc',
      language: '普通话',
      resource_id: 'seed-icl-1.0',
    })
    expect(data.voiceprint).toMatchObject({
      url: 'http://host:8005/voiceprint/health?key=k',
      similarity_threshold: 0.4,
    })
    expect(data.voiceprint.speakers[0]).toMatch(/^\d+,张 三,爸爸$/)
    expect(data.mcp_endpoint).toMatch(/^ws:\/\/host:8004\/mcp_endpoint\/call\/\?token=/)
  })

  test('AGENT-10 a cloned voice takes precedence over the chosen voice, unless the feature clone is off', async () => {
    const tts = await oms.model('TTS_C', 'TTS', { type: 'huoshan_double_stream' })
    const [voice] = await oms.query(
      `insert into agent_voices (tenant_id, model_id, name, code, languages) values (1, $1, '女声', 'zh_female', '英语') returning id`,
      [tts],
    )
    const [clone] = await oms.query(
      `insert into agent_voice_clones (tenant_id, model_id, name, voice_id, state, consent_speaker, consent_time)
       values (1, $1, '妈妈', 'S_first', 2, '妈妈', now()) returning id`,
      [tts],
    )
    const { mac } = await oms.bound(await oms.agent({ tts_id: tts, voice_id: voice.id, clone_id: clone.id }))
    expect((await ask(mac)).data.TTS.TTS_C).toMatchObject({ private_voice: 'S_first', language: '普通话' })
    await oms.param('features', '{"clone":false}')
    expect((await ask(mac)).data.TTS.TTS_C).toEqual({
      type: 'huoshan_double_stream',
      access_token: '',
      private_voice: 'zh_female',
      language: '英语',
    })
    await oms.param('features', '{"clone":true}')
  })

  test('AGENT-06 each field of a model, also a secret, has the type that the voice server reads', async () => {
    const types = ['string', 'number', 'integer', 'int', 'float', 'boolean', 'dict', 'array', 'password'] as const
    const fields = [
      ...types.map((type) => ({ key: `f_${type}`, label: type, type })),
      { key: 'headers', label: '请求头', type: 'dict', secret: true },
      { key: 'code', label: '口令', type: 'number', secret: true },
    ]
    await oms.query(`insert into agent_providers (type, code, name, fields) values ('TTS', 'each', '全部', $1)`, [
      JSON.stringify(fields),
    ])
    const config = {
      type: 'each',
      f_string: '8000',
      f_number: 1.5,
      f_integer: 3,
      f_int: 4,
      f_float: 0.25,
      f_boolean: false,
      f_dict: { rate: 1, list: [1] },
      f_array: ' a.wav ;b.wav;',
      unknown: 'x;y',
    }
    const tts = await oms.model('TTS_each', 'TTS', config)
    await oms.modelSecret(tts, 'f_password', '123')
    await oms.modelSecret(tts, 'headers', '{"Authorization":"Bearer k"}')
    await oms.modelSecret(tts, 'code', '42')
    const { data } = await ask((await oms.bound(await oms.agent({ tts_id: tts }))).mac)
    const expected = {
      ...config,
      f_array: ['a.wav', 'b.wav'],
      f_password: '123',
      headers: { Authorization: 'Bearer k' },
      code: 42,
    }
    expect(data.TTS.TTS_each).toEqual(expected)
    const { database, config: settings } = oms.services()
    expect((await readModelConfigs(database.db, settings.secretKey, [tts])).get(tts)!.config).toEqual(expected)
  })

  test('AGENT-02 a blank field returns 10034, an unknown device 10041, a device with a code 10042, no agent 10053', async () => {
    for (const missing of [{ macAddress: '' }, { clientId: null }, { selectedModule: 'x' }])
      expect((await ask(device.mac, missing)).code).toBe(10_034)
    expect((await oms.call('config/agent-models', { body: '{broken' })).json().code).toBe(10_034)
    expect((await ask('00:11:22:33:44:55')).code).toBe(10_041)
    expect((await ask('not-a-mac')).code).toBe(10_041)
    await oms.query(
      `insert into agent_codes (mac, code, expire_time) values ('001122334455', '012345', now() + interval '1 hour'),
       ('001122334456', '999999', now() - interval '1 hour')`,
    )
    expect(await ask('00:11:22:33:44:55')).toMatchObject({ code: 10_042, msg: '012345' })
    expect((await ask('00:11:22:33:44:56')).code).toBe(10_041)
    const gone = await oms.bound(await oms.agent({ deleted_at: new Date() }))
    const disabled = await oms.bound(await oms.agent({ status: 0 }))
    expect([(await ask(gone.mac)).code, (await ask(disabled.mac)).code]).toEqual([10_053, 10_053])
    const off = await oms.bound(agentId)
    await oms.query('update devices set status = 0 where id = $1', [off.id])
    expect((await ask(off.mac)).code).toBe(10_041)
  })

  test('AGENT-03 the secret of a tenant is valid only for devices of that tenant', async () => {
    const own = 'own-secret-of-acme-0123456789'
    await oms.ownSecret(7, own)
    const theirs = await oms.bound(await oms.agent({ tenant_id: 7 }), 7)
    expect((await ask(theirs.mac, {}, own)).code).toBe(0)
    expect((await ask(theirs.mac)).code).toBe(0)
    expect((await ask(device.mac, {}, own)).code).toBe(10_041)
    expect((await oms.call('config/server-base', { secret: own })).json().code).toBe(0)
  })

  test("AGENT-03 only the platform's voice server gets the platform's keys; a tenant's voice server relays instead", async () => {
    const own = 'own-secret-of-keys-0123456789'
    await oms.query('delete from agent_secrets where owner_kind = 3 and owner_id = 7')
    await oms.ownSecret(7, own)
    await oms.secretParam('server.voice_print', 'http://voice.example.com/?key=raw-print')
    const relayed = await oms.model('LLM_R', 'LLM', { type: 'openai', base_url: 'http://127.0.0.1:9/v1' })
    await oms.modelSecret(relayed, 'api_key', 'sk-raw-relay')
    await oms.query('update agent_models set relay = 1 where id = $1', [relayed])
    const agent = await oms.agent({ tenant_id: 7, vllm_id: oms.ids['llm'], llm_id: relayed })
    const theirs = await oms.bound(agent, 7)

    const { data } = await ask(theirs.mac, {}, own)
    expect(data.ASR).toEqual({ ASR_T: { type: 'aliyun', appkey: '', token: '', access_key_secret: '' } })
    expect(data.LLM.LLM_R.base_url).toContain('/xiaozhi/llm/v1')
    expect(JSON.stringify(data)).not.toMatch(/raw-/)
    const base = (await oms.call('config/server-base', { secret: own })).json()
    expect([base.code, JSON.stringify(base).match(/raw-/)]).toEqual([0, null])
    expect(JSON.stringify((await ask(theirs.mac)).data)).toContain('raw-token')

    await oms.services().voiceServers.events.flush()
    const events = await oms.query('select detail from agent_events where mac = $1 and kind = 11 order by id', [
      theirs.mac.replaceAll(':', ''),
    ])
    expect(events.map(({ detail }: { detail: { withheld?: string } }) => detail.withheld)).toEqual([
      expect.stringContaining('ASR_T'),
      undefined,
    ])
  })

  test('AGENT-02 corrections come from the correction-word files of the agent; an unknown device gets none', async () => {
    const [file] = await oms.query(
      `insert into agent_word_files (tenant_id, name, lines) values (1, 'a', array['小志|小智', '欧姆斯|OMS']) returning id`,
    )
    const { mac } = await oms.bound(await oms.agent({ word_file_ids: [file.id] }))
    const words = async (macAddress: string) =>
      (await oms.call('config/correct-words', { body: { macAddress } })).json().data
    expect(await words(mac)).toEqual(['小志|小智', '欧姆斯|OMS'])
    expect(await words(device.mac)).toEqual([])
    expect(await words('00:00:00:00:00:01')).toEqual([])
  })

  test('AGENT-02 the configuration is returned to 50 simultaneous connections', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(device.mac)))
    expect(answers.every(({ code, data }) => code === 0 && data.prompt === '你是小明')).toBe(true)
  })

  test('AGENT-02 a configuration request runs three SQL statements at most', async () => {
    const secret = await oms.secret()
    const { pool } = oms.services().database
    const query = pool.query.bind(pool)
    let count = 0
    Object.assign(pool, { query: (...given: unknown[]) => ((count += 1), Reflect.apply(query, pool, given)) })
    await ask(device.mac, {}, secret)
    Object.assign(pool, { query })
    expect(count).toBeLessThanOrEqual(3)
  })
})
