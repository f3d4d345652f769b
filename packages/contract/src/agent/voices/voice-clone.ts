import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { choice, dateTime, id, optional, reference, rev, search, textLine } from '../../core/fields.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'
import { recordColumns } from '../../core/record-calls.ts'

export const CLONE_STATE = { 0: '等待训练', 1: '训练中', 2: '已完成', 3: '失败' } as const
/** Provider whose models train cloned voices. */
export const CLONE_PROVIDER = 'huoshan_double_stream'
/** Allowed length of a recording in seconds. */
export const CLONE_SECONDS = { min: 8, max: 60 } as const

export const VoiceCloneInput = z.object({
  modelId: reference('语音合成模型').meta({ title: '语音合成模型' }),
  name: textLine('名称', 64),
  voiceId: textLine('音色 ID', 32)
    .regex(/^S_[A-Za-z0-9_-]+$/, '音色 ID 应以 S_ 开头，只含字母、数字、_ 和 -')
    .meta({ title: '音色 ID', max: 32 }),
  /** URL of an uploaded recording (purpose `agentAudio`). */
  recording: z
    .string('请上传录音')
    .min(1, '请上传录音')
    .regex(/^\/api\/v1\/file\/[0-9a-f]{32}$/, '录音不正确，请重新上传')
    .meta({ title: '录音' }),
  consentSpeaker: textLine('同意人', 50),
  consentTime: dateTime('同意时间'),
})

export const VoiceCloneChange = z.object({ id, rev, name: textLine('名称', 64) })

export const VoiceCloneRow = z.object({
  ...recordColumns,
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  modelId: z.int(),
  modelName: z.string().meta({ title: '语音合成模型' }),
  name: z.string().meta({ title: '名称' }),
  voiceId: z.string().meta({ title: '音色 ID' }),
  recording: z.string().meta({ title: '录音' }),
  seconds: z.int().meta({ title: '时长（秒）' }),
  state: z.int().meta({ title: '状态', labels: CLONE_STATE }),
  /** Reason of a failure: the message of the vendor, with keys masked. */
  error: z.string().meta({ title: '失败原因' }),
  consentSpeaker: z.string().meta({ title: '同意人' }),
  consentTime: z.string().meta({ title: '同意时间', format: 'date-time' }),
  createName: z.string().meta({ title: '创建人' }),
  /** Agents and templates that use the clone. */
  useCount: z.int().meta({ title: '使用' }),
})
export type VoiceCloneRow = z.output<typeof VoiceCloneRow>

const byId = z.object({ id })
const ROOT = '/api/v1/agent/voice/clone'
const access = 'agent:voice:clone'

/** Cloned voices (tab of `/agent/voice`). A job trains them with the vendor. */
export const voiceClones = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access,
    input: sortedPage(['createTime']).extend({
      name: search('名称', 64),
      voiceId: search('音色 ID', 32),
      state: optional(choice('状态', CLONE_STATE)),
      tenantId: optional(id).meta({ title: '客户' }),
    }),
    result: createPageSchema(VoiceCloneRow),
  },
  /** Whether the parameter `features` of the session's tenant permits clones. */
  feature: {
    method: 'GET',
    path: `${ROOT}/feature`,
    access,
    input: z.object({}),
    result: z.object({ isEnabled: z.boolean() }),
  },
  /** Own models that can train clones. */
  models: {
    method: 'GET',
    path: `${ROOT}/models`,
    access,
    input: z.object({ keyword: search('关键字', 50) }),
    result: z.object({ list: z.array(z.object({ id: z.int(), name: z.string(), code: z.string() })) }),
  },
  get: { method: 'GET', path: `${ROOT}/:id`, access, input: byId, result: VoiceCloneRow },
  create: {
    method: 'POST',
    path: ROOT,
    access,
    title: '新增克隆音色',
    input: VoiceCloneInput,
    result: z.object({ id: z.int() }),
    done: '已提交训练',
  },
  /** Changes the name. The model, the voice and the consent of a clone do not change. */
  update: {
    method: 'PUT',
    path: ROOT,
    access,
    title: '修改克隆音色',
    body: 'json',
    input: VoiceCloneChange,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  /** Trains a failed clone again. */
  retry: {
    method: 'POST',
    path: `${ROOT}/retry/:id`,
    access,
    title: '重新训练克隆音色',
    kind: 'edit',
    input: byId,
    result: z.null(),
    done: '已提交训练',
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access,
    title: '删除克隆音色',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
} as const satisfies Contract
