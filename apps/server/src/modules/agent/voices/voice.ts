import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import {
  type agentVoices as calls,
  agentVoices as contract,
  MAX_VOICE_USES,
  VoiceRow,
} from '@oms/contract/agent/voices/voice.ts'
import { maskAddressSecrets } from '@oms/contract/core/address-secret.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Pool } from 'pg'
import type { Db } from '#core/database/client.ts'
import { buildSort, contains, paginate, byName } from '#core/database/lists/list-query.ts'
import { defineRecord } from '#core/database/record.ts'
import { BatchedRead } from '#core/database/statements/batched-read.ts'
import { notFound, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { assertAll } from '#core/http/field-problems.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, scoped, assertMayChangeSharedRow, PLATFORM_TENANT_ID, transact } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { type DecryptedModel, readModelConfigs } from '../models/model-config.ts'
import { buildEditableCondition, buildUsableVoiceCondition, buildUsableModelCondition } from '../models/model.ts'
import { describeClosedModel, isModelOpen } from '../models/open-models.ts'
import { agentModels, agentVoices } from '../schema/agent-model.ts'
import { agents, agentTemplates } from '../schema/agent.ts'
import { recordUsage } from '../usage/usage-record.ts'
import { SYNTHESIS_PROVIDERS, type SynthesisedSpeech, SynthesisError, synthesise } from './speech-synthesis.ts'
import type { SynthesisInput } from './synthesis-requests.ts'

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

const record = defineRecord({
  table: agentVoices,
  calls: contract,
  kind: 'agentVoice',
  isSharedByPlatform: true,
  noun: '音色',
  nameOf: ({ name }) => name,
  titles: { demoFileId: '试听文件' },
  references: { modelId: agentModels },
})

export const { remove: removeVoice, enable: enableVoice, disable: disableVoice } = record

/** Refuses a model that is missing, of another type, or not for this tenant. */
async function assertSpeechModel(db: Db, tenantId: number, modelId: number) {
  const [found] = await db
    .select({ id: agentModels.id })
    .from(agentModels)
    .where(and(buildUsableModelCondition(tenantId), eq(agentModels.type, 'TTS'), eq(agentModels.id, modelId)))
  if (!found) throw invalid('语音合成模型不存在或已被删除', 'modelId')
}

/** Returns the file id of a sample's URL; empty without a sample. */
const fileIdOf = (url: string) => url.slice(-32)

/** Marks a new sample as used, and releases the replaced sample to the clean-up of unused files. */
async function changeSample({ db, user, now }: Ctx, before: string, after: string) {
  if (after === before) return
  const isSample = (id: string) => and(eq(files.id, id), eq(files.purpose, 'agentDemo'))
  if (after !== '') {
    const [adopted] = await db
      .update(files)
      .set({ usedTime: now.toISOString() })
      .where(and(isSample(after), eq(files.uid, user.uid)))
      .returning({ id: files.id })
    if (!adopted) throw invalid('试听文件不正确，请重新上传', 'demoFile')
  }
  if (
    before !== '' &&
    (await db.$count(agentVoices, and(notDeleted(agentVoices), eq(agentVoices.demoFileId, before)))) <= 1
  )
    await db.update(files).set({ usedTime: null }).where(isSample(before))
}

export async function createVoice(ctx: Ctx, { demoFile, ...input }: ParsedOf<typeof calls.create>) {
  const { id: tenantId } = await resolveOwningTenant(ctx)
  const demoFileId = fileIdOf(demoFile)
  await assertAll(
    () => assertSpeechModel(ctx.db, tenantId, input.modelId),
    () => changeSample(ctx, '', demoFileId),
  )
  return record.insert(ctx, { ...input, demoFileId, tenantId })
}

export async function updateVoice(ctx: Ctx, { id, rev, demoFile, ...input }: ParsedOf<typeof calls.update>) {
  const stored = await record.lock(ctx, id)
  const demoFileId = fileIdOf(demoFile)
  await assertAll(
    () => input.modelId !== stored.modelId && assertSpeechModel(ctx.db, stored.tenantId, input.modelId),
    () => changeSample(ctx, stored.demoFileId, demoFileId),
  )
  return record.save(ctx, stored, rev, { ...input, demoFileId })
}

/** Characters that a tenant may test on one day. The platform has no limit. */
const CHARACTERS_PER_DAY = 5000
/** Number of characters to which the price of a model applies. */
const PRICED_CHARACTERS = 10_000

/**
 * Requests the speech of a sentence from the vendor of a voice, and sends the audio file. Counts the characters as a
 * try-out of the tenant of the voice, or of the caller's tenant for a voice of the platform.
 */
export async function testVoice(ctx: Ctx, { id, text }: ParsedOf<typeof calls.test>): Promise<StreamResponse> {
  const { services, user } = ctx
  const voice = await transact(ctx, async (db) => {
    const [found] = await db
      .select()
      .from(agentVoices)
      .where(and(buildUsableVoiceCondition(user), eq(agentVoices.id, id)))
    return found
  })
  if (!voice) throw notFound('音色')
  // Staff of the platform use the key and the budget of the platform, without a daily limit.
  if (user.isPlatform) assertMayChangeSharedRow(user, voice.tenantId)
  ctx.audit({ bizType: 'agentVoice', bizId: id, action: `测试音色「${voice.name}」` })
  const payer = voice.tenantId === PLATFORM_TENANT_ID ? (user.tenantId ?? PLATFORM_TENANT_ID) : voice.tenantId
  const model = await openModelOf(ctx, voice.modelId, payer)
  await assertCharactersLeft(ctx, payer)
  const { audio, mime } = await say(services, model, {
    text,
    voice: voice.code,
    referenceAudio: voice.referenceAudio,
    referenceText: voice.referenceText,
  })
  await countCharacters(ctx, payer, model, [...text].length)
  return (_request, reply) => reply.header('content-type', mime).header('cache-control', 'no-store').send(audio)
}

/** Calls the vendor. A failure of the vendor becomes a refusal that shows its words. */
async function say(
  { config }: Ctx['services'],
  model: DecryptedModel,
  speech: SynthesisInput,
): Promise<SynthesisedSpeech> {
  const policy = selectAddressPolicy(config, model.tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
  try {
    return await synthesise(model, speech, policy)
  } catch (error) {
    if (error instanceof SynthesisError || error instanceof OutboundError) throw refused(error.message)
    throw error
  }
}

/** Returns the model with its keys. Refuses a model that the tenant may not use now. */
async function openModelOf({ services }: Ctx, modelId: number, tenantId: number): Promise<DecryptedModel> {
  const { database, config } = services
  const model = (await readModelConfigs(database.db, config.secretKey, [modelId])).get(modelId)
  if (!model) throw invalid('语音合成模型不存在或已被删除', 'id')
  if (!isModelOpen(model, tenantId)) throw refused(describeClosedModel('语音合成模型', model))
  return model
}

/** Throws when the tenant has used all characters of today. Tests that run at the same time may exceed the limit. */
async function assertCharactersLeft({ services }: Ctx, tenantId: number) {
  if (tenantId === PLATFORM_TENANT_ID) return
  const { rows } = await services.database.db.execute<{ used: number }>(sql`
    select coalesce(sum(n), 0)::float8 as used from agent_usage where tenant_id = ${tenantId} and day = current_date
      and unit = ${USAGE_UNIT.characters} and source = ${USAGE_SOURCE.tryOut}`)
  if (rows[0]!.used >= CHARACTERS_PER_DAY) throw refused('今日的音色测试额度已用完，请明天再试')
}

const countCharacters = ({ services }: Ctx, tenantId: number, { id, priceOut }: DecryptedModel, n: number) =>
  recordUsage(services.database.db, [
    {
      tenantId,
      agentId: 0,
      deviceId: 0,
      source: USAGE_SOURCE.tryOut,
      modelId: id,
      unit: USAGE_UNIT.characters,
      n,
      cost: (n * priceOut) / PRICED_CHARACTERS,
      isEstimate: false,
    },
  ])

/** A voice, or a trained clone of a voice. */
export interface AgentVoice {
  readonly code: string
  /** Null for clones. */
  readonly languages: string | null
  readonly audio: string
  readonly text: string
  readonly isClone: boolean
}

type Row = AgentVoice & { readonly id: number }

const VOICES = {
  name: 'agent-voices',
  text: `select id, code, languages, reference_audio as audio, reference_text as text, false as "isClone"
    from agent_voices where id = any($1::int[]) and deleted_at is null`,
}
const CLONES = {
  name: 'agent-clones',
  text: `select id, voice_id as code, null as languages, '' as audio, '' as text, true as "isClone"
    from agent_voice_clones where id = any($1::int[]) and deleted_at is null and state = 2 and voice_id <> ''`,
}

/** Reads the voices of agents. Caches nothing. Simultaneous calls share a statement. */
export class AgentVoices {
  readonly #voices: BatchedRead<number, Row, AgentVoice>
  readonly #clones: BatchedRead<number, Row, AgentVoice>

  constructor(pool: Pool) {
    const readWith = (statement: typeof VOICES) => async (ids: readonly number[]) => {
      const { rows } = await pool.query<Row>({ ...statement, values: [ids] })
      return new Map(rows.map((row) => [row.id, row]))
    }
    const valueOf = (row: Row): AgentVoice => Object.freeze(row)
    this.#voices = new BatchedRead({ read: readWith(VOICES), valueOf })
    this.#clones = new BatchedRead({ read: readWith(CLONES), valueOf })
  }

  /** Returns the trained clone, or the voice when there is no trained clone. */
  async of({ voiceId, cloneId }: { readonly voiceId: number | null; readonly cloneId: number | null }) {
    const [clone, voice] = await Promise.all([
      cloneId === null ? undefined : this.#clones.get(cloneId),
      voiceId === null ? undefined : this.#voices.get(voiceId),
    ])
    return clone ?? voice
  }
}
