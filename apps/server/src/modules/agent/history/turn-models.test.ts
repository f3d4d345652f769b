import { expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const CONFIG = { type: 'openai', base_url: 'http://127.0.0.1:9/v1', model_name: 'm' }

test('AGENT-17 turns are counted for the fallback while the agent may not use its language model', async () => {
  const [main, fallback] = [await oms.model('LLM_M', 'LLM', CONFIG), await oms.model('LLM_F', 'LLM', CONFIG)]
  await oms.query('update agent_models set relay = 1 where id = $1', [fallback])
  const device = await oms.bound(await oms.agent({ llm_id: main }))
  let session = 0
  /** Reports a turn of the user. Returns the language models of its usage by unit; unit 6: estimated tokens. */
  const models = async () => {
    session += 1
    const turn = { macAddress: device.mac, sessionId: `turn${session}`, chatType: 1, content: '今天天气怎么样' }
    await oms.query('delete from agent_usage')
    await oms.call('agent/chat-history/report', { body: { ...turn, reportTime: Date.now() } })
    const rows = await oms.query(
      'select unit, model_id as id from agent_usage where model_id in ($1, $2) order by unit, id',
      [main, fallback],
    )
    return rows.map(({ unit, id }: { unit: number; id: number }) => [unit, id === main ? 'main' : 'fallback'])
  }
  const withMain = await models()
  expect(withMain).toContainEqual([6, 'main'])
  await oms.query('update agent_models set status = 0, fallback_model_id = $2 where id = $1', [main, fallback])
  const withFallback = await models()
  expect(withFallback, 'the relay counts the tokens').toEqual(
    withMain.filter(([unit]) => unit !== 6).map(([unit]) => [unit, 'fallback']),
  )
  await oms.query('update agent_models set fallback_model_id = null where id = $1', [main])
  expect(await models(), 'without a fallback').toEqual(withMain)
})
