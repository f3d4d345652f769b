import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { LIMIT_STATE_CODE } from '@oms/contract/agent/usage/usage-limit.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { buildAgentConfig, type AgentFacts } from '../../agents/agent-config.ts'
import { readAgentModelsAndVoice } from '../../agents/agent-facts.ts'
import type { AgentOfDevice, DeviceAgent } from '../../agents/device-agent.ts'
import { type DueReminder, addRemindersToPrompt } from '../../history/reminder.ts'
import { isFeaturePermitted } from '../../parameter-values.ts'
import {
  type UsageLimit,
  computeSmallerLimit,
  buildLimitReachedConfig,
  readUsageLimit,
} from '../../usage/usage-limit.ts'
import {
  isKeyWithheld,
  presentModelForServer,
  type StoredModel,
  readServerBaseConfig,
} from '../../voice-servers/server-config.ts'
import { parseMacDigits, CallRefusedError, RESPONSE_CODE, readObjectBody, type ServerCall, cleanText } from './call.ts'
import { buildContextProviders } from './context.ts'
import { isRelayed, toRelayedModel } from './relay-target.ts'
import { createToolAddress } from './tool-endpoint.ts'

/**
 * Deletes a temporary id of `modules/agent/voice-servers/server-actions.ts`. During an action, the voice server requests
 * the base configuration once with this id.
 */
const TAKE_TEMPORARY = `delete from challenges where id = $1 and kind = 'voice-action' and expire_time > now() returning id`

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `POST config/agent-models`: returns the configuration of the agent of a connecting device. */
export async function handleAgentModels(call: ServerCall) {
  const { macAddress, clientId, selectedModule } = await readObjectBody(call.request)
  const [given, client] = [cleanText(macAddress), cleanText(clientId)]
  if (given === '' || client === '' || !isObject(selectedModule))
    throw new CallRefusedError(RESPONSE_CODE.blank, 'macAddress, clientId and selectedModule are needed')
  const mac = parseMacDigits(given)
  if (mac !== undefined) return configurationOf(call, { mac, client }, selectedModule)
  const { rowCount } = await call.side.services.database.pool.query(TAKE_TEMPORARY, [given.slice(0, 64)])
  if (rowCount === 1) return getServerBaseConfig(call)
  throw unknownDevice()
}

/** Returns the configuration of a bound device. Adds every outcome to the timeline of the device. */
async function configurationOf(
  call: ServerCall,
  { mac, client }: { readonly mac: string; readonly client: string },
  loaded: Readonly<Record<string, unknown>>,
) {
  const { services } = call.side
  const { events, marks, reads } = services.voiceServers
  const { device, code } = await reads.devices.of(mac)
  const tenantId = device?.tenantId
  const refusal = refusalOf(call, device, code)
  if (refusal) throw refuse(call, mac, tenantId, refusal)
  const agent = device!.agent!
  if (await isOtherIdentity(call, device!, { mac, client })) throw refuse(call, mac, tenantId, OTHER_IDENTITY)
  const params = await services.agentParameters.forServer(device!.tenantId, call.serverTenant)
  const asker = { secretKey: services.config.secretKey, origin: call.origin, now: call.now }
  const { deviceId, reminders } = device!
  const relay = { ...asker, deviceId, agentId: agent.id, versionNo: agent.versionNo }
  const withheld: string[] = []
  const handedOut = (model: StoredModel) => {
    if (isRelayed(model)) return toRelayedModel(model, relay)
    if (isKeyWithheld(model, call.serverTenant)) withheld.push(model.code)
    return presentModelForServer(model, call.serverTenant)
  }
  const parts = { reads, params, handedOut, serverTenant: call.serverTenant, now: call.now }
  const { facts, limit } = await readAgentConfigAndLimit(parts, { ...device!, agent })
  if (facts.problem !== '') throw refuse(call, mac, tenantId, unusableAgent(facts.problem))
  marks.connected(deviceId, { ...call.server, at: call.now, isUse: limit.state !== LIMIT_STATE_CODE.stopped })
  const told = limit.state === LIMIT_STATE_CODE.stopped ? [] : reminders
  const detail = outcomeOf(agent, facts, { withheld, limit, reminders: told.length })
  events.add({ mac, tenantId, kind: AGENT_EVENT_KIND.configured, detail }, call.now)
  if (limit.state === LIMIT_STATE_CODE.stopped) return buildAgentConfig(facts, loaded)
  const tools = isFeaturePermitted(params, 'mcp') ? agent.tools : []
  const mcpEndpoint = createToolAddress({ ...asker, deviceId, agentId: agent.id }, tools) ?? facts.mcpEndpoint
  const contextProviders = [...facts.contextProviders, ...buildContextProviders(asker, agent)]
  return buildAgentConfig(
    { ...facts, prompt: promptOf(call, facts.prompt, told), mcpEndpoint, contextProviders },
    loaded,
  )
}

/** Returns the prompt with the due reminders. Marks the reminders as told after the response was sent. */
function promptOf({ side, response, now }: ServerCall, prompt: string, reminders: readonly DueReminder[]) {
  const { reminders: marks } = side.services.voiceServers
  if (reminders.length > 0) response.once('finish', () => marks.told(reminders, now))
  return addRemindersToPrompt(prompt, reminders)
}

interface Outcome {
  /** Codes of models of the platform whose keys the voice server did not get. */
  readonly withheld: readonly string[]
  readonly limit: UsageLimit
  /** Number of reminders in the prompt. */
  readonly reminders: number
}

/** Returns the details of the configuration for the timeline of the device. */
const outcomeOf = (
  agent: AgentOfDevice,
  { models, missingKeys }: AgentFacts,
  { withheld, limit, reminders }: Outcome,
) => ({
  agent: agent.agentName,
  version: agent.versionNo,
  llm: models.LLM?.code ?? '',
  tts: models.TTS?.code ?? '',
  ...(withheld.length > 0 && { withheld: withheld.join('、') }),
  ...(missingKeys !== '' && { missingKeys }),
  ...(reminders > 0 && { reminders }),
  ...(limit.reason !== '' && { limit: limit.reason, isStopped: limit.state === LIMIT_STATE_CODE.stopped }),
})

/** Adds a refusal to the timeline of the device. Returns the response to throw. */
function refuse({ side, now }: ServerCall, mac: string, tenantId: number | undefined, { answer, reason }: Refusal) {
  side.services.voiceServers.events.add({ mac, tenantId, kind: AGENT_EVENT_KIND.refused, detail: { reason } }, now)
  return answer
}

interface Refusal {
  readonly answer: CallRefusedError
  /** Reason for the timeline. The response to the voice server has fewer details. */
  readonly reason: string
}

/** Returns the refusal with its reason; undefined when the device may get its configuration. */
function refusalOf(call: ServerCall, device: DeviceAgent | undefined, code: string | undefined): Refusal | undefined {
  if (code !== undefined)
    return { answer: new CallRefusedError(RESPONSE_CODE.deviceUnbound, code), reason: '设备未绑定，语音服务播报验证码' }
  if (!device) return { answer: unknownDevice(), reason: '设备未绑定，也没有有效的验证码' }
  if (!device.isOpen) return { answer: unknownDevice(), reason: '设备或所属客户已停用' }
  if (!isSecretValidFor(call, device.tenantId))
    return { answer: unknownDevice(), reason: '语音服务使用了另一客户的密钥' }
  if (device.agent?.status !== 1) return unusableAgent('智能体不存在或已停用')
  return undefined
}

const OTHER_IDENTITY: Refusal = {
  answer: new CallRefusedError(RESPONSE_CODE.deviceUnknown, '设备未绑定'),
  reason: '设备的 Client-Id 与绑定时不一致。确认后请重置身份',
}

const unusableAgent = (reason: string): Refusal => ({
  answer: new CallRefusedError(RESPONSE_CODE.agentMissing, reason),
  reason,
})

/**
 * Returns whether `device.identity` refuses the Client-Id of the connection. Devices behind the MQTT gateway connect
 * with their MAC as Client-Id. The MAC is accepted, because only the bound Client-Id gets the settings of the gateway.
 */
async function isOtherIdentity(
  { side }: ServerCall,
  { clientId, tenantId }: DeviceAgent,
  { mac, client }: { readonly mac: string; readonly client: string },
) {
  if (clientId === '' || client === clientId || client.toLowerCase().replaceAll(/[:_-]/g, '') === mac) return false
  return (await side.services.agentParameters.of(tenantId)).text('device.identity') === '1'
}

const unknownDevice = () => new CallRefusedError(RESPONSE_CODE.deviceUnknown, '设备未绑定')

/** Returns whether the secret of the call is valid for devices of a tenant. The platform's secret is valid for all. */
export const isSecretValidFor = ({ serverTenant }: Pick<ServerCall, 'serverTenant'>, tenantId: number) =>
  serverTenant === PLATFORM_TENANT_ID || serverTenant === tenantId

type Parts = Parameters<typeof readAgentModelsAndVoice>[0] & {
  /** Tenant of the voice server's secret. */
  readonly serverTenant: number
  readonly now: number
}
type Device = Parameters<typeof readAgentModelsAndVoice>[1]

/** Configuration of a device, and the limit of its packages. */
interface AgentConfigAndLimit {
  readonly facts: AgentFacts
  readonly limit: UsageLimit
}

/**
 * Reads the configuration of a device and its limit. A device that the limit stops gets a configuration that only says
 * the notice. A device with characters left gets a maximum output size. The voice server stops at this size, even
 * inside a session.
 */
async function readAgentConfigAndLimit(parts: Parts, device: Device): Promise<AgentConfigAndLimit> {
  const models = new Map<string, StoredModel>()
  const handedOut = (model: StoredModel) => {
    models.set(model.code, model)
    return parts.handedOut(model)
  }
  const user = { deviceId: device.deviceId, agentId: device.agent.id, tenantId: device.tenantId }
  const [facts, limit] = await Promise.all([
    readAgentModelsAndVoice({ ...parts, handedOut }, device),
    readUsageLimit(parts, user),
  ])
  const own = models.get(facts.models.LLM?.code ?? '')
  const isStopped = limit.state === LIMIT_STATE_CODE.stopped
  const model = isStopped ? await stoppedModel(parts, device.tenantId, own) : own
  const left = isStopped ? limit.notice.length : limit.characters
  const maxOutputSize =
    left === undefined || (model && isRelayed(model))
      ? facts.maxOutputSize
      : computeSmallerLimit(facts.maxOutputSize, await outputSize(parts, device.deviceId, left))
  if (!isStopped) return { limit, facts: { ...facts, maxOutputSize } }
  const llm = model && parts.handedOut(model)
  // `llm` generates the notice, so a disabled language model of the agent does not matter.
  const problem = llm && facts.models.TTS ? '' : facts.problem
  return { limit, facts: buildLimitReachedConfig({ ...facts, problem }, { notice: limit.notice, llm, maxOutputSize }) }
}

/**
 * Returns the maximum output size after `left` more characters. Adds the characters of today, because the server counts
 * the characters of a device by day. The server forgets its count at a restart. The result is at least 1, because 0
 * would be unlimited.
 */
const outputSize = async ({ reads }: Parts, deviceId: number, left: number) =>
  Math.max(1, Math.ceil((await reads.packs.spokenToday(deviceId)) + left))

const priceOf = ({ priceIn, priceOut }: StoredModel) => priceIn + priceOut

/**
 * Returns the cheapest model to say the notice. Keeps the agent's own model when it has no price, because it may be
 * free.
 */
async function stoppedModel({ reads, serverTenant }: Parts, tenantId: number, own: StoredModel | undefined) {
  if (own && isRelayed(own)) return own
  const id = await reads.cheapest.of(tenantId, serverTenant)
  const found = id === undefined ? undefined : (await reads.models.of([id])).find((model) => model.id === id)
  const isOwnCheaper = own && found && !isRelayed(found) && priceOf(own) <= priceOf(found)
  return found && !isOwnCheaper ? found : own
}

/** `POST config/server-base`: returns the configuration for the start of a voice server. */
export async function getServerBaseConfig({ side, serverTenant }: Pick<ServerCall, 'side' | 'serverTenant'>) {
  const { agentParameters, database, voiceServers } = side.services
  const base = await readServerBaseConfig({
    pool: database.pool,
    models: voiceServers.reads.models,
    params: await agentParameters.forServer(serverTenant, serverTenant),
    tenantId: serverTenant,
  })
  if (!base) throw new CallRefusedError(RESPONSE_CODE.noTemplate, '没有默认的智能体模板')
  return base
}
