import type { tryOut } from '@oms/contract/agent/agents/try-out.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Services } from '#core/services.ts'
import { buildUsableModelCondition } from '../models/model-access.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { insertAgentName } from './agent-config.ts'
import { applyWordCorrections } from './correct-words.ts'
import { readModelConfigs, type DecryptedModel } from '../models/model-config.ts'
import { type ChatMessage, buildChatBody, isOpenAiCompatible, readLlmEndpoint } from '../llm/chat-request.ts'
import { agentWordFiles } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentModels } from '../schema/agent-model.ts'
import type { StoredAgent } from './agent-store.ts'

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
export async function prepareChat(services: Services, agent: StoredAgent, input: TryInput) {
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
export type PreparedChat = Awaited<ReturnType<typeof prepareChat>>
