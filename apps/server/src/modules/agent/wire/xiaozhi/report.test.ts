import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { ReportStream, ReportTextTooLong } from './report.ts'

const oms = voiceLab()

/** Returns a WAV of 16 kHz, mono, 16 bits. */
function wav(seconds: number) {
  const bytes = randomBytes(44 + seconds * 32_000)
  bytes.write('RIFF')
  bytes.write('WAVE', 8)
  bytes.writeUInt32LE(32_000, 28)
  return bytes
}

describe('reports of turns', () => {
  let device: { id: number; mac: string }
  let session = 0
  beforeAll(async () => {
    device = await oms.bound(await oms.agent())
  })
  const send = async (fields: object = {}, secret?: string) =>
    (
      await oms.call('agent/chat-history/report', {
        body: {
          macAddress: device.mac,
          sessionId: `s${session}`,
          chatType: 1,
          content: '今天天气怎么样',
          reportTime: Date.now(),
          audioBase64: null,
          ...fields,
        },
        ...(secret !== undefined && { secret }),
      })
    ).json()
  const turns = () =>
    oms.query(
      `select t.kind, t.content, t.speaker, t.seconds::float8 as seconds, t.audio_id <> '' as audio
       from agent_turns t join agent_sessions s on s.id = t.session_row_id where s.session_id = $1 order by t.report_time, t.id`,
      [`s${session}`],
    )
  const sessions = () =>
    oms.query('select turns, characters, seconds::float8 as seconds from agent_sessions where session_id = $1', [
      `s${session}`,
    ])

  test('AGENT-02 a repeated report stores its turn only once', async () => {
    session += 1
    const at = Date.now()
    const said = { content: JSON.stringify({ speaker: '张三', content: '你好\u0000' }), reportTime: at }
    const answers = await Promise.all([send(said), send(said), send(said)])
    expect(answers.map(({ data }) => data)).toEqual([true, true, true])
    expect((await send(said)).data).toBe(true)
    await send({ chatType: 2, content: '你好呀', reportTime: at + 1 })
    await send({ chatType: 3, content: '[{"type":"tool","text":"天气"}]', reportTime: at + 2 })
    expect(await turns()).toEqual([
      { kind: 1, content: '你好', speaker: '张三', seconds: 0, audio: false },
      { kind: 2, content: '你好呀', speaker: '', seconds: 0, audio: false },
      { kind: 3, content: '[{"type":"tool","text":"天气"}]', speaker: '', seconds: 0, audio: false },
    ])
    expect(await sessions()).toEqual([{ turns: 1, characters: 5, seconds: 0 }])
    const [row] = await oms.query(
      'select turn_time is not null as at, session_id from agent_devices where device_id = $1',
      [device.id],
    )
    expect(row).toEqual({ at: true, session_id: 's1' })
  })

  test('AGENT-15 a question with all sentences and tool calls of its answer counts as one turn', async () => {
    session += 1
    const { id, mac } = await oms.bound(await oms.agent())
    let reportTime = Date.now()
    const say = (chatType: number, content: string) =>
      send({ macAddress: mac, chatType, content, reportTime: (reportTime += 1) })
    for (const question of ['早上好', '天气怎么样', '放首歌', '声音大一点', '再见']) {
      await say(1, question)
      if (question !== '早上好') {
        await say(3, '[{"type": "tool", "text": "find({})"}]')
        await say(3, '[{"type": "tool_result", "text": "{\\"result\\":\\"好\\"}"}]')
      }
      for (const sentence of ['好的。', '马上就来。', '请稍等。']) await say(2, sentence)
    }
    expect(await sessions()).toMatchObject([{ turns: 5 }])
    const used = await oms.query(
      'select unit, sum(n)::int as n from agent_usage where device_id = $1 and unit in (2, 3) group by 1 order by 1',
      [id],
    )
    expect(used).toEqual([
      { unit: 2, n: 5 },
      { unit: 3, n: 4 },
    ])
  })

  test('AGENT-02 a turn updates turn_time when the stored time is over 10 s old or the session changed or ended', async () => {
    const { id, mac } = await oms.bound(await oms.agent())
    const last = async () =>
      (await oms.query('select turn_time as at, session_id from agent_devices where device_id = $1', [id]))[0]
    session += 1
    await send({ macAddress: mac })
    let before = await last()
    await send({ macAddress: mac, chatType: 2 })
    expect(await last()).toEqual(before)
    for (const change of [`turn_time = now() - interval '11 seconds'`, 'close_time = now()', 'session_time = now()']) {
      await oms.query(`update agent_devices set ${change} where device_id = $1`, [id])
      await send({ macAddress: mac, chatType: 2 })
      const after = await last()
      expect(after.at > before.at, change).toBe(true)
      before = after
    }
    session += 1
    await send({ macAddress: mac })
    expect(await last()).toMatchObject({ session_id: `s${session}` })
  })

  test('AGENT-02 audio of 3 MB is stored once in the file store', async () => {
    session += 1
    const audio = wav(95)
    const said = { audioBase64: audio.toString('base64'), reportTime: Date.now() }
    expect((await send(said)).data).toBe(true)
    expect((await send(said)).data).toBe(true)
    expect(await turns()).toEqual([{ kind: 1, content: '今天天气怎么样', speaker: '', seconds: 95, audio: true }])
    expect(await sessions()).toEqual([{ turns: 1, characters: 7, seconds: 95 }])
    const files = await oms.query(
      `select f.sha256, f.size::int as size, f.used_time is not null as used from files f where purpose = 'agentTurn' order by used_time nulls last`,
    )
    expect(files.map(({ used }) => used)).toEqual([true, false])
    expect(files[0].size).toBe(audio.length)
    expect((await oms.services().files.stat(files[0].sha256))?.size).toBe(audio.length)
  })

  test('AGENT-15 turns of a voice server whose clock shows 1970 count for today, and repeated reports count once', async () => {
    session += 1
    for (const reportTime of [5_000_000, 5_000_000, 5_000_001]) await send({ reportTime })
    expect((await Promise.all([send({ reportTime: 7 }), send({ reportTime: 7 })])).map(({ data }) => data)).toEqual([
      true,
      true,
    ])
    expect(await sessions()).toMatchObject([{ turns: 3 }])
    const times = `select bool_and(t.report_time > now() - interval '1 hour' and s.first_time > now() - interval '1 hour') as is_now
      from agent_turns t join agent_sessions s on s.id = t.session_row_id where s.session_id = $1`
    expect(await oms.query(times, [`s${session}`])).toEqual([{ is_now: true }])
    expect(await oms.query(`select from agent_usage where day < current_date - 7`)).toEqual([])
  })

  test("AGENT-09 the agent's setting decides whether text and audio are stored; turns are always counted", async () => {
    const text = await oms.bound(await oms.agent({ chat_history_conf: 1 }))
    const none = await oms.bound(await oms.agent({ chat_history_conf: 0 }))
    const audioBase64 = wav(2).toString('base64')
    session += 1
    expect((await send({ macAddress: text.mac, audioBase64 })).data).toBe(true)
    expect(await turns()).toMatchObject([{ content: '今天天气怎么样', audio: false }])
    session += 1
    expect((await send({ macAddress: none.mac, audioBase64 })).data).toBe(true)
    expect(await turns()).toMatchObject([{ content: '', audio: false }])
    expect(await sessions()).toMatchObject([{ turns: 1, characters: 7 }])
    await oms.param('history.mode', '1')
    session += 1
    const said = { audioBase64, reportTime: Date.now() }
    await send(said)
    await send(said)
    await oms.param('history.mode', '0')
    expect(await turns()).toMatchObject([{ content: '', audio: false }])
    expect(await sessions()).toMatchObject([{ turns: 1, characters: 7 }])
  })

  test('AGENT-02 a report of a device without an agent returns false; AGENT-03 a secret of another tenant stores nothing', async () => {
    session += 1
    expect(await send({ macAddress: '00:00:00:00:00:01' })).toMatchObject({ code: 0, data: false })
    const own = 'own-secret-of-acme-0123456789'
    await oms.ownSecret(7, own)
    expect((await send({ audioBase64: wav(1).toString('base64') }, own)).data).toBe(false)
    expect(await turns()).toEqual([])
    expect((await send({ macAddress: 'x' })).code).toBe(10_034)
    expect((await send({ content: '' })).data).toBe(false)
  })

  test('AGENT-02 a body above 20 MB gets code 413; when running bodies exceed 256 MB the response is 503', async () => {
    const huge = await oms.call('agent/chat-history/report', { body: 'x'.repeat(21 * 1024 * 1024) })
    expect([huge.status, huge.json().code]).toEqual([200, 413])
    const before = process.memoryUsage().rss
    const secret = await oms.secret()
    const open = Array.from({ length: 13 }, () => oms.openReport(secret, 20 * 1024 * 1024))
    const statuses = await oms.afterHeaders(open)
    expect(statuses.filter((status) => status === 503)).toHaveLength(1)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  test('AGENT-03 reports add neither text nor audio to the log', async () => {
    expect(oms.logs.join('\n')).not.toContain('今天天气怎么样')
  })
})

function split(body: string, sizes: () => number, maxText = 100_000) {
  const stream = new ReportStream(maxText)
  const bytes = Buffer.from(body)
  const audio: Buffer[] = []
  let largest = 0
  for (let at = 0; at < bytes.length; ) {
    const end = at + sizes()
    const slice = stream.take(bytes.subarray(at, end))
    if (slice) audio.push(slice)
    largest = Math.max(largest, slice?.length ?? 0)
    at = end
  }
  return { text: stream.text(), audio: Buffer.concat(audio), hasAudio: stream.hasAudio, largest }
}

const audio = randomBytes(10_001)
const report = {
  macAddress: 'aa',
  content: '说"audioBase64":"\\ 好\u0000',
  chatType: 1,
  audioBase64: audio.toString('base64'),
}

test.each([1, 2, 3, 7, 64, 1_000_000])(
  'a report that arrives in chunks of %i bytes is split into text and audio',
  (size) => {
    const found = split(JSON.stringify(report), () => size)
    expect(JSON.parse(found.text)).toEqual({ ...report, audioBase64: '' })
    expect(found.audio.equals(audio)).toBe(true)
  },
)

test('a report with chunks of random sizes, spaces, escaped slashes and other key orders is split', () => {
  const { audioBase64, ...rest } = report
  const bodies = [
    JSON.stringify({ audioBase64, ...rest }, null, 2),
    JSON.stringify(report).replaceAll('/', '\\/'),
    JSON.stringify({ ...report, inner: { audioBase64: 'stays' }, list: ['audioBase64', 'x'] }),
  ]
  for (const body of bodies)
    for (let run = 0; run < 20; run += 1) {
      const found = split(body, () => 1 + Math.floor(Math.random() * 300))
      expect(found.audio.equals(audio)).toBe(true)
      expect(JSON.parse(found.text)).toEqual({ ...(JSON.parse(body) as object), audioBase64: '' })
    }
})

test('a report without audio returns only its text', () => {
  for (const audioBase64 of [null, '', undefined, 5]) {
    const found = split(JSON.stringify({ ...report, audioBase64 }), () => 5)
    expect(found.audio.length).toBe(0)
    expect(JSON.parse(found.text)).toEqual(JSON.parse(JSON.stringify({ ...report, audioBase64 })))
    expect(found.hasAudio).toBe(audioBase64 === '')
  }
})

test('the key of the audio inside other values is ignored', () => {
  const found = split(JSON.stringify({ a: { audioBase64: 'AAAA' }, b: 'audioBase64', c: '":"' }), () => 3)
  expect([found.hasAudio, found.audio.length]).toEqual([false, 0])
})

test('20 MB of audio are decoded in slices, and a text above the limit is refused', () => {
  const large = JSON.stringify({ ...report, audioBase64: 'QUJD'.repeat(5_000_000) })
  const found = split(large, () => 65_536)
  expect(found.audio.length).toBe(15_000_000)
  expect(found.largest).toBeLessThanOrEqual(65_536)
  expect(found.text.length).toBeLessThan(200)
  expect(() => split(JSON.stringify({ content: 'x'.repeat(200_000) }), () => 65_536)).toThrow(ReportTextTooLong)
})

test('the splitter accepts invalid JSON without an error; only the later parsing of the text fails', () => {
  for (const body of ['', '{', '{"audioBase64":"QUJ', ']]]]"audioBase64":"x', 'null'])
    expect(() => split(body, () => 2)).not.toThrow()
})
