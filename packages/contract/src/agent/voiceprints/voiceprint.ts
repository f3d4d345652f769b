import * as z from 'zod'
import type { Contract, FileRule } from '../../core/endpoint.ts'
import { id, note, optional, reference, rev, search, textLine } from '../../core/fields.ts'
import { recordColumns } from '../../core/record-calls.ts'
import { declareOptions } from '../../core/options.ts'
import { createPageSchema, sortedPage, timeRange } from '../../core/page.ts'

/** Similarity to another speaker of the agent above which an enrolment is refused. */
export const SAME_SPEAKER_SCORE = 0.5
/** Shorter recordings often give a voiceprint that recognises the speaker badly. */
export const GOOD_SAMPLE_SECONDS = 3
/** Number of the agent's latest user turns with audio that are offered for enrolment. */
export const MAX_OFFERED_TURNS = 50
/** Maximum number of speakers of one agent. A test compares the recording with each of them. */
export const MAX_SPEAKERS = 50

/** Recording for a test. The voiceprint service reads WAV only. */
export const TEST_RECORDING: FileRule = { extensions: ['wav'], maxBytes: 10 * 1024 * 1024 }

/** States of the voiceprint service of a tenant. */
export const SERVICE_STATES = { 0: '未配置', 1: '正常', 2: '无法连接', 3: '功能已停用' } as const

const audioId = z
  .string('请选择一段语音')
  .regex(/^[0-9a-f]{32}$/, '请选择一段语音')
  .meta({ title: '语音' })
const fields = {
  name: textLine('姓名', 50),
  introduction: note('介绍', 100).meta({ title: '介绍' }),
}

export const VoiceprintInput = z.object({ agentId: reference('智能体'), ...fields, audioId })
export const VoiceprintChange = z.object({
  id,
  rev,
  ...fields,
  /** Replaces the enrolled recording; absent: the recording stays. */
  audioId: optional(audioId).meta({ title: '语音' }),
})

export const VoiceprintRow = z.object({
  ...recordColumns,
  name: z.string().meta({ title: '姓名' }),
  introduction: z.string().meta({ title: '介绍' }),
  agentId: z.int(),
  agentName: z.string().meta({ title: '智能体' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  /** Turns of the last 30 days in which the voice server recognised the speaker. */
  hits: z.int().meta({ title: '30日识别次数' }),
  audioId: z.string(),
})
export type VoiceprintRow = z.output<typeof VoiceprintRow>

/** A user turn whose audio can be enrolled. */
export const VoiceTurn = z.object({
  audioId: z.string(),
  content: z.string().meta({ title: '内容' }),
  /** Speaker that the voice server recognised; empty: none. */
  speaker: z.string().meta({ title: '说话人' }),
  deviceName: z.string().meta({ title: '设备' }),
  seconds: z.number().meta({ title: '时长（秒）' }),
  reportTime: z.string().meta({ title: '时间', format: 'date-time' }),
})
export type VoiceTurn = z.output<typeof VoiceTurn>

export const SpeakerScore = z.object({
  id: z.int(),
  name: z.string().meta({ title: '姓名' }),
  introduction: z.string().meta({ title: '介绍' }),
  /** Similarity from 0 to 1. */
  score: z.number().meta({ title: '相似度' }),
})
export type SpeakerScore = z.output<typeof SpeakerScore>

const byId = z.object({ id })
const ofAgent = z.object({ agentId: reference('智能体') })
const scores = z.object({
  list: z.array(SpeakerScore),
  /** Similarity from 0 to 1 below which the voice server recognises nobody: a parameter of the agent's tenant. */
  threshold: z.number(),
})
const ROOT = '/api/v1/agent/voiceprint'

/** Voiceprints: speakers that agents recognise (`/agent/voiceprint`). */
export const voiceprints = {
  list: {
    method: 'GET',
    path: `${ROOT}/page`,
    access: 'agent:voiceprint:list',
    input: sortedPage(['createTime']).extend({
      name: search('姓名', 50),
      agentId: optional(id).meta({ title: '智能体' }),
      tenantId: optional(id).meta({ title: '客户' }),
      ...timeRange,
    }),
    result: createPageSchema(VoiceprintRow),
  },
  /** State of the voiceprint service that the agents of a tenant use; default: the tenant of the session. */
  service: {
    method: 'GET',
    path: `${ROOT}/service`,
    access: 'agent:voiceprint:list',
    input: z.object({ tenantId: optional(id).meta({ title: '客户' }) }),
    result: z.object({
      state: z.int().meta({ labels: SERVICE_STATES }),
      /** Number of voiceprints in the service. */
      total: z.int(),
      message: z.string(),
    }),
  },
  /** Agents that the caller may see, for selects. */
  agents: declareOptions(`${ROOT}/options/agent`, 'agent:voiceprint:list', { row: { tenantName: z.string() } }),
  /** The latest user turns of an agent with audio. Each call is logged, because turns are personal data. */
  turns: {
    method: 'POST',
    path: `${ROOT}/turns`,
    access: 'agent:voiceprint:query',
    title: '查看智能体的用户语音',
    kind: 'other',
    input: ofAgent,
    result: z.object({ list: z.array(VoiceTurn) }),
  },
  /** Audio of a user turn or an enrolled speaker. The operation log records each call: audio is personal data. */
  audio: {
    method: 'GET',
    path: `${ROOT}/audio/:audioId`,
    access: 'agent:voiceprint:query',
    stream: 'download',
    title: '播放声纹录音',
    kind: 'other',
    input: z.object({ audioId }),
    result: z.null(),
  },
  get: { method: 'GET', path: `${ROOT}/:id`, access: 'agent:voiceprint:query', input: byId, result: VoiceprintRow },
  create: {
    method: 'POST',
    path: ROOT,
    access: 'agent:voiceprint:add',
    title: '新增声纹',
    input: VoiceprintInput,
    result: z.object({ id: z.int() }),
    done: '登记成功',
  },
  update: {
    method: 'PUT',
    path: ROOT,
    access: 'agent:voiceprint:edit',
    title: '修改声纹',
    input: VoiceprintChange,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${ROOT}/:id`,
    access: 'agent:voiceprint:remove',
    title: '删除声纹',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  /** Compares the audio of a user turn with every speaker of the agent. */
  test: {
    method: 'POST',
    path: `${ROOT}/test`,
    access: 'agent:voiceprint:test',
    title: '测试声纹',
    kind: 'other',
    perMinute: 20,
    input: ofAgent.extend({ audioId }),
    result: scores,
  },
  /** Compares an uploaded recording with every speaker of the agent. */
  testFile: {
    method: 'POST',
    path: `${ROOT}/test/file`,
    access: 'agent:voiceprint:test',
    body: 'multipart',
    file: TEST_RECORDING,
    title: '测试声纹',
    kind: 'other',
    perMinute: 20,
    input: ofAgent,
    result: scores,
  },
} as const satisfies Contract
