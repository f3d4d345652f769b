import { CLEARABLE_FIELDS, KEPT_HEADER_MARK } from '@oms/contract/agent/agents/agent-input.ts'
import type { AgentDetail } from '@oms/contract/agent/agents/agent.ts'

interface HeaderValue {
  readonly name?: string
  readonly value?: string
}
interface FormContext {
  readonly url?: string
  readonly headers?: readonly HeaderValue[]
}

/** Converts an agent to form values: headers become a list, and their secret values are empty. */
export const toFormValues = (agent: AgentDetail) => ({
  ...agent,
  note: '',
  confirmErase: 0,
  contextProviders: agent.contextProviders.map(({ url, headers }) => ({
    url,
    headers: Object.keys(headers).map((name) => ({ name })),
  })),
})

/**
 * Converts form values to the input of a save. An untouched secret is absent, so the stored value stays. An empty field is
 * null, because a save must contain it.
 */
export function toSaveInput(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const contexts = (values['contextProviders'] ?? []) as readonly FormContext[]
  const plugins = (values['plugins'] ?? []) as readonly { providerCode: string; params?: Record<string, unknown> }[]
  return {
    ...values,
    ...Object.fromEntries(CLEARABLE_FIELDS.map((field) => [field, values[field] ?? null])),
    plugins: plugins.map(({ providerCode, params = {} }) => ({
      providerCode,
      params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== null)),
    })),
    contextProviders: contexts.map(({ url, headers = [] }) => ({
      url,
      headers: Object.fromEntries(
        headers.flatMap(({ name, value }) => (name ? [[name, value || KEPT_HEADER_MARK]] : [])),
      ),
    })),
  }
}
