import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { TryEvents, tryOut as calls } from '@oms/contract/agent/try-out/try-out.ts'
import type { FastifyReply } from 'fastify'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { isTenantInScope } from '#core/tenancy/tenancy.ts'
import { readVersionSnapshot } from '#domain/agents/agents/agent-of-device.ts'
import { streamChat } from '#domain/agents/llm/chat.ts'
import { toLlmError } from '#domain/agents/llm/llm-error.ts'
import { readAgent } from '../agents/agent-store.ts'
import { assertBudget, countTryOut } from './try-budget.ts'
import { TryMeter } from './try-figures.ts'
import { prepareChat, type PreparedChat, type TrySubject } from './try-prepare.ts'

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
  const prepared = await prepareChat(services, agent, await subjectOf(ctx, input), input)
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

/** Returns the form, or the fields of the requested version. */
async function subjectOf({ db }: Ctx, input: ParsedOf<typeof calls.ask>): Promise<TrySubject> {
  if (input.versionNo === undefined) return input
  const snapshot = await readVersionSnapshot(db, input.id, input.versionNo)
  if (!snapshot) throw notFound(`版本 ${input.versionNo} `)
  const { agentName = input.agentName, llmId, systemPrompt, wordFileIds } = snapshot
  return { ...input, agentName, llmId, systemPrompt, wordFileIds }
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
