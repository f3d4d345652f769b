import type { agentModels as calls } from '@oms/contract/agent/models/config.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { visibleRecords } from '#core/database/record.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { type AddressPolicy, selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { sendOutbound, OutboundError } from '#core/outbound/outbound.ts'
import { assertMayChangeSharedRow, PLATFORM_TENANT_ID, transact } from '#core/tenancy/tenancy.ts'
import { agentModels } from '../schema/agent-model.ts'
import { isOpenAiCompatible, readLlmEndpoint, streamChat } from './llm-chat.ts'
import { toLlmError } from './llm-error.ts'
import { readModelConfigs } from './model-config.ts'

type Config = Readonly<Record<string, unknown>>
const LIMITS = { connectMs: 10_000, firstByteMs: 20_000, idleMs: 20_000, totalMs: 30_000 }

/**
 * Tests a model: a language model by a completion of one word, another model by a request to its address. A test of a
 * model of the platform uses the key and the budget that all tenants share.
 */
export async function testModel(ctx: Ctx, { id }: ParsedOf<typeof calls.test>) {
  const { services, user } = ctx
  const row = await transact(ctx, async (db) => {
    const [found] = await db
      .select({ tenantId: agentModels.tenantId, name: agentModels.name, type: agentModels.type })
      .from(agentModels)
      .where(and(eq(agentModels.id, id), visibleRecords({ table: agentModels }, user)))
    return found
  })
  const opened = (await readModelConfigs(services.database.db, services.config.secretKey, row ? [id] : [])).get(id)
  if (!row || !opened) throw notFound('模型')
  assertMayChangeSharedRow(user, row.tenantId)
  ctx.audit({ bizType: 'agentModel', bizId: id, action: `测试模型「${row.name}」` })
  const policy = selectAddressPolicy(services.config, row.tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
  const isCompletion = (row.type === 'LLM' || row.type === 'VLLM') && isOpenAiCompatible(opened.config)
  return isCompletion ? complete(opened.config, policy) : reach(opened.config, policy)
}

async function complete(config: Config, policy: AddressPolicy) {
  const startedAt = performance.now()
  const elapsed = () => Math.round(performance.now() - startedAt)
  const messages = [{ role: 'user' as const, content: '请只回复一个字：好' }]
  let firstMs: number | null = null
  let text = ''
  try {
    const extra = { max_tokens: 16 }
    for await (const event of streamChat({
      endpoint: readLlmEndpoint(config),
      messages,
      policy,
      limits: LIMITS,
      extra,
    })) {
      if (event.type !== 'text' && event.type !== 'reasoning') continue
      firstMs ??= elapsed()
      if (event.type === 'text') text += event.text
    }
    return { way: 1, isOk: true, firstMs, totalMs: elapsed(), message: shortenReply(text) }
  } catch (error) {
    return { way: 1, isOk: false, firstMs, totalMs: elapsed(), message: toLlmError(error).message }
  }
}

/** Requests the address of the model. Any response means that the host and the port are reached. */
async function reach(config: Config, policy: AddressPolicy) {
  const startedAt = performance.now()
  const elapsed = () => Math.round(performance.now() - startedAt)
  const result = (isOk: boolean, message: string) => ({ way: 2, isOk, firstMs: null, totalMs: elapsed(), message })
  const url = addressOf(config)
  if (!url) return result(false, '该模型没有网络地址，由语音服务直接加载，无法在此测试')
  try {
    const response = await sendOutbound({ url: url.href, method: 'GET', headers: {}, policy, limits: LIMITS })
    response.close()
    return result(true, `${url.host} 可以连接；未验证密钥和参数`)
  } catch (error) {
    return result(false, error instanceof OutboundError ? error.message : '无法连接')
  }
}

const ADDRESS_FIELDS = ['base_url', 'api_url', 'url', 'ws_url'] as const

function addressOf(config: Config): URL | undefined {
  const given = ADDRESS_FIELDS.map((field) => config[field]).find((value) => typeof value === 'string' && value !== '')
  const { host, port, is_ssl: isSecure } = config
  const scheme = isSecure === false ? 'http' : 'https'
  const text = given ?? (typeof host === 'string' ? `${scheme}://${host}${port ? `:${String(port)}` : ''}` : '')
  const url = URL.parse(String(text).replace(/^ws/, 'http'))
  return url ? new URL('/', url) : undefined
}

/** Returns the first 50 characters of a reply. An ellipsis marks a longer reply. */
function shortenReply(text: string) {
  const characters = [...text.trim()]
  return characters.length > 50 ? `${characters.slice(0, 50).join('')}…` : characters.join('')
}
