import { randomBytes } from 'node:crypto'
import { request as httpRequest, IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { wavOf } from '#test/clients/voiceprint-service.ts'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'

const oms = voiceLab()
const MIB = 1024 * 1024
const PATH = 'agent/chat-history/report'

describe('AGENT-02 invalid reports', () => {
  let device: { id: number; mac: string }
  let secret: string
  let session = 0
  beforeAll(async () => {
    device = await oms.bound(await oms.agent())
    secret = await oms.secret()
  })
  const said = (fields: object = {}) => {
    session += 1
    const turn = { macAddress: device.mac, sessionId: `bad${session}`, chatType: 1, content: '你好', audioBase64: null }
    return { ...turn, reportTime: Date.now(), ...fields }
  }
  const send = async (body: object | string) => {
    const reply = await oms.call(PATH, { secret, body })
    expect(reply.status).toBe(200)
    return reply.json()
  }
  const stored = () =>
    oms.query(
      `select t.content, t.seconds::float8 as seconds, t.audio_id <> '' as audio from agent_turns t
       join agent_sessions s on s.id = t.session_row_id where s.session_id = $1`,
      [`bad${session}`],
    )
  const failures = () => oms.logs.filter((line) => line.includes('"level":50')).length
  /** Sends the first bytes of a report and leaves the connection open. */
  const open = (bytes: string | Buffer, size: number) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-length': size }
    const request = httpRequest(`${oms.origin()}/xiaozhi/${PATH}`, { method: 'POST', headers })
    const answer = new Promise<number>((done) => {
      request.on('response', (reply) => done(reply.resume().statusCode ?? 0)).on('error', () => done(0))
    })
    request.write(bytes)
    return { request, answer }
  }

  test.each<[string, object, boolean]>([
    ['numbers as text', { chatType: '1', reportTime: String(Date.now()) }, true],
    ['a time in seconds', { reportTime: Math.floor(Date.now() / 1000) }, true],
    ['words as a number', { content: 42 }, true],
    ['words as an object', { content: { text: '好' } }, true],
    ['a session as a number', { sessionId: 7_000_001 }, true],
    ['NUL and half a character', { content: 'a\u0000b\ud800', sessionId: 'x\u0000\ud800' }, true],
    ['20,000 characters of an emoji', { content: '😀'.repeat(10_001) }, true],
    ['a kind as an object', { chatType: { toString: 1, valueOf: 1 } }, false],
    ['a kind as a list', { chatType: [1] }, false],
    ['a time as an object', { reportTime: { toString: 1, valueOf: 1 } }, true],
    ['a time in the far past', { reportTime: 1e-300 }, true],
    ['a time in the far future', { reportTime: 1e300 }, true],
    ['audio as a number', { audioBase64: 5 }, true],
    ['audio as an object', { audioBase64: { audioBase64: 'QUJD' } }, true],
    ['audio as a list', { audioBase64: ['QUJD'] }, true],
  ])('a report (%s) causes no internal error', async (_name, fields, isTurn) => {
    const before = failures()
    expect(await send(said(fields))).toEqual({ code: 0, msg: 'success', data: isTurn })
    expect(failures()).toBe(before)
  })

  test.each([
    ['no object', '[]'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['nothing', ''],
    ['a truncated body', '{"macAddress":"02:00:00:00:00:01","sessionId":"s","chatType":1,"content":"hal'],
    ['audio without an end', '{"macAddress":"02:00:00:00:00:01","audioBase64":"QUJDRE'],
    ['a MAC as a list', '{"macAddress":["02:00:00:00:00:01"],"sessionId":"s"}'],
    ['a session as an object', '{"macAddress":"02:00:00:00:00:01","sessionId":{"a":1}}'],
    ['100,000 open lists', `{"macAddress":"02:00:00:00:00:01","sessionId":"s","content":${'['.repeat(100_000)}`],
    ['100,000 nested lists', `{"content":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['200,000 keys of audio', `{${'"audioBase64":"",'.repeat(10_000)}"a":1}`],
  ])('a report (%s) is refused because fields are missing', async (_name, body) => {
    const before = failures()
    expect((await send(body)).code).toBe(10_034)
    expect(failures()).toBe(before)
  })

  test.each<[string, string, number]>([
    ['base64 with foreign characters', '!!!!%%%%', 0],
    ['one character', 'Q', 0],
    ['no WAV', randomBytes(32_044).toString('base64'), 1],
    ['a header only', wavOf(1).subarray(0, 44).toString('base64'), 0],
    ['half a header', wavOf(1).subarray(0, 20).toString('base64'), 0],
    [
      'a header that lies about its length',
      Buffer.concat([wavOf(1).subarray(0, 4), Buffer.alloc(4, 255), wavOf(1).subarray(8)]).toString('base64'),
      1,
    ],
    [
      'a header with a rate of one byte a second',
      Buffer.concat([wavOf(1).subarray(0, 28), Buffer.from([1, 0, 0, 0]), wavOf(1, 60).subarray(32)]).toString(
        'base64',
      ),
      60,
    ],
  ])('a turn with audio that is %s is stored with a plausible length', async (_name, audioBase64, seconds) => {
    expect((await send(said({ audioBase64 }))).data).toBe(true)
    expect(await stored()).toMatchObject([{ content: '你好', seconds }])
  })

  test('a report that ends inside its audio stores no turn and no file, and releases its share of the memory limit', async () => {
    const files = async () => (await oms.query(`select count(*)::int as n from files where purpose = 'agentTurn'`))[0].n
    const before = await files()
    const text = JSON.stringify(said({ audioBase64: wavOf(3, 90).toString('base64') }))
    for (let cut = 0; cut < 14; cut += 1) {
      const { request } = open(text.slice(0, 2_000_000), 20 * MIB)
      await new Promise((done) => setTimeout(done, 20))
      request.destroy()
    }
    await expect.poll(async () => (await send(said())).data).toBe(true)
    expect(await files()).toBe(before)
    const twelve = Array.from({ length: 12 }, () => open('{', 20 * MIB))
    await new Promise((done) => setTimeout(done, 100))
    expect((await send(said())).data).toBe(true)
    for (const { request } of twelve) request.destroy()
  })

  test('a report that stalls gets 408 and releases its share of the memory limit', async () => {
    const real = IncomingMessage.prototype.setTimeout
    const shortened = vi.spyOn(IncomingMessage.prototype, 'setTimeout').mockImplementation(function (
      this: IncomingMessage,
      ms,
      stalled,
    ) {
      return real.call(this, ms === 0 ? 0 : 100, stalled)
    })
    const silent = Array.from({ length: 12 }, () => open('{"macAddress":', 20 * MIB))
    expect(await Promise.all(silent.map(({ answer }) => answer))).toEqual(Array.from({ length: 12 }, () => 408))
    shortened.mockRestore()
    const again = Array.from({ length: 12 }, () => open('{', 20 * MIB))
    await new Promise((done) => setTimeout(done, 100))
    expect((await send(said())).data).toBe(true)
    for (const { request } of again) request.destroy()
  })

  test('a connection is closed after a report that is too large, and reports on new connections are accepted', async () => {
    const { port } = new URL(oms.origin())
    const socket = connect(Number(port), '127.0.0.1')
    const answers: Buffer[] = []
    const closed = new Promise((done) => socket.on('data', (bytes) => answers.push(bytes)).on('close', done))
    socket.on('error', () => {})
    const head = [`POST /xiaozhi/${PATH} HTTP/1.1`, 'host: x', `authorization: Bearer ${secret}`]
    socket.write([...head, 'content-length: 400000', '', 'a'.repeat(300_000)].join('\r\n'))
    await closed
    expect(Buffer.concat(answers).toString()).toMatch(
      /^HTTP\/1.1 200 OK[^]*\r\nconnection: close[^]*"code":413[^]*上报内容过大/i,
    )
    expect((await send(said())).data).toBe(true)
  })

  test('a report of 20 MB with any content is read in linear time and with little memory', {
    timeout: 60_000,
  }, async () => {
    const bodies = [
      JSON.stringify(said({ audioBase64: 'A'.repeat(19 * MIB) })),
      JSON.stringify(said({ audioBase64: '\\/'.repeat(4 * MIB) })),
      JSON.stringify(said({ audioBase64: ' \n'.repeat(6 * MIB) })),
      `{"a":"${'\\"'.repeat(9 * MIB)}"}`,
      '['.repeat(19 * MIB),
      '"'.repeat(19 * MIB),
    ]
    for (const body of bodies) {
      const before = process.memoryUsage().rss
      const start = process.cpuUsage()
      const reply = await oms.call(PATH, { secret, body })
      expect(reply.status).toBe(200)
      expect([0, 413]).toContain(reply.json().code)
      const { user, system } = process.cpuUsage(start)
      expect((user + system) / 1000).toBeLessThan(4000)
      expect(process.memoryUsage().rss - before).toBeLessThan(250 * MIB)
    }
  })

  test('session ids with NUL, lone surrogates or 10,000 characters are treated as unknown sessions', async () => {
    for (const id of ['%00', 'a%00b', '%ED%A0%80', encodeURIComponent('长'.repeat(100))]) {
      const { status, json } = await oms.call(`agent/chat-title/${id}/generate`, { secret })
      expect([status, status === 200 ? json().code : 0]).toEqual(id === '%ED%A0%80' ? [400, 0] : [200, 10_053])
    }
    const long = `agent/chat-title/${'x'.repeat(10_000)}/generate`
    expect((await oms.call(long, { secret })).status).toBe(414)
    expect((await oms.call('agent/saveMemory/%00', { secret, method: 'PUT', body: {} })).json().code).toBe(10_041)
    const call = 'device/address-book/call?callerMac=%00&nickname=%00'
    expect((await oms.call(call, { secret, method: 'GET' })).json()).toMatchObject({
      code: 0,
      data: { status: 'error' },
    })
  })

  test.each(['config/agent-models', 'config/correct-words', 'agent/saveMemory/02:00:00:00:00:01'])(
    'a body with wrong types at %s gets an error code of the protocol',
    async (path) => {
      const odd = { toString: 1, valueOf: 1 }
      const bodies = [
        '',
        'null',
        '[]',
        '[['.repeat(50_000),
        JSON.stringify({ macAddress: 5, clientId: 6, selectedModule: {}, summaryMemory: 7 }),
        JSON.stringify({ macAddress: [odd], clientId: odd, selectedModule: odd, summaryMemory: [odd] }),
        JSON.stringify({ macAddress: device.mac, clientId: 1, selectedModule: { VAD: odd, ASR: [odd], LLM: null } }),
        JSON.stringify({
          macAddress: 'x\u0000\ud800',
          clientId: '\ud800',
          selectedModule: {},
          summaryMemory: '\ud800',
        }),
      ]
      const method = path.startsWith('agent/') ? 'PUT' : 'POST'
      for (const body of bodies) {
        const reply = await oms.call(path, { secret, body, method })
        expect(reply.status).toBe(200)
        expect([0, 10_034, 10_041]).toContain(reply.json().code)
      }
    },
  )
})
