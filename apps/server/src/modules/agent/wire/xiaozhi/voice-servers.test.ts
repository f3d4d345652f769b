import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { describe, expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()

describe('voice servers', () => {
  test('AGENT-03 a wrong secret returns HTTP 200 with code 401 before the body is read', async () => {
    const large = 'x'.repeat(3_000_000)
    for (const secret of ['', 'wrong', `${await oms.secret()}x`])
      for (const path of ['config/server-base', 'agent/chat-history/report', 'config/nothing', 'agent/saveMemory/a']) {
        const reply = await oms.call(path, { secret, body: path.includes('report') ? large : '{"broken' })
        expect([reply.status, reply.json().code, reply.json().data]).toEqual([200, 401, null])
      }
    expect((await oms.call('config/nothing', { body: {} })).status).toBe(404)
    expect((await oms.call('other', { body: {} })).status).toBe(404)
    expect((await oms.call('config/server-base', { method: 'GET' })).status).toBe(404)
  })

  test('AGENT-03 the secret of voice servers is created once, shared by all processes, and written to no log', async () => {
    const secret = await oms.secret()
    expect(secret.length).toBeGreaterThanOrEqual(43)
    const twin = await oms.another()
    expect((await oms.call('config/server-base', { origin: twin.origin })).json().code).toBe(0)
    expect((await oms.call('config/server-base/')).json().code).toBe(0)
    expect(oms.logs.join('\n')).not.toContain(secret)
  })

  test('AGENT-02 server-base returns every parameter with its JSON type and records the voice server that called', async () => {
    const { data } = (await oms.call('config/server-base')).json()
    expect(data).toMatchObject({
      server: { auth: { enabled: true } },
      xiaozhi: { type: 'hello', version: 1, transport: 'websocket', audio_params: { sample_rate: 24_000 } },
      exit_commands: ['退出', '关闭'],
      end_prompt: { enable: true },
      delete_audio: true,
      close_connection_no_voice_time: 120,
      tts_timeout: 10,
      tool_call_timeout: 30,
      enable_websocket_ping: false,
      device_max_output_size: 0,
      log: { log_level: 'INFO', log_dir: 'tmp', data_dir: 'data' },
      selected_module: { VAD: 'VAD_T', ASR: 'ASR_T' },
      VAD: { VAD_T: { type: 'silero', threshold: 0.5 } },
      ASR: { ASR_T: { type: 'aliyun', token: 'raw-token' } },
      prompt: null,
      summaryMemory: null,
    })
    expect(data.wakeup_words).toHaveLength(11)
    expect(JSON.stringify(data)).not.toContain(await oms.secret())
    await oms.services().voiceServers.contacts.flush()
    expect(await oms.query('select tenant_id, client, base_time is not null as base from agent_servers')).toEqual([
      { tenant_id: PLATFORM_TENANT_ID, client: 'PythonClient/2.0 (PID:7)', base: true },
    ])
  })

  test('AGENT-02 server-base returns 10183 without an enabled agent template', async () => {
    await oms.query('update agent_templates set status = 0')
    expect((await oms.call('config/server-base')).json().code).toBe(10_183)
    await oms.query('update agent_templates set status = 1')
  })
})
