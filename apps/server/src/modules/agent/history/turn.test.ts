import { expect, test } from 'vitest'
import { parseReportedTurn, computeWavSeconds } from './turn.ts'
import { setImmediate } from 'node:timers/promises'
import { TurnWriter, type TurnReport } from './turn-writer.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const NOW = Date.UTC(2026, 0, 1)
const of = (report: object) => parseReportedTurn({ chatType: 1, content: '你好', reportTime: NOW, ...report }, NOW)

test('a turn may be plain text, or JSON with the recognised speaker', () => {
  expect(of({})).toEqual({
    kind: 1,
    raw: '你好',
    content: '你好',
    speaker: '',
    time: NOW,
    isClockWrong: false,
    isToolCall: false,
    characters: 2,
  })
  const content = JSON.stringify({ speaker: '张三', emotion: 'happy', content: '开灯' })
  expect(of({ content })).toMatchObject({ raw: content, content: '开灯', speaker: '张三', characters: 2 })
  expect(of({ content: '{不是 JSON' })).toMatchObject({ content: '{不是 JSON', speaker: '' })
  expect(of({ chatType: 3, content: '[{"type":"tool"}]' })).toMatchObject({ kind: 3, characters: 0 })
  const isCall = (content: unknown) => of({ chatType: 3, content })?.isToolCall
  expect(isCall('[{"type": "tool", "text": "get_weather({\\"city\\": \\"广州')).toBe(true)
  expect(isCall([{ type: 'tool', text: 'play()' }])).toBe(true)
  expect(isCall(JSON.stringify([{ type: 'tool_result', text: '{"result":"{"type":"tool"}"}' }]))).toBe(false)
  expect(of({ chatType: '2', content: [{ text: 1 }] })).toMatchObject({ kind: 2, content: '[{"text":1}]' })
})

test('NUL characters and lone surrogates are removed from a turn, and an emoji counts as one character', () => {
  expect(of({ content: 'a\0b\ud83dc😀' })).toMatchObject({ content: 'ab�c😀', characters: 5 })
})

test('a turn without kind or text is ignored', () => {
  for (const wrong of [{ chatType: 4 }, { chatType: null }, { content: '' }, { content: null }, { content: '\0' }])
    expect(of(wrong)).toBeUndefined()
})

test('a field of a wrong type counts as missing and causes no error', () => {
  const odd = JSON.parse('{"valueOf":1,"toString":1}') as object
  for (const chatType of [odd, [1], true, {}]) expect(of({ chatType })).toBeUndefined()
  for (const reportTime of [odd, [NOW - 1], {}, true]) expect(of({ reportTime })?.time).toBe(NOW)
  expect(of({ content: odd })?.content).toBe('{"valueOf":1,"toString":1}')
  expect(of({ content: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown })).toBeUndefined()
})

test('a time in seconds becomes milliseconds; a missing time or a time over a day ahead becomes the present', () => {
  expect(of({ reportTime: NOW / 1000 })?.time).toBe(NOW)
  expect(of({ reportTime: String(NOW - 5) })?.time).toBe(NOW - 5)
  for (const reportTime of [undefined, 'x', -1, NOW + 2 * 86_400_000]) expect(of({ reportTime })?.time).toBe(NOW)
})

test('AGENT-15 a time older than seven days is stored as the arrival time, but stays in the identity of the turn', () => {
  const day = 86_400_000
  expect(of({ reportTime: NOW - 7 * day })).toMatchObject({ time: NOW - 7 * day, isClockWrong: false, raw: '你好' })
  for (const reportTime of [NOW - 7 * day - 1, 1, 90_000_000, NOW + 2 * day])
    expect(of({ reportTime })).toMatchObject({ time: NOW, isClockWrong: true, content: '你好', characters: 2 })
  expect(of({ reportTime: 1 })?.raw).not.toBe(of({ reportTime: 2 })?.raw)
})

test('the duration of a recording is its size divided by the byte rate of its header, or by a default rate', () => {
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(16_000, 28)
  expect(computeWavSeconds(head, 44 + 40_000)).toBe(2.5)
  expect(computeWavSeconds(Buffer.from('x'), 44 + 64_000)).toBe(2)
  for (const rate of [0, 1, 7999, 768_001, 0xffffffff]) {
    head.writeUInt32LE(rate, 28)
    expect(computeWavSeconds(head, 44 + 15_000_000)).toBe(468.8)
  }
})

test('flushing waits only for turns that were added before, although other devices keep reporting', async () => {
  const pool = { query: () => setImmediate({ rows: [] }) }
  const writer = new TurnWriter({ pool, secretKey: Buffer.alloc(32) } as unknown as ConstructorParameters<
    typeof TurnWriter
  >[0])
  const report = { mac: 'aabbccddee01', serverTenant: 1, sessionId: 'talk' } as TurnReport
  const MOST = 50
  let stored = 0
  const reportAll = async () => {
    for (let n = 0; n < MOST; n += 1) {
      await writer.add(report)
      stored += 1
    }
  }
  const running = [reportAll(), reportAll()]
  await writer.written()
  expect(stored).toBe(2)
  await Promise.all(running)
  await writer.written()
  expect(stored).toBe(2 * MOST)
})

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
