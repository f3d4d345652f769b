import { AgentBehaviour } from '@oms/contract/agent/agents/agent-input.ts'
import { type agentTemplates as calls, agentTemplates as contract } from '@oms/contract/agent/templates/template.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { defineRecord } from '#core/database/record.ts'
import { conflict, forbidden, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { extractBehaviour, type StoredBehaviour } from '../agents/agent-behaviour.ts'
import { splitSecrets } from '../agents/agent-secrets.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { agentTemplates } from '../schema/agent.ts'
import { assertBehaviour, assertComplete } from '../agents/agent-rules.ts'
import { formatPluginValues, readAgent } from '../agents/agent-store.ts'
import { AGENT_REFERENCES } from '../agents/behaviour-changes.ts'

const record = defineRecord({
  table: agentTemplates,
  calls: contract,
  kind: 'agentTemplate',
  isSharedByPlatform: true,
  noun: '模板',
  nameOf: ({ templateName }) => templateName,
  references: AGENT_REFERENCES,
})

type Behaviour = Omit<ParsedOf<typeof calls.create>, 'templateName' | 'sort' | 'status'>

/**
 * Returns the columns of a behaviour. Refuses models that the tenant may not use. Refuses secrets, because tenants read
 * platform templates.
 */
async function columnsOf(db: Db, tenantId: number, input: Behaviour, before?: StoredBehaviour['plugins']) {
  const behaviour: AgentBehaviour = { ...input, contextProviders: [], contextFacts: [], tools: [], wordFileIds: [] }
  await assertBehaviour(db, tenantId, behaviour, before)
  const { stored, secrets } = await splitSecrets(db, behaviour)
  if ([...secrets.values()].some((value) => value !== ''))
    throw invalid('模板不保存密钥，请在智能体中填写插件的密钥', 'plugins')
  const {
    contextFacts: _facts,
    tools: _tools,
    wordFileIds: _words,
    ...columns
  } = extractBehaviour({
    ...behaviour,
    ...stored,
  } as unknown as Parameters<typeof extractBehaviour>[0])
  return columns
}

export async function createTemplate(
  ctx: Ctx,
  { templateName, sort, status, ...input }: ParsedOf<typeof calls.create>,
) {
  const { id: tenantId } = await resolveOwningTenant(ctx)
  const columns = await columnsOf(ctx.db, tenantId, input)
  return record.insert(ctx, { ...columns, templateName, sort, status, tenantId })
}

/** Creates a template with the behaviour of an agent, without its secrets, context sources and word files. */
export async function makeTemplate(ctx: Ctx, { agentId, templateName, sort }: ParsedOf<typeof calls.make>) {
  if (!ctx.user.can('agent:agent:query')) throw forbidden()
  const agent = await readAgent(ctx, agentId)
  const { id: tenantId } = await resolveOwningTenant(ctx, agent.tenantId, 'agentId')
  const {
    contextProviders: _contexts,
    contextFacts: _facts,
    tools: _tools,
    wordFileIds: _words,
    ...behaviour
  } = extractBehaviour(agent)
  const plugins = formatPluginValues(behaviour.plugins)
  return record.insert(ctx, { ...behaviour, plugins, templateName, sort, tenantId })
}

export async function updateTemplate(ctx: Ctx, input: ParsedOf<typeof calls.update>) {
  const { id, rev, templateName, sort, status, ...behaviour } = input
  assertComplete(behaviour)
  if (status === 0) await assertNotLast(ctx.db, id)
  const stored = await record.lock(ctx, id)
  const columns = await columnsOf(ctx.db, stored.tenantId, behaviour, stored.plugins)
  return record.save(ctx, stored, rev, { ...columns, templateName, sort, status })
}

/** Refuses to disable or delete the last enabled template of the platform, which supplies the models of new agents. */
async function assertNotLast(db: Db, id: number) {
  const isOfPlatform = and(eq(agentTemplates.tenantId, PLATFORM_TENANT_ID), eq(agentTemplates.status, 1))
  const enabled = await db
    .select({ id: agentTemplates.id })
    .from(agentTemplates)
    .where(and(notDeleted(agentTemplates), isOfPlatform))
    .orderBy(asc(agentTemplates.id))
    .for('update')
  if (enabled.length === 1 && enabled[0]?.id === id) throw conflict('至少保留一个启用的模板，不能删除或停用')
}

export async function removeTemplate(ctx: Ctx, input: ParsedOf<typeof calls.remove>) {
  await assertNotLast(ctx.db, input.id)
  return record.remove(ctx, input)
}

export async function disableTemplate(ctx: Ctx, input: ParsedOf<typeof calls.disable>) {
  await assertNotLast(ctx.db, input.id)
  return record.disable(ctx, input)
}

export const enableTemplate = record.enable
