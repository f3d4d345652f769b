import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'

export interface ShippedProvider {
  readonly type: string
  readonly code: string
  readonly name: string
  readonly fields: readonly ProviderField[]
}

/** Returns a field of a provider's form. */
export const createProviderField = (
  key: string,
  label: string,
  type: ProviderField['type'] = 'string',
  rest: Pick<ProviderField, 'default' | 'required' | 'secret' | 'min' | 'max'> = {},
): ProviderField => ({ key, label, type, ...rest })
