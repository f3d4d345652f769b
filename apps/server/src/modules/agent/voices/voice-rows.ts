import {
  type agentVoices as calls,
  agentVoices as contract,
  MAX_VOICE_USES,
  VoiceRow,
} from '@oms/contract/agent/voices/voice.ts'
import { maskAddressSecrets } from '@oms/contract/core/address-secret.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { buildSort, contains, paginate, byName } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { buildEditableCondition, buildUsableVoiceCondition } from '../models/model-access.ts'
import { SYNTHESIS_PROVIDERS } from './speech-synthesis.ts'
import { agents, agentTemplates } from '../schema/agent.ts'
import { agentModels, agentVoices } from '../schema/agent-model.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'

type Asked = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>

const { id, sort, name, createTime, updateTime } = agentVoices

/** Counts the agents and templates that the account may see. */
const useCount = (user: User) =>
  sql<number>`((select count(*)::int from ${agents} where ${and(eq(agents.voiceId, id), visibleIn(agents, user))})
    + (select count(*)::int from ${agentTemplates} where ${and(eq(agentTemplates.voiceId, id), visibleIn(agentTemplates, user))}))`

const visibleIn = (table: typeof agents | typeof agentTemplates, user: User) =>
  and(notDeleted(table), scoped(user, { tenant: table.tenantId, creator: table.createBy }))

const select = (db: Db, user: User) =>
  db
    .select({
      id,
      tenantId: agentVoices.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '平台')`.as('tenant_name'),
      modelId: agentVoices.modelId,
      modelName: sql<string>`coalesce(${agentModels.name}, '')`.as('model_name'),
      modelCode: sql<string>`coalesce(${agentModels.code}, '')`.as('model_code'),
      name,
      code: agentVoices.code,
      languages: agentVoices.languages,
      demoFile:
        sql<string>`case when ${agentVoices.demoFileId} = '' then '' else '/api/v1/file/' || ${agentVoices.demoFileId} end`.as(
          'demo_file',
        ),
      demoFileName:
        sql<string>`coalesce((select f.name from ${files} f where f.id = ${agentVoices.demoFileId}), '')`.as(
          'demo_file_name',
        ),
      demoUrl: agentVoices.demoUrl,
      referenceAudio: agentVoices.referenceAudio,
      referenceText: agentVoices.referenceText,
      sort,
      status: agentVoices.status,
      remark: agentVoices.remark,
      useCount: useCount(user).as('use_count'),
      isEditable: buildEditableCondition(agentVoices, user).as('is_editable'),
      isTestable: sql<boolean>`coalesce(${inArray(agentModels.providerCode, SYNTHESIS_PROVIDERS)}, false)`.as(
        'is_testable',
      ),
      createTime,
      updateTime,
      rev: agentVoices.rev,
    })
    .from(agentVoices)
    .leftJoin(agentModels, eq(agentModels.id, agentVoices.modelId))
    .leftJoin(tenants, eq(tenants.id, agentVoices.tenantId))

const conditions = (user: User, asked: Asked) =>
  and(
    buildUsableVoiceCondition(user),
    contains(name, asked.name),
    contains(agentVoices.code, asked.code),
    contains(agentVoices.languages, asked.languages),
    asked.modelId === undefined ? undefined : eq(agentVoices.modelId, asked.modelId),
    asked.status === undefined ? undefined : eq(agentVoices.status, asked.status),
    asked.tenantId === undefined ? undefined : eq(agentVoices.tenantId, asked.tenantId),
  )

const order = (asked: Pick<Asked, 'orderByColumn' | 'isAsc'>) =>
  buildSort(asked, { sort, name: byName(name), createTime, updateTime }, id, [asc(sort), asc(id)])

/** Masks credentials in addresses, because rows of older releases contain them. */
const shownVoice = <R extends { demoUrl: string; referenceAudio: string }>(row: R): R => ({
  ...row,
  demoUrl: maskAddressSecrets(row.demoUrl),
  referenceAudio: maskAddressSecrets(row.referenceAudio),
})

export async function listVoices({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const page = await paginate(db, select(db, user).where(conditions(user, input)).$dynamic(), input, order(input))
  return { ...page, list: page.list.map(shownVoice) }
}

export async function getVoice({ db, user }: Ctx, input: ParsedOf<typeof calls.get>) {
  const [found] = await select(db, user).where(and(buildUsableVoiceCondition(user), eq(id, input.id)))
  if (!found) throw notFound('音色')
  return shownVoice(found)
}

const usesIn = (db: Db, user: User, voiceId: number) => {
  const owner = sql<string>`coalesce(${tenants.name}, '')`
  return [
    db
      .select({ kind: sql<'agent'>`'agent'`, id: agents.id, name: agents.agentName, tenantName: owner })
      .from(agents)
      .leftJoin(tenants, eq(tenants.id, agents.tenantId))
      .where(and(eq(agents.voiceId, voiceId), visibleIn(agents, user)))
      .orderBy(asc(agents.id))
      .limit(MAX_VOICE_USES),
    db
      .select({
        kind: sql<'template'>`'template'`,
        id: agentTemplates.id,
        name: agentTemplates.templateName,
        tenantName: owner,
      })
      .from(agentTemplates)
      .leftJoin(tenants, eq(tenants.id, agentTemplates.tenantId))
      .where(and(eq(agentTemplates.voiceId, voiceId), visibleIn(agentTemplates, user)))
      .orderBy(asc(agentTemplates.id))
      .limit(MAX_VOICE_USES),
  ] as const
}

/** Returns the agents and templates that use a voice, as far as the caller may see them. */
export async function listVoiceUses(ctx: Ctx, input: ParsedOf<typeof calls.uses>) {
  await getVoice(ctx, input)
  const [inAgents, inTemplates] = usesIn(ctx.db, ctx.user, input.id)
  return { list: [...(await inAgents), ...(await inTemplates)].slice(0, MAX_VOICE_USES) }
}

export const exportVoices = defineExport({
  kind: 'agentVoice',
  endpoint: contract.export,
  sheet: '音色',
  schema: VoiceRow,
  columns: [
    ['name', { width: 20, isAlwaysExported: true }],
    ['code', { width: 32, isAlwaysExported: true }],
    ['modelCode', { width: 24, isAlwaysExported: true }],
    ['modelName', { width: 24 }],
    ['languages', { width: 20 }],
    ['demoUrl', { width: 40, isAlwaysExported: true }],
    ['referenceAudio', { width: 30, isAlwaysExported: true }],
    ['referenceText', { width: 30, isAlwaysExported: true }],
    ['sort', { type: 'number', width: 8 }],
    ['status', { width: 8 }],
    ['tenantName', { width: 20 }],
    ['remark', { width: 30 }],
    ['updateTime', { type: 'dateTime' }],
  ],
  key: id,
  where: conditions,
  order,
  load: (db, user, where) => select(db, user).where(where),
  keyOf: (row) => row.id,
  line: shownVoice,
})
