import { createHash } from 'node:crypto'
import { type AgentBehaviour, behaviourFields, KEPT_HEADER_MARK } from '@oms/contract/agent/agents/agent-input.ts'
import { agentModels as modelCalls } from '@oms/contract/agent/models/config.ts'
import { findAddressProblem, isSecretField } from '@oms/contract/agent/models/model-config.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { findAddressSecret } from '@oms/contract/core/address-secret.ts'
import { and, eq, inArray, desc, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { agentProviders, agentSecrets } from '../schema/agent-model.ts'
import { agents, agentVersions } from '../schema/agent.ts'
import { findKeptSecretProblem, SECRET_OWNER, readSecretEndings } from '../secrets.ts'

/**
 * Behaviour of an agent as stored: absent values are null, and the secrets of plugins and headers are in
 * `agent_secrets`.
 */
export type StoredBehaviour = Pick<typeof agents.$inferSelect, keyof AgentBehaviour>

const FIELDS = Object.keys(behaviourFields) as (keyof AgentBehaviour)[]

/** Returns the columns of an agent that a version contains, with sorted keys so that equal values have equal JSON. */
export function extractBehaviour(row: StoredBehaviour): StoredBehaviour {
  const columns = Object.fromEntries(FIELDS.map((field) => [field, row[field] ?? null])) as unknown as StoredBehaviour
  return {
    ...columns,
    plugins: columns.plugins.map(({ providerCode, params }) => ({ providerCode, params: sorted(params) })),
    contextProviders: columns.contextProviders.map(({ url, headers }) => ({ url, headers: sorted(headers) })),
  }
}

const sorted = <V>(record: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * Snapshot of a version: behaviour, name and the last four characters of each secret instead of the secret. The name
 * belongs to the version because the prompt contains the name.
 */
export interface VersionSnapshot extends StoredBehaviour {
  readonly agentName: string
  readonly secrets: Readonly<Record<string, string>>
}

/** Returns the names of the fields that differ. */
export function listChangedFields(before: Partial<VersionSnapshot>, after: Partial<VersionSnapshot>): string[] {
  const text = (value: unknown) => JSON.stringify(value ?? null)
  return (['agentName', ...FIELDS, 'secrets'] as const).filter((field) => text(before[field]) !== text(after[field]))
}

/** Returns whether the value of a field of a plugin is stored encrypted. Users write names of headers in any case. */
export const isSecretPluginField = (field: Pick<ProviderField, 'key' | 'type' | 'secret'>) =>
  isSecretField({ ...field, key: field.key.toLowerCase() })

const formatPluginField = (code: string, key: string) => `plugin.${code}.${key}`
/**
 * Returns the field of a header in `agent_secrets`. The hash keeps the field short, and stable when sources are
 * reordered.
 */
const formatHeaderField = (url: string, header: string) =>
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
        isSecretPluginField(provider.fields.find((field) => field.key === key) ?? { key, type: 'string' })
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
      if (isSecretPluginField(field)) continue
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

type Agent = Pick<typeof agents.$inferSelect, 'id' | 'plugins'>
type Params = Readonly<Record<string, unknown>>

/**
 * Refuses a changed plugin address without a new key, because the stored key would be sent to the new address. Also
 * checks restored versions, which use the stored keys.
 */
export async function assertPluginKeys(
  { db, user }: Ctx,
  agent: Agent,
  { plugins }: Pick<Agent, 'plugins'>,
  sent: ReadonlyMap<string, string>,
) {
  if (plugins.length === 0 || user.can(modelCalls.reveal.access)) return
  const stored = Object.keys(await readSecretEndings(db, SECRET_OWNER.agent, agent.id))
  const keysOf = (code: string, paths: Iterable<string>) =>
    [...paths].flatMap((path) =>
      path.startsWith(formatPluginField(code, '')) ? [path.slice(formatPluginField(code, '').length)] : [],
    )
  const withKeys = plugins.filter(({ providerCode }) => keysOf(providerCode, stored).length > 0)
  if (withKeys.length === 0) return
  const codes = withKeys.map(({ providerCode }) => providerCode)
  const fields = new Map((await readPluginProviders(db, codes)).map((each) => [each.code, each.fields]))
  const problems = new FieldProblems()
  for (const { providerCode, params } of withKeys) {
    const before = await paramsBefore(db, agent, providerCode)
    const change = { fields: fields.get(providerCode) ?? [], before, after: params }
    const isStored = keysOf(providerCode, stored)
    const problem = findKeptSecretProblem({
      ...change,
      stored: isStored,
      sent: new Set(keysOf(providerCode, sent.keys())),
    })
    const at = plugins.findIndex((each) => each.providerCode === providerCode)
    if (problem) problems.add(`plugins.${at}.params.${problem.field}`, problem.msg)
  }
  problems.throwIfAny()
}

/**
 * Returns the parameters with which the plugin last used its key: those in force, else those of the newest version that
 * has the plugin.
 */
async function paramsBefore(db: Db, { id, plugins }: Agent, providerCode: string): Promise<Params> {
  const inForce = plugins.find((each) => each.providerCode === providerCode)
  if (inForce) return inForce.params
  const hasPlugin = sql`${agentVersions.snapshot} -> 'plugins' @> ${JSON.stringify([{ providerCode }])}::jsonb`
  const [found] = await db
    .select({ snapshot: agentVersions.snapshot })
    .from(agentVersions)
    .where(and(eq(agentVersions.agentId, id), hasPlugin))
    .orderBy(desc(agentVersions.versionNo))
    .limit(1)
  const { plugins: earlier } = (found?.snapshot ?? { plugins: [] }) as unknown as Pick<Agent, 'plugins'>
  return earlier.find((each) => each.providerCode === providerCode)?.params ?? {}
}

const ofAgent = (agentId: number) =>
  and(eq(agentSecrets.ownerKind, SECRET_OWNER.agent), eq(agentSecrets.ownerId, agentId))

/** Returns whether plugins or headers use the secret of a field. */
function usesSecret({ plugins, contextProviders }: Partial<StoredParts>, field: string): boolean {
  const isOfPlugin = (plugins ?? []).some(({ providerCode }) => field.startsWith(formatPluginField(providerCode, '')))
  const isHeader = (url: string, headers: object) =>
    Object.keys(headers).some((name) => field === formatHeaderField(url, name))
  return isOfPlugin || (contextProviders ?? []).some(({ url, headers }) => isHeader(url, headers))
}

async function removeFields(db: Db, agentId: number, fields: readonly string[]) {
  if (fields.length > 0)
    await db.delete(agentSecrets).where(and(ofAgent(agentId), inArray(agentSecrets.field, [...fields])))
}

/** Removes the secrets that neither `behaviour` nor any kept version uses. Call after versions were removed. */
export async function removeUnusedSecrets(db: Db, agentId: number, behaviour: StoredParts) {
  const rows = await db.select({ field: agentSecrets.field }).from(agentSecrets).where(ofAgent(agentId))
  const open = rows.map(({ field }) => field).filter((field) => !usesSecret(behaviour, field))
  if (open.length === 0) return
  const versions = await db
    .select({ snapshot: agentVersions.snapshot })
    .from(agentVersions)
    .where(eq(agentVersions.agentId, agentId))
  const isUnused = (field: string) =>
    !versions.some(({ snapshot }) => usesSecret(snapshot as Partial<StoredParts>, field))
  await removeFields(db, agentId, open.filter(isUnused))
}

/** Removes all secrets of a deleted agent. */
export const removeAgentSecrets = (db: Db, agentId: number) => db.delete(agentSecrets).where(ofAgent(agentId))
