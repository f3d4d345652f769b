import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { OutboundLimits } from '#core/outbound/outbound.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { type ChatEvent, readLlmEndpoint, streamChat } from './llm-chat.ts'

const KEY = 'sk-secret-of-the-test'
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void

/** Starts a vendor and returns the events and the failure of one completion. */
async function ask(answer: Answer, limits?: Partial<OutboundLimits>) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => answer(response, request, body))
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  const config = { type: 'openai', base_url, api_key: KEY, model_name: 'm', temperature: '0.5', top_p: '' }
  const events: ChatEvent[] = []
  const call = {
    endpoint: readLlmEndpoint(config),
    messages: [{ role: 'user' as const, content: '你好' }],
    policy: selectAddressPolicy({ outboundPrivate: [] }, 'platform'),
    ...(limits && { limits }),
  }
  let error: unknown
  try {
    for await (const event of streamChat(call)) events.push(event)
  } catch (thrown) {
    error = thrown
  }
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
  return { events, text, error: error as { kind: string; message: string } | undefined }
}

const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}`
const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

test('a completion request contains model, key and parameters, and asks for the token usage', async () => {
  let seen: { url?: string | undefined; key?: string | undefined; body?: unknown } = {}
  await ask((response, { url, headers }, body) => {
    seen = { url, key: headers.authorization, body: JSON.parse(body) }
    stream(response).end(`${delta('好')}\n\ndata: [DONE]\n\n`)
  })
  expect(seen).toEqual({
    url: '/v1/chat/completions',
    key: `Bearer ${KEY}`,
    body: {
      model: 'm',
      messages: [{ role: 'user', content: '你好' }],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
    },
  })
})

test('AGENT-08 a stream is parsed when it is split at every byte, with CRLF, comments and reasoning', async () => {
  const usage = `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":2}}}`
  const reasoning = `data: {"choices":[{"delta":{"reasoning_content":"想"}}]}`
  const text = [': ping', '', reasoning, '', delta('你好，'), '', delta('🌧️世界'), '', usage, '', 'data: [DONE]', '', '']
  const bytes = Buffer.from(text.join('\r\n'))
  const { events, error } = await ask((response) => {
    stream(response)
    void (async () => {
      for (const byte of bytes) {
        response.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
      response.end()
    })()
  })
  expect(error).toBeUndefined()
  expect(events).toEqual([
    { type: 'reasoning', text: '想' },
    { type: 'text', text: '你好，' },
    { type: 'text', text: '🌧️世界' },
    { type: 'usage', usage: { input: 7, output: 3, cached: 2 } },
  ])
})

test('several events in one chunk and a stream without [DONE] or a final blank line are parsed', async () => {
  const { text, error } = await ask((response) =>
    stream(response).end(`${delta('一')}\n\n${delta('二')}\n\n${delta('三')}`),
  )
  expect(error).toBeUndefined()
  expect(text).toBe('一二三')
})

test('[DONE] ends the stream and closes the connection, even when the vendor keeps it open', async () => {
  let isClosed = false
  const { text } = await ask((response) => {
    stream(response).write(`${delta('完')}\n\ndata: [DONE]\n\n`)
    response.on('close', () => {
      isClosed = true
    })
  })
  expect(text).toBe('完')
  await expect.poll(() => isClosed).toBe(true)
})

test('the complete JSON document of a server that does not stream is accepted', async () => {
  const { events, text } = await ask((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const choices = [{ message: { content: '整段回答' }, finish_reason: 'stop' }]
    response.end(JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 9e16 } }, null, 2))
  })
  expect(text).toBe('整段回答')
  expect(events.at(-1)).toEqual({ type: 'usage', usage: { input: 1, output: 10_000_000, cached: 0 } })
})

test('tool calls in a stream are returned as events', async () => {
  const call = { choices: [{ delta: { tool_calls: [{ function: { name: 'get_weather', arguments: '{}' } }] } }] }
  const { events } = await ask((response) => stream(response).end(`data: ${JSON.stringify(call)}\n\n`))
  expect(events).toEqual([{ type: 'tool', name: 'get_weather', args: '{}' }])
})

const refusals: [kind: string, status: number, body: unknown][] = [
  ['key', 401, { error: { message: `Incorrect API key provided: ${KEY}` } }],
  ['key', 200, { error: { code: 'invalid_api_key', message: `Bearer ${KEY} refused` } }],
  ['quota', 429, { error: { message: 'slow down' } }],
  ['quota', 403, { code: 'Arrearage', message: 'Access denied' }],
  ['model', 404, { error: { message: 'The model `m` does not exist' } }],
  ['model', 400, { error: { code: 'model_not_found', message: 'x' } }],
  ['address', 404, '<html>not found</html>'],
  ['address', 302, ''],
  ['time', 504, ''],
  ['request', 400, { message: 'messages too long' }],
  ['vendor', 503, 'overloaded'],
  ['answer', 200, '<html>login</html>'],
  ['answer', 200, ''],
]
test.each(refusals)('the error of kind %s with HTTP status %i does not contain the key', async (kind, status, body) => {
  const { error } = await ask((response) => {
    response.writeHead(status)
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  expect(error).toMatchObject({ name: 'LlmError', kind })
  expect(error?.message).not.toContain('secret-of-the-test')
})

test('an error object inside a stream ends the stream after the preceding text', async () => {
  const { text, error } = await ask((response) =>
    stream(response).end(`${delta('半句')}\n\ndata: {"error":{"message":"rate limit reached"}}\n\n`),
  )
  expect(text).toBe('半句')
  expect(error).toMatchObject({ kind: 'quota', message: '模型服务的额度或频率已用尽：rate limit reached' })
})

test('the error text of a vendor is limited to 300 characters', async () => {
  const { error } = await ask((response) => response.writeHead(500).end('长'.repeat(5000)))
  expect(error?.message).toBe(`模型服务出错：${'长'.repeat(300)}`)
})

test('a stream that exceeds the limit of first byte, pause, total time or size is ended', async () => {
  const silent = await ask(() => {}, { firstByteMs: 40 })
  expect(silent.error).toMatchObject({ kind: 'time' })
  const pausing = await ask((response) => void stream(response).write(`${delta('一')}\n\n`), { idleMs: 40 })
  expect(pausing.text).toBe('一')
  expect(pausing.error).toMatchObject({ kind: 'time' })
  const endless: Answer = (response) => {
    stream(response)
    const timer = setInterval(() => response.write(`${delta('再')}\n\n`), 2)
    response.on('close', () => clearInterval(timer))
  }
  expect((await ask(endless, { totalMs: 60 })).error).toMatchObject({ kind: 'time' })
  expect((await ask(endless, { maxBytes: 500 })).error).toMatchObject({
    kind: 'answer',
    message: expect.stringContaining('过大'),
  })
})

test('a connection that breaks inside the stream ends with an error', async () => {
  const { text, error } = await ask((response) => {
    stream(response).write(`${delta('断')}\n\n`)
    void sleep(20).then(() => response.destroy())
  })
  expect(text).toBe('断')
  expect(error).toMatchObject({ kind: 'connection' })
})

test('Ollama is called at the path /v1', () => {
  const config = { type: 'ollama', base_url: 'http://localhost:11434', model_name: 'qwen' }
  expect(readLlmEndpoint(config).url).toBe('http://localhost:11434/v1/chat/completions')
})
