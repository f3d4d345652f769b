import { KNOWLEDGE_PLUGIN } from '@oms/contract/agent/agents/agent-input.ts'
import { isFeaturePermitted } from '../parameters/features.ts'
import type { ParameterValues } from '../parameters/parameters.ts'

/** Parameter of the plugin that the voice server reads as a list. Forms separate the ids by semicolons. */
const DATASETS = 'dataset_ids'

/**
 * Names of the HomeAssistant plugin. The first name is for voice servers after 0.9.6, the other names are the two
 * functions of older servers.
 */
const HOME_ASSISTANT = ['hass_state', 'hass_get_state', 'hass_set_state'] as const

interface Plugin {
  readonly providerCode: string
  readonly params: unknown
}

/** Returns the plugins that a voice server receives, with parameters in the format that the server reads. */
export const toServerPlugins = (plugins: readonly Plugin[], params: ParameterValues): readonly Plugin[] =>
  plugins.flatMap((plugin) => {
    if (plugin.providerCode === HOME_ASSISTANT[0]) {
      const own = { api_key: '', ...(plugin.params as object | null) }
      return HOME_ASSISTANT.map((providerCode) => ({ providerCode, params: own }))
    }
    if (plugin.providerCode !== KNOWLEDGE_PLUGIN) return [plugin]
    return isFeaturePermitted(params, 'knowledge') ? [{ ...plugin, params: withDatasetList(plugin.params) }] : []
  })

function withDatasetList(given: unknown): unknown {
  const params = { ...(given as Readonly<Record<string, unknown>> | null) }
  const ids = String(params[DATASETS] ?? '')
    .split(/[;；]/)
    .map((id) => id.trim())
    .filter(Boolean)
  return { ...params, [DATASETS]: ids }
}
