import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { answering, DONE, piece } from '#test/clients/llm-vendor.ts'
import { chunksOf, errorOf, QUESTION, relayLab, wordsOf } from '#test/fixtures/relay-fixture.ts'
import { VENDOR_TIME_LIMITS } from './relay-vendor.ts'
import { awaitCompletions } from './relay-usage.ts'

const { oms, lab, ask } = relayLab()
const SSE = { 'content-type': 'text/event-stream' }

const { idleMs } = VENDOR_TIME_LIMITS
afterEach(() => void (VENDOR_TIME_LIMITS.idleMs = idleMs))

/** Makes the vendor send one piece and then nothing. Returns the response of the vendor once a call arrived. */
function silentAfterFirst(): Promise<ServerResponse> {
  return new Promise((done) =>
    lab.vendor.behave((response) => {
      response.writeHead(200, SSE).write(piece('开头'))
      done(response)
    }),
  )
}

test('AGENT-17 the relay ends and cancels a stream when the vendor sends nothing for 60 s after the first chunk', async () => {
  expect(idleMs).toBe(60_000)
  VENDOR_TIME_LIMITS.idleMs = 1000
  const arrived = silentAfterFirst()
  const answer = await ask()
  const since = performance.now()
  const cancelled = once(await arrived, 'close')
  const { chunks, isDone } = chunksOf(await answer.text())
  expect(performance.now() - since).toBeGreaterThan(900)
  expect(isDone).toBe(false)
  expect(chunks.at(-1)).toMatchObject({ error: { code: 'vendor_time' } })
  await cancelled
  expect(lab.other.calls).toEqual([])
})

test('AGENT-17 the relay cancels the vendor request when the client disconnects before the first chunk', async () => {
  const arrived = new Promise<ServerResponse>((done) => lab.vendor.behave(done))
  const leave = new AbortController()
  const refused = ask(QUESTION, undefined, leave.signal).catch((error: unknown) => error)
  const cancelled = once(await arrived, 'close')
  leave.abort()
  await cancelled
  expect(await refused).toMatchObject({ name: 'AbortError' })
  expect(lab.other.calls).toEqual([])
})

test('AGENT-17 the relay forwards only complete events when the vendor closes the connection inside an event', async () => {
  lab.vendor.behave((response) => {
    response.writeHead(200, SSE).write(piece('一') + piece('二').slice(0, 20))
    setTimeout(() => response.destroy(), 50)
  })
  const { chunks } = chunksOf(await (await ask()).text())
  expect(chunks.map(({ choices }) => choices?.[0]?.delta?.content)).toEqual(['一', undefined])
  expect(chunks.at(-1)).toMatchObject({ error: { code: 'vendor_connection', message: '模型服务中断了连接' } })
})

test('AGENT-17 the relay adds the end marker when the vendor ends a stream without one', async () => {
  lab.vendor.behave((response) => void response.writeHead(200, SSE).end(piece('好')))
  const text = await (await ask()).text()
  expect([wordsOf(text), chunksOf(text).isDone]).toEqual(['好', true])
})

test('AGENT-17 a completion no longer counts as running after a success, an error or a broken stream', async () => {
  const ways = [
    (response: ServerResponse) => void response.destroy(),
    (response: ServerResponse) => void response.writeHead(200, SSE).write(piece('一'), () => response.destroy()),
    (response: ServerResponse) => void response.writeHead(429).end(),
    answering(['好']),
  ]
  // A device may have eight running completions, so an ended completion that still counts would block the later ones.
  for (let round = 0; round < 3; round += 1)
    for (const way of ways) {
      lab.vendor.behave(way)
      await (await ask()).text()
    }
  lab.vendor.behave(answering(['好']))
  expect((await Promise.all(Array.from({ length: 8 }, () => ask()))).map(({ status }) => status)).toEqual(
    Array(8).fill(200),
  )
})

test('AGENT-17 a stopping process waits 5 s for completions, ends the others with an error event and counts all tokens', async () => {
  await awaitCompletions()
  await oms.query('delete from agent_usage')
  const talking = new Promise<ServerResponse>((done) =>
    lab.vendor.behave((response) => {
      response.writeHead(200, SSE)
      const timer = setInterval(() => response.write(piece('字')), 100)
      response.once('close', () => clearInterval(timer))
      done(response)
    }),
  )
  const text = (await ask()).text()
  const vendor = await talking
  let finish = () => {}
  lab.vendor.behave((response) => {
    response.writeHead(200, SSE).write(piece('先'))
    finish = () => void response.end(piece('后') + DONE)
  })
  const short = await ask()
  let waiting: ServerResponse | undefined
  lab.vendor.behave((response) => (waiting = response))
  const unanswered = ask()
  await expect.poll(() => waiting).toBeDefined()
  const cancelled = once(vendor, 'close')
  const since = performance.now()
  oms.services().shutdown.begin()
  finish()
  expect(wordsOf(await short.text())).toBe('先后')
  const { chunks } = chunksOf(await text)
  const took = performance.now() - since
  expect(took).toBeGreaterThan(4500)
  expect(took).toBeLessThan(8000)
  expect(chunks.at(-1)).toMatchObject({ error: { code: 'restarting' } })
  const refused = await unanswered
  expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([503, 'true'])
  expect((await errorOf(refused)).code).toBe('restarting')
  await cancelled
  await awaitCompletions()
  const [{ n }] = await oms.query('select count(*)::int as n from agent_usage where unit = 7')
  expect(n).toBe(2)
}, 20_000)
