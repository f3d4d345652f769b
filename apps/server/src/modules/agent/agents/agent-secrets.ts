import { createHash } from 'node:crypto'
import { type AgentBehaviour, KEPT_HEADER_MARK } from '@oms/contract/agent/agents/agent-input.ts'
import { findAddressProblem } from '@oms/contract/agent/models/model-config.ts'
import { findAddressSecret } from '@oms/contract/core/address-secret.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid } from '#core/http/api-error.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { agentProviders } from '../schema/agent-model.ts'
import type { StoredBehaviour } from './agent-behaviour.ts'

const SECRET_KEYS: ReadonlySet<string> = new Set([
  'api_key',
  'personal_access_token',
  'access_token',
  'token',
  'secret',
  'access_key_secret',
  'secret_key',
  'secret_id',
  'appkey',
  'authorization',
  'api_secret',
])
export const isSecretField = ({ key, type, secret }: Pick<ProviderField, 'key' | 'type' | 'secret'>) =>
  secret === true || type === 'password' || SECRET_KEYS.has(key.toLowerCase())

export const formatPluginField = (code: string, key: string) => `plugin.${code}.${key}`
/**
 * Returns the field of a header in `agent_secrets`. The hash keeps the field short, and stable when sources are
 * reordered.
 */
export const formatHeaderField = (url: string, header: string) =>
  `context.${createHash('sha256').update(url).digest('hex').slice(0, 16)}.${header.toLowerCase()}`

/** Returns the plugin providers with these codes. */
export async function readPluginProviders(db: Db, codes?: readonly string[]) {
  const isPlugin = eq(agentProviders.type, 'Plugin')
  return db
    .select({ code: agentProviders.code, name: agentProviders.name, fields: agentProviders.fields })
    .from(agentProviders)
    .where(codes ? and(isPlugin, inArray(agentProviders.code, [...codes])) : isPlugin)
    .orderBy(agentProviders.sort, agentProviders.id)
}

type Parts = Pick<AgentBehaviour, 'plugins' | 'contextProviders'>
type StoredParts = Pick<StoredBehaviour, 'plugins' | 'contextProviders'>

/** Separates the secrets of plugins and headers from the values that are stored in the row. */
export async function splitSecrets(db: Db, { plugins, contextProviders }: Parts) {
  const codes = plugins.map(({ providerCode }) => providerCode)
  if (new Set(codes).size < codes.length) throw invalid('插件不能重复', 'plugins')
  const known = new Map((codes.length > 0 ? await readPluginProviders(db, codes) : []).map((each) => [each.code, each]))
  assertAddresses(known, { plugins, contextProviders })
  const secrets = new Map<string, string>()
  const stored: StoredParts = {
    plugins: plugins.map(({ providerCode, params }) => {
      const provider = known.get(providerCode)
      if (!provider) throw invalid(`插件「${providerCode}」不存在或已被删除`, 'plugins')
      const isHidden = (key: string) =>
        isSecretField(provider.fields.find((field) => field.key === key) ?? { key, type: 'string' })
      for (const [key, value] of Object.entries(params))
        if (isHidden(key)) secrets.set(formatPluginField(providerCode, key), value)
      return { providerCode, params: Object.fromEntries(Object.entries(params).filter(([key]) => !isHidden(key))) }
    }),
    contextProviders: contextProviders.map(({ url, headers }) => {
      for (const [name, value] of Object.entries(headers))
        if (value !== KEPT_HEADER_MARK) secrets.set(formatHeaderField(url, name), value)
      const kept = Object.entries(headers).filter(([, value]) => value !== '')
      return { url, headers: Object.fromEntries(kept.map(([name]) => [name, ''])) }
    }),
  }
  return { stored, secrets }
}

/**
 * Throws for plugin addresses without a scheme. Throws for credentials in the addresses of plugins and context sources,
 * because these addresses are stored and shown in clear.
 */
function assertAddresses(
  known: ReadonlyMap<string, { readonly name: string; readonly fields: readonly ProviderField[] }>,
  { plugins, contextProviders }: Parts,
) {
  const problems = new FieldProblems()
  plugins.forEach(({ providerCode, params }, at) => {
    const { name = '', fields = [] } = known.get(providerCode) ?? {}
    for (const [key, value] of Object.entries(params)) {
      const field = fields.find((each) => each.key === key) ?? { key, label: key, type: 'string' as const }
      if (isSecretField(field)) continue
      const problem = findAddressProblem(field, value, fields)
      if (problem) problems.add(`plugins.${at}.params.${key}`, `插件「${name}」的${problem}`)
    }
  })
  contextProviders.forEach(({ url }, at) => {
    const secret = findAddressSecret(url)
    if (secret) problems.add(`contextProviders.${at}.url`, `上下文来源的地址不能包含${secret}，请填写到请求头`)
  })
  problems.throwIfAny()
}

/** Returns plugins and context sources with their secrets, for voice servers. */
export function mergeSecrets({ plugins, contextProviders }: StoredParts, secrets: ReadonlyMap<string, string>) {
  return {
    plugins: plugins.map(({ providerCode, params }) => {
      const prefix = formatPluginField(providerCode, '')
      const own = [...secrets].filter(([field]) => field.startsWith(prefix))
      const opened = own.map(([field, value]) => [field.slice(prefix.length), value])
      return { providerCode, params: { ...params, ...Object.fromEntries(opened) } }
    }),
    contextProviders: contextProviders.map(({ url, headers }) => ({
      url,
      headers: Object.fromEntries(
        Object.keys(headers).flatMap((name) => {
          const value = secrets.get(formatHeaderField(url, name))
          return value === undefined ? [] : [[name, value]]
        }),
      ),
    })),
  }
}
