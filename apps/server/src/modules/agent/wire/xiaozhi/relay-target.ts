import { readNumbers, signNumbers } from '#core/crypto/signed-token.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { ConnectionPool } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { EnabledAgentDevice } from '../../devices/bound-devices.ts'
import { readLlmEndpoint, isOpenAiCompatible } from '../../models/llm-chat.ts'
import { findFallback, isModelOpen } from '../../models/open-models.ts'
import type { StoredModel } from '../../voice-servers/server-config.ts'

/** Device and model of a relayed completion. */
export interface RelayTarget extends RelayGrant, EnabledAgentDevice {
  readonly model: StoredModel
}

/**
 * Returns the device and the model of a key. Returns undefined when the device was unbound, moved or disabled since the
 * key was issued. Returns undefined when its tenant or agent was disabled, or the relay of the model was turned off. A
 * model that was disabled, or is no longer shared with the tenant, is replaced by its fallback.
 */
export async function findRelayTarget(
  { voiceServers: { reads } }: Services,
  grant: RelayGrant,
): Promise<RelayTarget | undefined> {
  const [device, models] = await Promise.all([reads.enabledDevices.ofKey(grant), reads.models.of([grant.modelId])])
  const found = models.find(({ id }) => id === grant.modelId)
  if (!device || !found || !isRelayed(found)) return undefined
  const { tenantId } = device
  const model = isModelOpen(found, tenantId) ? found : await findFallback(reads.models, found, tenantId)
  return model && { ...grant, ...device, model }
}

/** Creates the address policies and connection pools: one for models of the platform, one for models of tenants. */
const createRoutes = ({ config }: Services) => ({
  platform: { policy: selectAddressPolicy(config, 'platform'), pool: new ConnectionPool() },
  tenant: { policy: selectAddressPolicy(config, 'tenant'), pool: new ConnectionPool() },
})
const routes = new WeakMap<Services['config'], ReturnType<typeof createRoutes>>()

/** Returns address, key and parameters of a model, and the address policy and connection pool of its owner. */
export function resolveVendor(services: Services, model: StoredModel) {
  const known = routes.get(services.config) ?? createRoutes(services)
  routes.set(services.config, known)
  const route = model.tenantId === PLATFORM_TENANT_ID ? known.platform : known.tenant
  return { endpoint: readLlmEndpoint(model.config), ...route }
}

const USE = 'xiaozhi-llm'
/**
 * Validity in seconds. A voice server may request completions until this long after the start of a voice connection.
 */
const KEY_SECONDS = 86_400

/** Permission in a key of the relay: completions of one model for one device with one version of an agent. */
interface RelayGrant {
  readonly deviceId: number
  readonly agentId: number
  readonly versionNo: number
  readonly modelId: number
}

/** Returns the `api_key` with which a voice server calls the relay. */
export const createRelayKey = (
  secretKey: Buffer,
  { deviceId, agentId, versionNo, modelId }: RelayGrant,
  nowMs: number,
): string =>
  signNumbers(secretKey, USE, [deviceId, agentId, versionNo, modelId, Math.floor(nowMs / 1000) + KEY_SECONDS])

/** Returns the grant of a valid key; undefined for a wrong or expired key. */
export function readRelayKey(secretKey: Buffer, key: string, nowMs: number): RelayGrant | undefined {
  const numbers = readNumbers(secretKey, USE, key, 5)
  if (!numbers) return undefined
  const [deviceId = 0, agentId = 0, versionNo = 0, modelId = 0, end = 0] = numbers
  return end * 1000 < nowMs ? undefined : { deviceId, agentId, versionNo, modelId }
}

interface Asker extends Omit<RelayGrant, 'modelId'> {
  readonly secretKey: Buffer
  /** Address at which the voice server called. */
  readonly origin: string
  readonly now: number
}

/** Returns whether voice servers call the model through OMS. */
export const isRelayed = ({ type, relay, config }: Pick<StoredModel, 'type' | 'relay' | 'config'>) =>
  type === 'LLM' && relay === 1 && isOpenAiCompatible(config)

/**
 * Returns a model in the form for a voice server. A relayed model has the address of the relay, a key of the relay and
 * its own code. The vendor's address, key and model name are removed.
 */
export function toRelayedModel(model: StoredModel, { secretKey, origin, now, ...device }: Asker): StoredModel {
  if (!isRelayed(model)) return model
  const config = {
    type: 'openai',
    base_url: `${origin}/xiaozhi/llm/v1`,
    model_name: model.code,
    api_key: createRelayKey(secretKey, { ...device, modelId: model.id }, now),
  }
  return { ...model, config }
}
