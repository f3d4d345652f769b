import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { TryEvents, TryFigures, tryOut as calls, tryOut } from '@oms/contract/agent/agents/try-out.ts'
import { USAGE_SOURCE } from '@oms/contract/agent/usage/usage-unit.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { sql, and, eq } from 'drizzle-orm'
import type { FastifyReply } from 'fastify'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { refused, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import type { Services } from '#core/services.ts'
import { isTenantInScope, PLATFORM_TENANT_ID, notDeleted } from '#core/tenancy/tenancy.ts'
import {
  streamChat,
  type ChatEvent,
  type LlmUsage,
  type ChatMessage,
  buildChatBody,
  isOpenAiCompatible,
  readLlmEndpoint,
} from '../models/llm-chat.ts'
import { toLlmError } from '../models/llm-error.ts'
import { type DecryptedModel, readModelConfigs } from '../models/model-config.ts'
import { buildUsableModelCondition } from '../models/model.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentModels } from '../schema/agent-model.ts'
import { agentWordFiles } from '../schema/agent.ts'
import { computeTokenCost, estimateTokens, buildTokenEntries, recordUsage } from '../usage/usage-record.ts'
import { insertAgentName } from './agent-config.ts'
import { readAgent, type StoredAgent } from './agent.ts'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/**
 * Streams a completion of the agent's model for the unsaved form. A disconnecting client cancels the request to the
 * vendor.
 */
export async function askAgent(ctx: Ctx, input: ParsedOf<typeof calls.ask>): Promise<StreamResponse> {
  const { services, user } = ctx
  const agent = await readAgent(ctx, input.id)
  await assertBudget(ctx, agent.tenantId)
  const prepared = await prepareChat(services, agent, input)
  // The response shows the prompt with the memory, so the log states that the account used the memory.
  const memory = prepared.hasMemory ? '，使用了记忆' : ''
  ctx.audit({ bizType: 'agent', bizId: agent.id, action: `试用智能体「${agent.agentName}」${memory}` })
  return async (_request, reply: FastifyReply) => {
    const release = services.streams.open(user)
    reply.hijack()
    const { raw } = reply
    const controller = new AbortController()
    raw.once('close', () => controller.abort())
    raw.writeHead(200, HEADERS)
    const meter = new TryMeter(prepared)
    try {
      await run(raw, { prepared, meter, user, signal: controller.signal })
    } catch (error) {
      const { kind, message } = toLlmError(error)
      await send(raw, 'error', { kind, message })
    } finally {
      release()
      await countTryOut(services, agent, prepared.model, meter.figures()).catch((err: unknown) =>
        services.log.error({ err }, 'try-out usage'),
      )
      raw.end()
    }
  }
}

interface Run {
  readonly prepared: PreparedChat
  readonly meter: TryMeter
  readonly user: User
  readonly signal: AbortSignal
}

async function run(raw: ServerResponse, { prepared, meter, user, signal }: Run) {
  const { model, endpoint, messages, policy, body, corrected } = prepared
  // The address of a model of another tenant is hidden like its key.
  const url = isTenantInScope(user, model.tenantId) ? endpoint.url : '（平台模型）'
  const request = JSON.stringify({ url, body }, null, 2)
  await send(raw, 'start', { model: model.name, request, corrected })
  for await (const event of streamChat({ endpoint, messages, policy, signal })) {
    meter.add(event)
    if (event.type === 'text' || event.type === 'reasoning') await send(raw, event.type, { text: event.text })
    else if (event.type === 'tool') await send(raw, 'tool', { name: event.name, args: event.args })
  }
  await send(raw, 'done', meter.figures())
}

/** Sends one event. Waits while the client reads more slowly than the vendor sends. */
async function send<K extends keyof TryEvents>(raw: ServerResponse, event: K, data: TryEvents[K]) {
  if (raw.destroyed || raw.writableEnded) return
  if (raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) return
  await Promise.race([once(raw, 'drain'), once(raw, 'close')])
}

/** Tokens that a tenant may use per day for try-outs. The platform has no limit. */
const TOKENS_PER_DAY = 500_000

/** Throws when the tenant has used its tokens of today. A running completion may exceed the budget. */
async function assertBudget({ services }: Pick<Ctx, 'services'>, tenantId: number) {
  if (tenantId === PLATFORM_TENANT_ID) return
  const { rows } = await services.database.db.execute<{ used: number }>(sql`
    select tokens_in + tokens_out as used from agent_try_days where tenant_id = ${tenantId} and day = current_date`)
  if ((rows[0]?.used ?? 0) >= TOKENS_PER_DAY) throw refused('今日的试用额度已用完，请明天再试')
}

/** Adds one completion of a try-out to the daily counters of the tenant and to the usage of the agent. */
const countTryOut = (
  { database }: Services,
  { tenantId, id: agentId }: Pick<StoredAgent, 'tenantId' | 'id'>,
  model: DecryptedModel,
  figures: TryFigures,
) =>
  database.db.transaction(async (db) => {
    // Vendors do not charge refused calls, so a refused call uses no tokens of the budget.
    const isCharged = !figures.isEstimate || figures.output > 0
    const { input, output } = isCharged ? figures : { input: 0, output: 0 }
    await db.execute(sql`
      insert into agent_try_days as d (tenant_id, day, calls, tokens_in, tokens_out)
      values (${tenantId}, current_date, 1, ${input}, ${output})
      on conflict (tenant_id, day) do update set calls = d.calls + 1,
        tokens_in = d.tokens_in + excluded.tokens_in, tokens_out = d.tokens_out + excluded.tokens_out`)
    const owner = { tenantId, agentId, deviceId: 0, source: USAGE_SOURCE.tryOut }
    if (isCharged) await recordUsage(db, buildTokenEntries(owner, model, figures, figures.isEstimate))
  })

/** Measures one completion: time to the first text, total time, tokens and cost. */
class TryMeter {
  readonly #startedAt = performance.now()
  readonly #prepared: PreparedChat
  #firstMs: number | undefined
  #usage: LlmUsage | undefined
  #text = ''

  constructor(prepared: PreparedChat) {
    this.#prepared = prepared
  }

  get model() {
    return this.#prepared.model
  }

  add(event: ChatEvent) {
    if (event.type === 'usage') this.#usage = event.usage
    if (event.type !== 'text' && event.type !== 'reasoning') return
    this.#firstMs ??= this.#elapsed()
    if (event.type === 'text') this.#text += event.text
  }

  figures(): TryFigures {
    const usage = this.#usage ?? this.#estimate()
    return {
      ...usage,
      firstMs: this.#firstMs ?? this.#elapsed(),
      totalMs: this.#elapsed(),
      isEstimate: this.#usage === undefined,
      cost: computeTokenCost(usage, this.#prepared.model),
    }
  }

  #elapsed() {
    return Math.round(performance.now() - this.#startedAt)
  }

  #estimate(): LlmUsage {
    const sent = this.#prepared.messages.map(({ content }) => content).join('\n')
    return { input: estimateTokens(sent), output: estimateTokens(this.#text), cached: 0 }
  }
}

/** Values of the unsaved form, and the conversation. */
type TryInput = ParsedOf<typeof tryOut.ask>

/** Returns the language model of the form. The model must be usable by the tenant of the agent. */
async function modelOf(
  services: Services,
  tenantId: number,
  llmId: number | null | undefined,
): Promise<DecryptedModel> {
  const { db } = services.database
  if (!llmId) throw invalid('请先选择大语言模型', 'llmId')
  const isUsable = and(eq(agentModels.id, llmId), eq(agentModels.type, 'LLM'), buildUsableModelCondition(tenantId))
  if ((await db.$count(agentModels, isUsable)) === 0) throw invalid('大语言模型不存在或已被删除', 'llmId')
  const model = (await readModelConfigs(db, services.config.secretKey, [llmId])).get(llmId)
  if (!model) throw invalid('大语言模型不存在或已被删除', 'llmId')
  if (model.status !== 1) throw invalid(`大语言模型「${model.name}」已停用`, 'llmId')
  if (!isOpenAiCompatible(model.config))
    throw invalid(`「${model.name}」是 ${model.providerCode} 类型，只能由语音服务调用，不能在此试用`, 'llmId')
  return model
}

/**
 * Returns the memory as the voice server would receive it: of the device, or of the agent when its devices share one
 * memory.
 */
async function memoryOf(db: Db, agent: StoredAgent, deviceId: number | undefined): Promise<string> {
  if (deviceId === undefined) return agent.memoryScope === 2 ? agent.memory : ''
  const isBound = and(eq(agentDevices.deviceId, deviceId), eq(agentDevices.agentId, agent.id))
  const [device] = await db.select({ memory: agentDevices.memory }).from(agentDevices).where(isBound)
  if (!device) throw notFound('设备')
  return agent.memoryScope === 2 ? agent.memory : device.memory
}

/** Returns the corrections in the order of the files, because an earlier correction may change the text of a later one. */
async function wordLinesOf(db: Db, tenantId: number, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return []
  const isOwn = and(among(agentWordFiles.id, ids), eq(agentWordFiles.tenantId, tenantId), notDeleted(agentWordFiles))
  const { id, lines } = agentWordFiles
  const linesById = new Map(
    (await db.select({ id, lines }).from(agentWordFiles).where(isOwn)).map((row) => [row.id, row.lines]),
  )
  return ids.flatMap((each) => linesById.get(each) ?? [])
}

/**
 * Returns the messages and the model of one completion. Prompt, memory and word corrections equal those of the voice
 * server.
 */
async function prepareChat(services: Services, agent: StoredAgent, input: TryInput) {
  const { db } = services.database
  const model = await modelOf(services, agent.tenantId, input.llmId)
  const memory = await memoryOf(db, agent, input.deviceId)
  const words = await wordLinesOf(db, agent.tenantId, input.wordFileIds)
  const prompt = insertAgentName(input.systemPrompt, input.agentName)
  const system = memory ? `${prompt}\n\n<memory>\n${memory}\n</memory>` : prompt
  const sent: ChatMessage[] = [
    ...(system ? [{ role: 'system' as const, content: system }] : []),
    ...input.messages.map(({ role, content }) => ({
      role,
      content: role === 'user' ? applyWordCorrections(content, words) : content,
    })),
  ]
  const endpoint = readLlmEndpoint(model.config)
  const owner = model.tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant'
  const last = input.messages.at(-1)!.content
  return {
    model,
    endpoint,
    messages: sent,
    policy: selectAddressPolicy(services.config, owner),
    body: buildChatBody(endpoint, sent),
    hasMemory: memory !== '',
    /** The last question after word corrections; empty when nothing was corrected. */
    corrected: sent.at(-1)!.content === last ? '' : sent.at(-1)!.content,
  } as const
}
type PreparedChat = Awaited<ReturnType<typeof prepareChat>>

/**
 * Corrects recognised words as the voice server does: replaces every `from` of a line `from|to`, in the order of the
 * lines.
 */
function applyWordCorrections(text: string, lines: readonly string[]): string {
  let corrected = text
  for (const line of lines) {
    const [from = '', to = ''] = line.split('|', 2)
    if (from !== '') corrected = corrected.replaceAll(from, () => to)
  }
  return corrected
}
