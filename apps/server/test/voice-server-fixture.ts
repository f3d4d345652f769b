import { randomBytes } from 'node:crypto'
import { type ClientRequest, request as httpRequest } from 'node:http'
import { decrypt, encrypt } from '#core/crypto/encrypted-value.ts'
import { secretHash } from '#domain/agents/parameters.ts'
import { beforeAll } from 'vitest'
import { deviceLab } from './device-fixture.ts'

interface Call {
  readonly secret?: string
  readonly body?: object | string
  readonly method?: string
  readonly origin?: string
}

/** Starts the device protocols with models, a template, and functions that create agents and bound devices. */
export function voiceLab(env: Record<string, string> = {}) {
  const oms = deviceLab(env)
  let made = 0
  const { query } = oms

  const model = async (
    code: string,
    type: string,
    config: { type: string } & Record<string, unknown>,
    tenantId = 1,
  ) => {
    const { type: provider, ...rest } = config
    const [row] = await query(
      `insert into agent_models (tenant_id, type, code, name, provider_code, config) values ($1, $2, $3, $3, $4, $5) returning id`,
      [tenantId, type, code, provider, JSON.stringify(rest)],
    )
    return row.id as number
  }
  const modelSecret = (id: number, field: string, value: string) =>
    query(
      `insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted, last_four) values (1, $1, $2, 1, $3, '')`,
      [id, field, encrypt(oms.services.config.secretKey, value)],
    )
  const ids: Record<string, number> = {}

  beforeAll(async () => {
    ids['vad'] = await model('VAD_T', 'VAD', { type: 'silero', threshold: 0.5 })
    ids['asr'] = await model('ASR_T', 'ASR', { type: 'aliyun' })
    await modelSecret(ids['asr'], 'token', 'raw-token')
    ids['llm'] = await model('LLM_T', 'LLM', { type: 'openai', base_url: 'http://127.0.0.1:9/v1' })
    await modelSecret(ids['llm'], 'api_key', 'sk-raw-key')
    ids['tts'] = await model('TTS_T', 'TTS', { type: 'edge', voice: 'x' })
    ids['mem'] = await model('Memory_T', 'Memory', { type: 'mem_local_short', llm: 'LLM_T' })
    ids['intent'] = await model('Intent_T', 'Intent', { type: 'function_call' })
    await query(
      `insert into agent_templates (tenant_id, template_name, vad_id, asr_id, sort) values (1, '测试', $1, $2, -100)`,
      [ids['vad'], ids['asr']],
    )
  })

  const agent = async (fields: Record<string, unknown> = {}) => {
    made += 1
    const row: Record<string, unknown> = {
      tenant_id: 1,
      agent_code: `AGT_${made}`,
      agent_name: '小明',
      system_prompt: '你是{{assistant_name}}',
      llm_id: ids['llm'],
      tts_id: ids['tts'],
      asr_id: ids['asr'],
      vad_id: ids['vad'],
      mem_id: ids['mem'],
      intent_id: ids['intent'],
      plugins: JSON.stringify([{ providerCode: 'get_weather', params: { default_location: '广州' } }]),
      ...fields,
    }
    const names = Object.keys(row)
    const [created] = await query(
      `insert into agents (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')}) returning id`,
      Object.values(row),
    )
    return created.id as number
  }

  /** Creates a device that is bound to an agent. */
  const bound = async (agentId: number, tenantId = 1) => {
    const mac = randomBytes(6).toString('hex')
    const { id } = await oms.device({ sn: mac, tenantId })
    await query('update devices set mac = $2 where id = $1', [id, mac])
    await query(
      `insert into agent_devices (device_id, tenant_id, agent_id, mac, board) values ($1, $2, $3, $4, 'bread')`,
      [id, tenantId, agentId, mac],
    )
    return { id, mac: mac.match(/../g)!.join(':') }
  }

  const secret = async (tenantId = 1) => {
    await oms.services.agentParameters.of(tenantId)
    const [row] = await query(
      `select encrypted from agent_secrets where owner_kind = 3 and owner_id = $1 and field = 'server.secret'`,
      [tenantId],
    )
    return decrypt(oms.services.config.secretKey, row.encrypted)
  }

  return {
    query,
    ids,
    model,
    modelSecret,
    agent,
    bound,
    secret,
    logs: oms.logs,
    another: oms.another,
    services: () => oms.services,
    origin: () => oms.origin,
    /** Gives a tenant a secret of its own. */
    ownSecret: async (tenantId: number, value: string) => {
      await query(
        `insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted, last_four, value_hash)
         values (3, $1, 'server.secret', $1, $2, '', $3)`,
        [tenantId, encrypt(oms.services.config.secretKey, value), secretHash(value)],
      )
      oms.services.agentParameters.forget()
    },
    /** Sets a secret parameter of the platform. */
    secretParam: async (code: string, value: string) => {
      await query(
        `insert into agent_secrets (owner_kind, owner_id, field, tenant_id, encrypted, last_four)
         values (3, 1, $1, 1, $2, '')`,
        [code, encrypt(oms.services.config.secretKey, value)],
      )
      oms.services.agentParameters.forget()
    },
    param: async (code: string, value: string, tenantId = 1) => {
      await query(
        `insert into agent_params (tenant_id, code, value) values ($1, $2, $3)
         on conflict (tenant_id, code) do update set value = excluded.value`,
        [tenantId, code, value],
      )
      oms.services.agentParameters.forget()
    },
    /** Starts a report of this size whose body never arrives. */
    openReport: (given: string, size: number) => {
      const headers = { authorization: `Bearer ${given}`, 'content-length': size }
      const request = httpRequest(`${oms.origin}/xiaozhi/agent/chat-history/report`, { method: 'POST', headers })
      request.write('{')
      return request
    },
    /** Returns the statuses that arrive within half a second, then closes the requests. */
    afterHeaders: async (requests: readonly ClientRequest[]) => {
      const statuses: (number | undefined)[] = []
      for (const request of requests)
        request.on('error', () => {}).on('response', ({ statusCode }) => void statuses.push(statusCode))
      await new Promise((done) => setTimeout(done, 500))
      for (const request of requests) request.destroy()
      return statuses
    },
    /** Calls as a voice server does: a new connection for each call. */
    call: async (path: string, { secret: given, body, method = 'POST', origin = oms.origin }: Call = {}) =>
      oms.send(`${origin}/xiaozhi/${path}`, {
        method,
        token: null,
        headers: {
          authorization: `Bearer ${given ?? (await secret())}`,
          'user-agent': 'PythonClient/2.0 (PID:7)',
          accept: 'application/json',
          connection: 'close',
        },
        ...(body !== undefined && { body }),
      }),
  }
}
