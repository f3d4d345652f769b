import type { FeatureSwitch } from '@oms/contract/agent/parameters/param-list.ts'
import type { AgentParameters, ParameterValues } from './parameters.ts'

/**
 * Returns whether the parameter `features` permits a feature. Features that the parameter does not name are permitted.
 */
export function isFeaturePermitted(params: ParameterValues, feature: FeatureSwitch): boolean {
  try {
    const switches: unknown = JSON.parse(params.text('features'))
    return typeof switches !== 'object' || switches === null || (switches as Record<string, unknown>)[feature] !== false
  } catch {
    return true
  }
}

/** Returns whether the parameter `features` of a tenant permits a feature. */
export const isFeatureEnabled = async (
  { agentParameters }: { readonly agentParameters: AgentParameters },
  tenantId: number,
  feature: FeatureSwitch,
) => isFeaturePermitted(await agentParameters.of(tenantId), feature)
