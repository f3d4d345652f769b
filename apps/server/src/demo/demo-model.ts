import { setTimeout as sleep } from 'node:timers/promises'
import { eq, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Services } from '#core/services.ts'
import { estimateTokens } from '#modules/agent/llm/token-figures.ts'
import { agentModels } from '#modules/agent/schema/agent-model.ts'
import { createDemoAnswer } from './demo-answers.ts'
import { MODEL_PRICES } from './agents/agent-words.ts'

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
