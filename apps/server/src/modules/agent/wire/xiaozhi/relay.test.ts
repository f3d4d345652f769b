import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { DONE, piece, usageEvent } from '#test/clients/llm-vendor.ts'
import { chunksOf, errorOf, QUESTION, relayLab, VENDOR_KEY, wordsOf } from '#test/fixtures/relay-fixture.ts'

const { oms, lab, handedOut, ask } = relayLab()

describe('configuration with the relay', () => {
  test('AGENT-17 the configuration contains relay address, model code and device key, but no vendor key', async () => {
    const body = { macAddress: lab.device.mac, clientId: 'c', selectedModule: {} }
    const answer = await oms.call('config/agent-models', { body })
    const { data } = answer.json()
    expect(data.LLM.LLM_Relayed).toEqual({
      type: 'openai',
      base_url: `${oms.origin()}/xiaozhi/llm/v1`,
      model_name: 'LLM_Relayed',
      api_key: expect.any(String),
    })
    expect(JSON.stringify(data)).not.toContain(VENDOR_KEY)
    expect(JSON.stringify(data)).not.toContain(lab.vendor.base)
  })

  test('AGENT-17 the configuration contains models without the relay unchanged', async () => {
    const plain = await oms.bound(await oms.agent())
    expect((await handedOut(plain.mac)).api_key).toBe('sk-raw-key')
  })
})

describe('completion', () => {
  test('AGENT-17 consecutive completions share one connection to the vendor', async () => {
    await (await ask()).text()
    const before = lab.vendor.connections()
    for (let call = 0; call < 4; call += 1) await (await ask()).text()
    expect(lab.vendor.connections() - before).toBeLessThan(4)
  })

  test("AGENT-17 the relay sends the vendor's model name, key and parameters, and asks for the usage", async () => {
    const given = { ...QUESTION, max_tokens: 9000, temperature: 0.3, n: 50, user: 'x', tools: [{ type: 'function' }] }
    expect((await ask(given)).status).toBe(200)
    expect(lab.vendor.calls).toEqual([
      {
        url: '/v1/chat/completions',
        key: `Bearer ${VENDOR_KEY}`,
        body: {
          messages: QUESTION.messages,
          tools: [{ type: 'function' }],
          temperature: 0.3,
          max_tokens: 300,
          model: 'true-model',
          stream: true,
          stream_options: { include_usage: true },
        },
      },
    ])
  })

  test("AGENT-17 the relay removes the usage chunk and replaces the vendor's model name by the model code", async () => {
    const answer = await ask()
    expect(answer.headers.get('content-type')).toContain('text/event-stream')
    const text = await answer.text()
    expect(wordsOf(text)).toBe('你好')
    expect(chunksOf(text).isDone).toBe(true)
    expect(text).not.toContain('usage')
    expect(text).not.toContain('true-model')
    expect(text).toContain('"model":"LLM_Relayed"')
  })

  test('AGENT-17 the relay forwards events that the vendor splits inside characters, with CRLF and comments', async () => {
    const bytes = Buffer.from(
      `: wait\r\n\r\n${piece('很').replaceAll('\n', '\r\n')}${piece('高兴')}${usageEvent(1, 2)}${DONE}`,
    )
    lab.vendor.behave(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7))
        if (at % 70 === 0) await sleep(2)
      }
      response.end()
    })
    expect(wordsOf(await (await ask()).text())).toBe('很高兴')
  })

  test('AGENT-17 the relay forwards the first chunk before the vendor has finished', async () => {
    let finish = () => {}
    lab.vendor.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(piece('先'))
      finish = () => void response.end(piece('后') + DONE)
    })
    const reader = (await ask()).body!.getReader()
    expect(wordsOf(new TextDecoder().decode((await reader.read()).value))).toBe('先')
    finish()
    expect(wordsOf(new TextDecoder().decode((await reader.read()).value))).toBe('后')
  })

  test('AGENT-17 the relay returns a completion without streaming, and lists only the model of the key', async () => {
    lab.vendor.behave((response) =>
      response.end(JSON.stringify({ model: 'true-model', choices: [{ message: { content: '好' } }] })),
    )
    const answer = await ask({ ...QUESTION, stream: false })
    expect(await answer.json()).toMatchObject({ model: 'LLM_Relayed', choices: [{ message: { content: '好' } }] })
    expect(lab.vendor.calls[0]!.body.stream_options).toBeUndefined()
    const { base_url, api_key } = await handedOut()
    const list = await fetch(`${base_url}/models`, { headers: { authorization: `Bearer ${api_key}` } })
    expect(await list.json()).toMatchObject({ object: 'list', data: [{ id: 'LLM_Relayed' }] })
  })

  test('AGENT-17 the relay turns thinking off for the vendors whose models think by default', async () => {
    const { buildVendorBody, parseRelayBody } = await import('./relay-vendor.ts')
    const body = parseRelayBody(JSON.stringify(QUESTION))!
    const at = (host: string) =>
      buildVendorBody(body, { url: `https://${host}/v1/chat/completions`, apiKey: '', model: 'm', params: {} })
    expect(at('dashscope.aliyuncs.com')).toMatchObject({ enable_thinking: false })
    for (const host of ['api.deepseek.com', 'open.bigmodel.cn', 'api.moonshot.cn', 'ark.cn-beijing.volces.com'])
      expect(at(host)).toMatchObject({ thinking: { type: 'disabled' } })
    expect(at('api.example.com')).not.toHaveProperty('thinking')
  })
})

describe('failures of the vendor', () => {
  test.each([
    ['429', 1, (response: ServerResponse) => void response.writeHead(429).end('{"error":{"message":"slow down"}}')],
    ['503', 1, (response: ServerResponse) => void response.writeHead(503).end()],
    // A lost connection of earlier completions is opened again once, because the vendor may have closed it as idle.
    ['a lost connection', 2, (response: ServerResponse) => void response.destroy()],
    [
      'an error inside a success',
      1,
      (response: ServerResponse) => void response.end('data: {"error":{"message":"quota exceeded"}}\n\n'),
    ],
  ])('AGENT-17 the relay calls the fallback model once after %s', async (_name, mostCalls, failing) => {
    lab.vendor.behave(failing)
    expect(wordsOf(await (await ask()).text())).toBe('备用')
    expect(lab.vendor.calls.length).toBeLessThanOrEqual(mostCalls)
    expect(lab.other.calls).toHaveLength(1)
    expect(lab.other.calls[0]!.body.model).toBe('other-model')
    expect(lab.other.calls[0]!.key).toBeUndefined()
  })

  test('AGENT-17 the relay calls the fallback model when the vendor sends no body within 8 s', {
    timeout: 20_000,
  }, async () => {
    lab.vendor.behave((response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders())
    const start = performance.now()
    expect(wordsOf(await (await ask()).text())).toBe('备用')
    expect(performance.now() - start).toBeGreaterThan(7900)
  })

  test('AGENT-17 when the vendor refuses the key, no fallback model is called, and the response contains no key or vendor text', async () => {
    lab.vendor.behave((response) => void response.writeHead(401).end(`{"error":{"message":"bad key ${VENDOR_KEY}"}}`))
    const answer = await ask()
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([502, 'false'])
    const text = await answer.text()
    expect(JSON.parse(text).error).toMatchObject({ code: 'vendor_key', message: '模型服务拒绝了密钥' })
    expect(text).not.toContain('bad key')
    expect(lab.other.calls).toEqual([])
    expect(JSON.stringify(oms.logs)).not.toContain(VENDOR_KEY)
  })

  test('AGENT-17 a request that the vendor refuses with 400 is returned as 400, so that it does not count as an outage', async () => {
    lab.vendor.behave((response) => void response.writeHead(400).end('{"error":{"message":"content is no text"}}'))
    const answer = await ask()
    expect([answer.status, (await errorOf(answer)).code]).toEqual([400, 'vendor_request'])
  })

  test('AGENT-17 the relay returns the cause when the fallback model fails too', async () => {
    lab.vendor.behave((response) => void response.writeHead(500).end())
    lab.other.behave((response) => void response.writeHead(429).end())
    const answer = await ask()
    expect(answer.status).toBe(429)
    expect((await errorOf(answer)).code).toBe('vendor_quota')
  })

  test('AGENT-17 a disabled model uses its fallback model; without an enabled fallback the key is refused', async () => {
    const { api_key } = await handedOut()
    const call = () =>
      fetch(`${oms.origin()}/xiaozhi/llm/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(QUESTION),
      })
    await oms.query('update agent_models set status = 0 where id = $1', [lab.main])
    expect(wordsOf(await (await call()).text())).toBe('备用')
    expect(lab.vendor.calls).toEqual([])
    await oms.query('update agent_models set status = 0 where id = $1', [lab.fallback])
    expect((await call()).status).toBe(401)
    await oms.query('update agent_models set status = 1 where id in ($1, $2)', [lab.main, lab.fallback])
  })

  test('AGENT-17 the relay does not call a fallback model of another tenant that is not shared', async () => {
    await oms.query('update agent_models set tenant_id = 999 where id = $1', [lab.fallback])
    lab.vendor.behave((response) => void response.writeHead(500).end())
    expect((await ask()).status).toBe(502)
    await oms.query('update agent_models set tenant_id = 1 where id = $1', [lab.fallback])
    expect(lab.other.calls).toEqual([])
  })

  test('AGENT-17 a stream that the vendor interrupts ends with an error event and calls no fallback model', async () => {
    lab.vendor.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(piece('开头'))
      setTimeout(() => response.destroy(), 50)
    })
    const { chunks, isDone } = chunksOf(await (await ask()).text())
    expect(isDone).toBe(false)
    expect(chunks.at(-1)).toMatchObject({ error: { code: 'vendor_connection', message: '模型服务中断了连接' } })
    expect(lab.other.calls).toEqual([])
  })

  test('AGENT-17 the relay cancels the completion at the vendor when the client disconnects', async () => {
    let isClosed = false
    lab.vendor.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(piece('一'))
      response.once('close', () => (isClosed = true))
    })
    const leave = new AbortController()
    const answer = await ask(QUESTION, undefined, leave.signal)
    await answer.body!.getReader().read()
    leave.abort()
    await expect.poll(() => isClosed).toBe(true)
  })
})
