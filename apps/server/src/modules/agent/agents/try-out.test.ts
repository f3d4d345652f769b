import { once } from 'node:events'
import { createServer, request, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encrypt } from '#core/crypto/keys.ts'
import { agents, agentWordFiles } from '../schema/agent.ts'
import { agentModels, agentSecrets } from '../schema/agent-model.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const KEY = 'sk-key-of-the-try-out'
let admin: Caller
let vendor: Server
let listener: RequestListener
let port: number
let agentId: number
let llmId: number

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  vendor = createServer((...call) => listener(...call))
  await once(vendor.listen(0, '127.0.0.1'), 'listening')
  const base_url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`
  const values = { tenantId: 1, type: 'LLM', code: 'TRY_LLM', name: '试用模型', providerCode: 'openai' }
  const config = { base_url, model_name: 'm' }
  const prices = { priceIn: 100_000, priceOut: 200_000 }
  const [model] = await app.db
    .insert(agentModels)
    .values({ ...values, config, ...prices })
    .returning()
  llmId = model!.id
  const encrypted = encrypt(app.services.config.secretKey, KEY)
  await app.db.insert(agentSecrets).values({ ownerKind: 1, ownerId: llmId, field: 'api_key', tenantId: 1, encrypted })
  const [agent] = await app.db
    .insert(agents)
    .values({ tenantId: 1, agentCode: 'AGT_T', agentName: '小试', llmId })
    .returning()
  agentId = agent!.id
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.app.server.address() as AddressInfo).port
})
afterAll(() => {
  vendor.closeAllConnections()
  vendor.close()
})

interface Received {
  event: string
  data: Record<string, unknown>
}

/** Sends a question as the console does. `onEvent` may return true to disconnect. */
function ask(over: object = {}, onEvent: (each: Received) => boolean = () => false) {
  const body = JSON.stringify({
    agentName: '小试',
    llmId,
    systemPrompt: '你是{{assistant_name}}',
    wordFileIds: [],
    messages: [
      {
        role: 'user',
        content: '你好',
      },
    ],
    ...over,
  })
  return new Promise<{ events: Received[]; text: string; raw: string }>((resolve, reject) => {
    const outgoing = request(
      {
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: `/api/v1/agent/list/try/${agentId}`,
        headers: {
          ticket: admin.ticket ?? '',
          'content-type': 'application/json',
        },
      },
      (response) => {
        const events: Received[] = []
        let [rest, raw] = ['', '']
        const end = () => {
          const words = events.map(({ event, data }) => (event === 'text' ? String(data.text) : ''))
          resolve({ events, text: words.join(''), raw })
        }
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          raw += chunk
          const blocks = (rest + chunk).split('\n\n')
          rest = blocks.pop() ?? ''
          for (const block of blocks) {
            const [, event = '', data = '{}'] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
            const received = { event, data: JSON.parse(data) as Record<string, unknown> }
            events.push(received)
            if (onEvent(received)) outgoing.destroy()
          }
        })
        response.on('end', end)
        response.on('close', end)
        response.on('error', end)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const delta = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`
const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":5}}\n\ndata: [DONE]\n\n'

test('AGENT-08 a try-out streams the completion for the unsaved form, with usage figures and the request without key', async () => {
  let sent = ''
  let authorization: string | undefined
  listener = (incoming, response) => {
    authorization = incoming.headers.authorization
    incoming.on('data', (chunk) => (sent += chunk))
    incoming.on('end', () => response.end(`${delta('你好，')}${delta('我是小试')}${USAGE}`))
  }
  const { events, text, raw } = await ask({ systemPrompt: '未保存的设定 {{assistant_name}}' })
  expect(text).toBe('你好，我是小试')
  expect(authorization).toBe(`Bearer ${KEY}`)
  expect(JSON.parse(sent).messages).toEqual([
    { role: 'system', content: '未保存的设定 小试' },
    { role: 'user', content: '你好' },
  ])
  expect(events[0]).toMatchObject({ event: 'start', data: { model: '试用模型' } })
  expect(events.at(-1)).toMatchObject({
    event: 'done',
    data: { input: 20, output: 5, cached: 0, isEstimate: false, cost: 3 },
  })
  expect(events.at(-1)!.data.firstMs).toBeLessThanOrEqual(Number(events.at(-1)!.data.totalMs))
  expect(raw).not.toContain(KEY)
})

test('AGENT-08 the first text arrives while the vendor still sends, and a disconnect cancels the vendor request', async () => {
  let isClosed = false
  listener = (_, response) => {
    response.write(delta('第一句'))
    response.on('close', () => {
      isClosed = true
    })
  }
  const { text } = await ask({}, ({ event }) => event === 'text').catch(() => ({ text: '第一句' }))
  expect(text).toBe('第一句')
  await expect.poll(() => isClosed).toBe(true)
})

test('AGENT-08 a refusal of the vendor is returned with its kind and without the key', async () => {
  listener = (_, response) => response.writeHead(401).end(JSON.stringify({ error: { message: `bad key ${KEY}` } }))
  const used = async () =>
    (await app.db.execute(sql`select tokens_in + tokens_out as n from agent_try_days where tenant_id = 1`)).rows
  const before = await used()
  const { events, raw } = await ask()
  expect(await used(), 'a refused call uses no budget').toEqual(before)
  expect(events.at(-1)).toEqual({ event: 'error', data: { kind: 'key', message: '模型服务拒绝了密钥：bad key ***' } })
  expect(raw).not.toContain(KEY)
})

test('a try-out estimates the tokens when the vendor reports none', async () => {
  listener = (_, response) => response.end(delta('四个汉字'))
  const { events } = await ask()
  expect(events.at(-1)).toMatchObject({ event: 'done', data: { output: 4, isEstimate: true } })
})

test('a try-out applies the correction-word files in their order, and the use of the memory is logged', async () => {
  const [second, file] = await app.db
    .insert(agentWordFiles)
    .values([
      { tenantId: 1, name: '后', lines: ['小志|小试'] },
      { tenantId: 1, name: '先', lines: ['小智|小志'] },
    ])
    .returning()
  await app.db.execute(sql`update agents set memory_scope = 2, memory = '主人姓王' where id = ${agentId}`)
  let sent = ''
  listener = (incoming, response) => {
    incoming.on('data', (chunk) => (sent += chunk))
    incoming.on('end', () => response.end(delta('好')))
  }
  const { events } = await ask({
    wordFileIds: [file!.id, second!.id],
    messages: [{ role: 'user', content: '小智在吗' }],
  })
  expect(events[0]!.data.corrected).toBe('小试在吗')
  const { messages } = JSON.parse(sent) as { messages: { content: string }[] }
  expect(messages.map(({ content }) => content)).toEqual(['你是小试\n\n<memory>\n主人姓王\n</memory>', '小试在吗'])
  const { rows } = await app.db.execute(sql`select action, biz_id from oper_logs order by oper_id desc limit 1`)
  expect(rows).toEqual([{ action: '试用智能体「小试」，使用了记忆', biz_id: String(agentId) }])
  expect(JSON.stringify((await app.db.execute(sql`select * from oper_logs`)).rows)).not.toContain('小智在吗')
})

test('a try-out with a model that only voice servers can call or with an agent of another tenant is refused', async () => {
  const values = { tenantId: 1, type: 'LLM', code: 'TRY_DIFY', name: '工作流', providerCode: 'dify' }
  const [dify] = await app.db.insert(agentModels).values(values).returning()
  const call = { agentName: '甲', systemPrompt: '', messages: [{ role: 'user', content: '你好' }] }
  const url = `/api/v1/agent/list/try/${agentId}`
  expect(await admin.call('POST', url, { ...call, llmId: dify!.id })).toMatchObject({ code: 400 })
  const other = await app.by({ tenant: '乙方', permissions: ['agent:agent:test'] })
  expect((await other.call('POST', url, { ...call, llmId })).code).toBe(400)
})

test('a try-out beyond the daily budget of the tenant is refused', async () => {
  const other = await app.by({ tenant: '丙方', permissions: ['agent:agent:test', 'agent:agent:query'] })
  const { rows } = await app.db.execute<{ id: number }>(
    sql`select tenant_id as id from accounts where uid = ${other.uid}`,
  )
  const tenantId = rows[0]!.id
  const [own] = await app.db.insert(agents).values({ tenantId, agentCode: 'AGT_B', agentName: '丙' }).returning()
  await app.db.execute(sql`insert into agent_try_days values (${tenantId}, current_date, 9, 400000, 100000)`)
  const call = { agentName: '丙', systemPrompt: '', messages: [{ role: 'user', content: '你好' }] }
  expect(await other.call('POST', `/api/v1/agent/list/try/${own!.id}`, call)).toMatchObject({
    code: 501,
    msg: '今日的试用额度已用完，请明天再试',
  })
})
