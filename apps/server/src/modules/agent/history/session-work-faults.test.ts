import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { voiceLab } from '#test/fixtures/voice-server-fixture.ts'
import { registerSessionWork } from './session-work.ts'

const oms = voiceLab()
const MIB = 1024 * 1024
let answer: RequestListener
let asked = 0
const LONG = { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000, totalMs: 20_000 }
const SHORT = { firstByteMs: 200, idleMs: 200, totalMs: 600 }
const limits = { ...LONG }
const vendor = createServer((request, response) => {
  asked += 1
  request.resume().on('end', () => answer(request, response))
})
const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`

describe('AGENT-02 titles and summaries of faulty models', () => {
  let slm = 0
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((done) => vendor.listen(0, '127.0.0.1', done))
    port = (vendor.address() as AddressInfo).port
    slm = await oms.model('SLM_F', 'LLM', { type: 'openai', base_url: `http://127.0.0.1:${port}/v1`, model_name: 'm' })
    registerSessionWork(oms.services(), limits)
  })
  afterAll(() => {
    vendor.closeAllConnections()
    vendor.close()
  })

  let session = 0
  /** Ends a session of one user turn. Returns the title, the memory and the state of the work. */
  async function end(slmId = slm, tenantId = 1) {
    session += 1
    const device = await oms.bound(await oms.agent({ slm_id: slmId, tenant_id: tenantId }), tenantId)
    await oms.query(`update agent_devices set memory = '旧记忆' where device_id = $1`, [device.id])
    const said = { macAddress: device.mac, sessionId: `fault${session}`, chatType: 1, content: '我住在广州的天河区' }
    await oms.call('agent/chat-history/report', { body: { ...said, reportTime: Date.now() } })
    await oms.call(`agent/chat-title/fault${session}/generate`)
    await oms.call(`agent/chat-summary/fault${session}/save`)
    asked = 0
    await oms.services().jobs.drain()
    const rows = await oms.query(
      `select s.title, d.memory, array_agg(f.state order by f.kind) as states, max(f.error) as error from agent_sessions s
       join agent_devices d using (device_id) join agent_after f on f.session_row_id = s.id
       where s.session_id = $1 group by 1, 2`,
      [`fault${session}`],
    )
    return rows[0] as { title: string; memory: string; states: number[]; error: string }
  }
  const FIRST_WORDS = '我住在广州的天河区'

  test.each<[string, RequestListener, RegExp]>([
    ['is silent', () => {}, /超时/],
    ['stops after the first words', (_, response) => void response.write(delta('半')), /超时/],
    [
      'never ends',
      (_, response) => {
        const timer = setInterval(() => response.write(delta('再')), 5)
        response.on('close', () => clearInterval(timer))
      },
      /超时/,
    ],
    ['sends an error inside a 200', (_, response) => response.end('{"error":{"message":"no balance"}}'), /额度/],
    ['redirects', (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(), /地址/],
    ['sends 2 MB', (_, response) => response.end(delta('长'.repeat(700_000))), /过大/],
    ['sends no text', (_, response) => response.end('data: [DONE]\n\n'), /没有返回/],
  ])(
    'with a model that %s, the title is the first user turn and the memory is unchanged',
    async (_name, how, error) => {
      answer = how
      Object.assign(limits, error.source === '超时' ? SHORT : LONG)
      const ended = await end()
      Object.assign(limits, LONG)
      expect(ended).toMatchObject({ title: FIRST_WORDS, memory: '旧记忆', states: [3, 3] })
      expect(ended.error).toMatch(error)
      expect(asked).toBe(6)
    },
  )

  test('the response of the model may be a JSON document or a stream that is split inside characters', async () => {
    const choices = [{ message: { content: '住在天河' } }]
    answer = (_, response) => response.end(JSON.stringify({ choices }))
    expect(await end()).toMatchObject({ title: '住在天河', memory: '住在天河', states: [2, 2] })
    answer = (_, response) => {
      const bytes = Buffer.from(delta('住在🏠天河').replaceAll('\n', '\r\n'))
      void (async () => {
        for (const byte of bytes) {
          response.write(Buffer.of(byte))
          await new Promise(setImmediate)
        }
        response.end()
      })()
    }
    expect(await end()).toMatchObject({ title: '住在🏠天河', states: [2, 2] })
  })

  test('`<think>` blocks are removed in linear time, also a megabyte of unclosed tags', async () => {
    answer = (_, response) => response.end(delta('<think>想</think>住在<think>再想</think>天河'))
    expect(await end()).toMatchObject({ title: '住在天河', memory: '住在天河' })
    for (const text of ['<think>'.repeat(130_000), `天河${'<think>'.repeat(130_000)}`]) {
      answer = (_, response) => response.end(delta(text))
      const start = process.cpuUsage()
      const isEmpty = text.startsWith('<')
      expect(await end()).toMatchObject({
        title: isEmpty ? FIRST_WORDS : '天河',
        memory: isEmpty ? '旧记忆' : '天河',
        states: [2, 2],
      })
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(3000)
    }
  })

  test('a stream whose lines end only in CR is parsed in linear time', async () => {
    answer = (_, response) => {
      response.write(':\r'.repeat(MIB / 4))
      response.end(delta('天河').replaceAll('\n', '\r'))
    }
    const start = process.cpuUsage()
    expect(await end()).toMatchObject({ title: '天河', states: [2, 2] })
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(3000)
  })

  test('AGENT-08 the model of a tenant is never called when its host name resolves to a private address', async () => {
    const base_url = `http://localhost:${port}/v1`
    const own = await oms.model('SLM_OWN', 'LLM', { type: 'openai', base_url, model_name: 'm' }, 7)
    answer = (_, response) => response.end(delta('不应被调用'))
    const ended = await end(own, 7)
    expect(ended).toMatchObject({ title: FIRST_WORDS, memory: '旧记忆', states: [3, 3] })
    expect(ended.error).toContain('不能访问内网')
    expect(asked).toBe(0)
  })
})
