import { expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const ask = (macAddress: string) =>
  oms
    .call('config/agent-models', { body: { macAddress, clientId: 'c', selectedModule: {} } })
    .then((reply) => reply.json())

test('AGENT-02 a model without a key is sent with empty secrets, or is left out and named when the model needs a key', async () => {
  const base_url = 'https://open.bigmodel.cn/api/paas/v4/'
  const llm = await oms.model('LLM_NoKey', 'LLM', { type: 'openai', base_url })
  const memId = await oms.model('Memory_NoKey', 'Memory', { type: 'mem_local_short', llm: 'LLM_NoKey' })
  const asrId = await oms.model('ASR_Local', 'ASR', { type: 'fun_server', host: '127.0.0.1', port: 10_096 })
  const own = await oms.model('LLM_Own', 'LLM', { type: 'openai', base_url: 'http://vllm:8000/v1' })
  const { mac } = await oms.bound(await oms.agent({ llm_id: own, slm_id: llm, mem_id: memId, asr_id: asrId }))
  const { data } = await ask(mac)
  expect(data.LLM).toEqual({ LLM_Own: { type: 'openai', base_url: 'http://vllm:8000/v1', api_key: 'none' } })
  expect(data.ASR.ASR_Local).toEqual({ type: 'fun_server', host: '127.0.0.1', port: 10_096, api_key: '' })
  expect(data.selected_module).toMatchObject({ LLM: 'LLM_Own', Memory: 'Memory_NoKey' })
  const missingKeys = '小模型「LLM_NoKey」、记忆方式使用的「LLM_NoKey」未设置密钥'
  await oms.services().voiceServers.events.flush()
  const [event] = await oms.query('select detail from agent_events where mac = $1', [mac.replaceAll(':', '')])
  expect(event.detail).toMatchObject({ missingKeys })
  const mute = await oms.bound(await oms.agent({ llm_id: llm }))
  expect(await ask(mute.mac)).toMatchObject({ code: 10_053, msg: '大语言模型「LLM_NoKey」未设置密钥' })
})
