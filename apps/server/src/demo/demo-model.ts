import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Services } from '#core/services.ts'
import { estimateTokens } from '#modules/agent/usage/usage-record.ts'
import { agentModels } from '#modules/agent/schema/agent-model.ts'

/** Prices in fen of the models that the agents use, so that the demo shows costs. Units: `PRICE_UNITS`. */
export const MODEL_PRICES = {
  LLM_ChatGLMLLM: { priceIn: 80, priceOut: 200 },
  ASR_FunASR: { priceIn: 120, priceOut: 0 },
  TTS_EdgeTTS: { priceIn: 0, priceOut: 200 },
} as const

const CODE = 'LLM_OmsDemo'
const ROOT = '/demo-llm/v1'
const CALLS_A_MINUTE = 120
/** Pause between two pieces, so that the console shows an answer as it arrives. */
const PIECE_MS = 30
const PIECE = /.{1,3}/gsu

const Body = z.object({
  model: z.string().max(100).default('oms-demo'),
  stream: z.boolean().default(false),
  messages: z.array(z.object({ role: z.string(), content: z.string().max(20_000) })).max(200),
})

/**
 * Serves a small OpenAI-compatible model that answers by rules. The demo serves the model, so that a try-out works
 * without an account of a vendor.
 */
export function serveDemoModel(app: FastifyInstance, services: Services) {
  app.post(`${ROOT}/chat/completions`, async (request: FastifyRequest, reply: FastifyReply) => {
    services.rate.take(`demoModel:${request.clientAddress}`, CALLS_A_MINUTE)
    const parsed = Body.safeParse(request.body)
    if (!parsed.success)
      return reply.code(400).send({ error: { message: 'messages: invalid', type: 'invalid_request' } })
    const { model, stream, messages } = parsed.data
    const content = createDemoAnswer(messages)
    const sent = messages.map((message) => message.content).join('\n')
    const usage = { prompt_tokens: estimateTokens(sent), completion_tokens: estimateTokens(content) }
    if (!stream) return { model, choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage }
    reply.hijack()
    await streamAnswer(reply, content, usage)
    return reply
  })
}

async function streamAnswer({ raw }: FastifyReply, content: string, usage: object) {
  raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
  const write = (chunk: object) => raw.write(`data: ${JSON.stringify(chunk)}\n\n`)
  for (const piece of content.match(PIECE) ?? []) {
    if (raw.destroyed) return
    write({ choices: [{ delta: { content: piece } }] })
    await sleep(PIECE_MS)
  }
  write({ choices: [{ delta: {}, finish_reason: 'stop' }] })
  write({ choices: [], usage })
  raw.end('data: [DONE]\n\n')
}

/**
 * Registers the demo model under its current address. The first start also assigns the demo model to templates, agents,
 * memories, intents and recorded usage that refer to the shipped model, because the shipped model has no key. Agents get
 * no vision model, which would need a key too.
 */
export async function registerDemoModel({ database: { db }, config }: Services, port: number) {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host
  const base_url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${ROOT}`
  const settings = { base_url, model_name: 'oms-demo' }
  const [known] = await db.select({ id: agentModels.id }).from(agentModels).where(eq(agentModels.code, CODE))
  // Earlier releases stored a sort that the form refuses.
  const repaired = { config: settings, sort: sql`greatest(${agentModels.sort}, 0)` }
  if (known) return db.update(agentModels).set(repaired).where(eq(agentModels.id, known.id))
  const [made] = await db
    .insert(agentModels)
    .values({
      tenantId: 1,
      type: 'LLM',
      code: CODE,
      name: '演示模型（按规则回答）',
      providerCode: 'openai',
      shared: 1,
      relay: 1,
      config: settings,
      sort: 0,
      ...MODEL_PRICES.LLM_ChatGLMLLM,
      remark: '演示环境内置，不需要密钥；单价仅用于演示成本',
    })
    .returning({ id: agentModels.id })
  for (const table of ['agents', 'agent_templates'])
    await db.execute(sql`update ${sql.identifier(table)} set llm_id = ${made!.id}, slm_id = ${made!.id}, vllm_id = null
      where llm_id in (select id from agent_models where code = 'LLM_ChatGLMLLM')`)
  await db.execute(sql`update agent_models set config = config || jsonb_build_object('llm', ${CODE}::text)
    where config ->> 'llm' = 'LLM_ChatGLMLLM'`)
  // The recorded usage names the model that the agents use.
  await db.execute(sql`update agent_usage set model_id = ${made!.id}
    where model_id in (select id from agent_models where code = 'LLM_ChatGLMLLM')`)
}

interface Message {
  readonly role: string
  readonly content: string
}

const JOKES = [
  '为什么程序员总分不清万圣节和圣诞节？因为 Oct 31 等于 Dec 25。',
  '有一天，数字 0 遇见数字 8，惊讶地说：哥们儿，腰带系得真紧！',
  '小明问机器人：你会游泳吗？机器人说：会呀，我有“海量”数据。',
]

/** Rules in order. The first rule whose words occur in the question gives the answer. */
const RULES: readonly (readonly [words: readonly string[], answer: (question: string, name: string) => string])[] = [
  [
    ['你是谁', '叫什么', '介绍一下'],
    (_, name) => `我是${name}，很高兴认识你！你可以和我聊天，也可以让我讲故事、查天气。`,
  ],
  [['你好', '您好', 'hello', 'hi'], (_, name) => `你好呀，我是${name}，今天想聊点什么？`],
  [
    ['天气', '出门', '下雨'],
    () => '今天多云转晴，18 到 26 度，微风，很适合出门走走，早晚记得加件外套。（演示数据，不是真实天气）',
  ],
  [['笑话', '好笑', '逗'], (question) => JOKES[question.length % JOKES.length]!],
  [
    ['故事'],
    () => '从前，山脚下住着一盏小路灯。每天晚上，它都为晚归的人照亮回家的路。有一天，星星对它说：你也是一颗星。',
  ],
  [['再见', '拜拜', '晚安'], () => '好的，那我们下次再聊，再见！'],
  [['谢谢', '感谢'], () => '不客气，能帮到你我很开心。'],
]

const NAME_PARTS = 4
const NAMED = /(?:你是|你叫|我是|我叫)(?:一个|一位|一名)?([^，。,.！!、；;\n{]{1,40})/

/** Returns the name that a prompt gives: `你是小智`, `你叫小智` or, with several parts, `你是海川 小管家`. */
function nameIn(prompt: string): string {
  const words = NAMED.exec(prompt)?.[1]?.trim() ?? ''
  return words === '' ? '演示助手' : words.split(/\s+/).slice(0, NAME_PARTS).join(' ')
}

/** Returns the answer of the demo model. The model follows rules, so the same conversation has the same answer. */
export function createDemoAnswer(messages: readonly Message[]): string {
  const prompt = messages.find(({ role }) => role === 'system')?.content ?? ''
  const question = messages.findLast(({ role }) => role === 'user')?.content.slice(0, 1000) ?? ''
  const lower = question.toLowerCase()
  if (/记得|记住|知道我/.test(lower)) {
    const [, memory] = /<memory>\n([^<]{1,400})/.exec(prompt) ?? []
    return memory ? `我记得：${memory.trim()}` : '我还没有关于你的记忆，多和我聊聊吧。'
  }
  const rule = RULES.find(([words]) => words.some((word) => lower.includes(word)))
  if (rule) return rule[1](question, nameIn(prompt))
  const earlier = messages.filter(({ role }) => role === 'user').length - 1
  const turn = earlier > 0 ? `（这是我们的第 ${earlier + 1} 轮对话）` : ''
  return `你说的是“${question.slice(0, 60)}”。我是内置的演示模型，只按固定规则回答；换成真实的大语言模型后，就能听到完整的回答${turn}。`
}
