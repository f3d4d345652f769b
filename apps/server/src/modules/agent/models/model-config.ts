import { isIP } from 'node:net'
import { isSecretField, toServerValue } from '@oms/contract/agent/models/model-config.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { and, eq, getTableColumns, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { agentModels, agentProviders } from '../schema/agent-model.ts'
import { readSecrets, SECRET_OWNER } from '../secrets.ts'

/** A model with its decrypted configuration. No response of the console contains this object. */
export interface DecryptedModel {
  readonly id: number
  readonly tenantId: number
  readonly type: string
  readonly code: string
  readonly name: string
  readonly providerCode: string
  readonly status: number
  /** 1: tenants may use this model of the platform. */
  readonly shared: number
  readonly priceIn: number
  readonly priceOut: number
  readonly config: Readonly<Record<string, unknown>>
  readonly isKeyMissing: boolean
}

/**
 * Returns models with decrypted secrets by id, for voice servers and for calls of vendors. `db` must run without row
 * security, because tenants may use models of the platform but not read their secrets.
 */
export async function readModelConfigs(db: Db, secretKey: Buffer, ids: readonly (number | null)[]) {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  const models = new Map<number, DecryptedModel>()
  if (wanted.length === 0) return models
  const rows = await db
    .select({ ...getTableColumns(agentModels), fields: agentProviders.fields })
    .from(agentModels)
    .leftJoin(
      agentProviders,
      and(eq(agentProviders.type, agentModels.type), eq(agentProviders.code, agentModels.providerCode)),
    )
    .where(and(inArray(agentModels.id, wanted), notDeleted(agentModels)))
  const secrets = await readSecrets(db, secretKey, SECRET_OWNER.model, wanted)
  for (const { fields, config, ...row } of rows) {
    const { id, tenantId, type, code, name, providerCode, status, shared, priceIn, priceOut } = row
    const values = { ...config, type: providerCode, ...Object.fromEntries(secrets.get(id) ?? []) }
    const opened = decryptConfig(fields ?? [], values)
    const facts = { id, tenantId, type, code, name, providerCode, status, shared, priceIn, priceOut }
    models.set(id, { ...facts, config: opened, isKeyMissing: isKeyMissing(fields ?? [], opened) })
  }
  return models
}

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
