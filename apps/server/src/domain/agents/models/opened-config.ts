import { toServerValue } from '@oms/contract/agent/models/model-config.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'

/**
 * Returns a configuration with decrypted secrets, in the types of its provider's fields. Values of keys without a field
 * stay unchanged.
 */
export function decryptConfig(fields: readonly ProviderField[], config: Readonly<Record<string, unknown>>) {
  const byKey = new Map(fields.map((field) => [field.key, field]))
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const field = byKey.get(key)
      return [key, field ? toServerValue(field, value) : value] as const
    }),
  )
}
