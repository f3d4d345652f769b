import { isIP } from 'node:net'
import { isSecretField, toServerValue } from '@oms/contract/agent/models/model-config.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'

/**
 * Returns a configuration with decrypted secrets, in the types of its provider's fields. Values of keys without a field
 * stay unchanged. Secrets that are not set are empty, because voice servers fail on an absent secret.
 */
export function decryptConfig(fields: readonly ProviderField[], config: Readonly<Record<string, unknown>>) {
  const byKey = new Map(fields.map((field) => [field.key, field]))
  const empty = fields.filter(isSecretField).map(({ key, type }) => [key, type === 'dict' ? {} : ''] as const)
  return Object.fromEntries([
    ...empty,
    ...Object.entries(config).map(([key, value]) => {
      const field = byKey.get(key)
      return [key, field ? toServerValue(field, value) : value] as const
    }),
  ])
}

const ADDRESS_KEY = /(?:^|_)(?:url|host)$/
const LOCAL_NAME = /^[^.]+$|\.(?:local|lan|internal|home\.arpa)$/
const publicAddresses = selectAddressPolicy({ outboundPrivate: [] }, 'tenant')

/** Returns whether the address is outside of private networks, in which model servers need no key. */
function isPublicAddress(address: unknown) {
  const text = typeof address === 'string' ? address.trim() : ''
  const host = URL.parse(text.includes('://') ? text : `http://${text}`)?.hostname.replaceAll(/[[\]]/g, '') ?? ''
  return host !== '' && (isIP(host) ? publicAddresses.allows(host) : !LOCAL_NAME.test(host))
}

/**
 * Returns whether a model cannot work because no key of its provider is set. A model at a local address needs no key.
 * Fields of the type `dict` hold optional headers and are not checked.
 */
export function isKeyMissing(fields: readonly ProviderField[], config: Readonly<Record<string, unknown>>) {
  const keys = fields.filter((field) => isSecretField(field) && field.type !== 'dict').map(({ key }) => key)
  if (keys.length === 0 || keys.some((key) => (config[key] ?? '') !== '')) return false
  const addresses = fields.filter(({ key }) => ADDRESS_KEY.test(key))
  return addresses.length === 0 || addresses.some(({ key }) => isPublicAddress(config[key]))
}
