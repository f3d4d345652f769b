import { agentModels as modelCalls } from '@oms/contract/agent/models/config.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { formatPluginField, readPluginProviders } from './agent-secrets.ts'
import { findKeptSecretProblem } from '../kept-secrets.ts'
import { SECRET_OWNER, readSecretEndings } from '../secrets.ts'
import { type agents, agentVersions } from '../schema/agent.ts'

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
