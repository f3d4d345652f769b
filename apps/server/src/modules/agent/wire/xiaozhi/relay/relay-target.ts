import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { ConnectionPool } from '#core/outbound/outbound.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { EnabledAgentDevice } from '../../../devices/enabled-agent-devices.ts'
import { readLlmEndpoint } from '../../../llm/chat-request.ts'
import { findFallback, isModelOpen } from '../../../models/open-models.ts'
import type { StoredModel } from '../../../voice-servers/server-models.ts'
import { isRelayed, type RelayGrant } from './relay-key.ts'

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
