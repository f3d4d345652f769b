import { agentVoices as calls, VOICE_STATUS, VoiceLine, VoiceRow } from '@oms/contract/agent/voices/voice.ts'
import { and, eq } from 'drizzle-orm'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid } from '#core/http/api-error.ts'
import { EXAMPLE_MARK } from '#core/spreadsheet/import/example-line.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { type ImportCtx, omitEmptyFields } from '#core/spreadsheet/import/definition.ts'
import { assertMayChangeSharedRow } from '#core/tenancy/shared-data.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { buildUsableModelCondition } from '#domain/agents/models/model-access.ts'
import { resolveOwningTenant } from '#domain/tenants/receiving-tenant.ts'
import { agentModels, agentVoices } from '#schema/agent/agent-model.ts'

interface State {
  readonly tenantId: number
  readonly updates: boolean
  /** A dry run neither locks nor writes rows. */
  readonly isDryRun: boolean
  readonly modelIds: Map<string, number | undefined>
  /** Line numbers by model and code, to name the earlier line in the message of a duplicate. */
  readonly seen: Map<string, number>
}

const STATUS_CODES = new Map(Object.entries(VOICE_STATUS).map(([code, word]) => [word as string, code]))

/** Imports voices of the session's tenant from a table. */
export const importVoices = defineImport({
  kind: 'agentVoice',
  endpoint: calls.import,
  name: '音色',
  schema: VoiceLine,
  columns: [
    ['name', { width: 20 }],
    ['code', { width: 32 }],
    ['modelCode', { width: 24 }],
    ['languages', { width: 20 }],
    ['demoUrl', { width: 40 }],
    ['referenceAudio', { width: 30 }],
    ['referenceText', { width: 30 }],
    ['sort', { type: 'number', width: 8 }],
    ['status', { width: 8 }],
    ['remark', { width: 30 }],
  ],
  required: ['name', 'code', 'modelCode'],
  example: {
    name: '晓晓',
    code: 'zh-CN-XiaoxiaoNeural',
    modelCode: 'TTS_EdgeTTS',
    languages: '普通话、英语',
    demoUrl: '',
    referenceAudio: '',
    referenceText: '',
    sort: 10,
    status: '启用',
    remark: EXAMPLE_MARK,
  },
  tables: ['agent_voices'],
  exportedRow: VoiceRow,
  prepare: async (ctx, { update, dryRun }): Promise<State> => {
    const { id: tenantId } = await resolveOwningTenant(ctx)
    assertMayChangeSharedRow(ctx.user, tenantId)
    const isDryRun = Number(dryRun) === 1
    return { tenantId, updates: update === '1', isDryRun, modelIds: new Map(), seen: new Map() }
  },
  // An empty cell gets the default of the schema.
  cells: ({ sort, status, ...given }) => ({
    ...given,
    ...(sort && { sort }),
    ...(status && { status: STATUS_CODES.get(status) ?? status }),
  }),
  async findProblems(ctx, { modelCode }, state) {
    if (modelCode === undefined || (await findSpeechModel(ctx, modelCode, state)) !== undefined) return []
    return [invalid(`语音合成模型「${modelCode}」不存在或不可用`, 'modelCode')]
  },
  async take(ctx, { modelCode, ...voice }, state, { row, filled }) {
    const modelId = (await findSpeechModel(ctx, modelCode, state)) as number
    const key = `${modelId} ${voice.code}`
    const earlier = state.seen.get(key)
    if (earlier !== undefined) throw invalid(`与第${earlier}行重复`, 'code')
    state.seen.set(key, row)
    const { db, user, now } = ctx
    const isSame = buildVoiceCondition(state.tenantId, modelId, voice.code)
    const rows = db.select({ id: agentVoices.id, rev: agentVoices.rev }).from(agentVoices).where(isSame)
    const [stored] = await (state.isDryRun ? rows : rows.for('update'))
    if (stored && !state.updates) throw invalid('音色编码已存在', 'code')
    if (state.isDryRun) return stored ? 'updated' : 'created'
    if (!stored) {
      const author = { createBy: user.uid, updateBy: user.uid }
      await db.insert(agentVoices).values({ ...voice, modelId, tenantId: state.tenantId, ...author })
      return 'created'
    }
    await db
      .update(agentVoices)
      .set({ ...omitEmptyFields(voice, filled), ...updateColumns(stored, user.uid, now) })
      .where(eq(agentVoices.id, stored.id))
    return 'updated'
  },
  async finish({ services, db }, { isDryRun }) {
    if (!isDryRun) await services.events.publish(db, 'changed', { resource: 'agent', tenantId: null })
  },
})

async function findSpeechModel({ db }: ImportCtx, code: string, { modelIds, tenantId }: State) {
  if (!modelIds.has(code)) {
    const [found] = await db
      .select({ id: agentModels.id })
      .from(agentModels)
      .where(and(buildUsableModelCondition(tenantId), eq(agentModels.type, 'TTS'), eq(agentModels.code, code)))
    modelIds.set(code, found?.id)
  }
  return modelIds.get(code)
}

const buildVoiceCondition = (tenantId: number, modelId: number, code: string) =>
  and(
    eq(agentVoices.tenantId, tenantId),
    eq(agentVoices.modelId, modelId),
    eq(agentVoices.code, code),
    notDeleted(agentVoices),
  )
