import * as z from 'zod'
import { findAddressSecret, hasUrlScheme } from '../../core/address-secret.ts'
import type { Contract } from '../../core/endpoint.ts'
import { choice, id, identifier, note, optional, reference, search, text, textLine, whole } from '../../core/fields.ts'
import { recordCalls, recordColumns } from '../../core/record-calls.ts'

export const VOICE_STATUS = { 1: '启用', 0: '停用' } as const
/** Maximum agents and templates that `uses` returns. */
export const MAX_VOICE_USES = 100

/**
 * Returns a rule that refuses credentials in an address. Voices have no field for a key, and their addresses are shown
 * in clear.
 */
const withoutCredential = (title: string) =>
  [
    (value: string) => findAddressSecret(value) === undefined,
    `${title}不能包含用户名、密码或密钥参数，请使用无需密钥的地址`,
  ] as const

const address = (title: string) =>
  note(title, 500)
    .refine((value) => value === '' || /^https?:\/\/\S+$/.test(value), `${title}应以 http:// 或 https:// 开头`)
    .refine(...withoutCredential(title))
    .meta({ title, max: 500 })

export const VoiceInput = z.object({
  modelId: reference('语音合成模型').meta({ title: '语音合成模型' }),
  name: textLine('音色名称', 20),
  code: identifier('音色编码', 50),
  languages: note('语言', 50)
    .transform((value) =>
      value
        .split(/[；;,，、]/)
        .map((language) => language.trim())
        .filter(Boolean)
        .join('、'),
    )
    .meta({ title: '语言', max: 50 }),
  /** URL of an uploaded sample (purpose `agentDemo`); it is played in place of `demoUrl`. */
  demoFile: z
    .string()
    .regex(/^(\/api\/v1\/file\/[0-9a-f]{32})?$/, '试听文件不正确，请重新上传')
    .default('')
    .meta({ title: '试听文件' }),
  demoUrl: address('试听地址'),
  referenceAudio: note('参考音频', 500)
    .refine((value) => !hasUrlScheme(value) || findAddressSecret(value) === undefined, withoutCredential('参考音频')[1])
    .meta({ title: '参考音频', max: 500 }),
  referenceText: note('参考文本', 500),
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
  status: choice('状态', VOICE_STATUS).default(1).meta({ title: '状态', labels: VOICE_STATUS }),
  remark: note('备注', 200),
})

export const VoiceRow = z.object({
  ...recordColumns,
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  modelId: z.int(),
  modelName: z.string().meta({ title: '语音合成模型' }),
  modelCode: z.string().meta({ title: '模型编码' }),
  name: z.string().meta({ title: '音色名称' }),
  code: z.string().meta({ title: '音色编码' }),
  languages: z.string().meta({ title: '语言' }),
  demoFile: z.string().meta({ title: '试听' }),
  demoFileName: z.string(),
  demoUrl: z.string().meta({ title: '试听地址' }),
  referenceAudio: z.string().meta({ title: '参考音频' }),
  referenceText: z.string().meta({ title: '参考文本' }),
  sort: z.int().meta({ title: '排序' }),
  status: z.int().meta({ title: '状态', labels: VOICE_STATUS }),
  remark: z.string().meta({ title: '备注' }),
  useCount: z.int().meta({ title: '使用' }),
  /** False for voices of the platform that a tenant only uses. */
  isEditable: z.boolean(),
  /** True when OMS can call the vendor of the model, so that the voice can be tested. */
  isTestable: z.boolean(),
})
export type VoiceRow = z.output<typeof VoiceRow>

/** An agent or a template that uses a voice. */
export const VoiceUse = z.object({
  kind: z.enum(['agent', 'template']),
  id: z.int(),
  name: z.string(),
  tenantName: z.string(),
})
export type VoiceUse = z.output<typeof VoiceUse>

/** Default sentence of the test dialog. */
export const VOICE_TEST_TEXT = '你好，很高兴为你服务。'

const ROOT = '/api/v1/agent/voice'

/** Voices of text-to-speech models (`/agent/voice`). */
export const agentVoices = {
  ...recordCalls(ROOT, 'agent:voice', '音色', {
    row: VoiceRow,
    input: VoiceInput,
    filters: {
      name: search('音色名称', 20),
      code: search('音色编码', 50),
      modelId: optional(id).meta({ title: '语音合成模型' }),
      languages: search('语言', 20),
      status: optional(choice('状态', VOICE_STATUS)),
      tenantId: optional(id).meta({ title: '客户' }),
    },
    sort: ['sort', 'name', 'createTime', 'updateTime'],
    createsSharedRows: true,
  }),
  /** Agents and templates that use a voice, as far as the caller may see them. */
  uses: {
    method: 'GET',
    path: `${ROOT}/uses/:id`,
    access: 'agent:voice:query',
    input: z.object({ id }),
    result: z.object({ list: z.array(VoiceUse) }),
  },
  /**
   * Requests the speech of a sentence from the vendor of the model, and returns the audio file. The vendor charges for
   * the characters. When the vendor fails, the call returns an API error with the message of the vendor.
   */
  test: {
    method: 'POST',
    path: `${ROOT}/test/:id`,
    access: 'agent:voice:test',
    title: '测试音色',
    kind: 'other',
    perMinute: 20,
    stream: 'download',
    input: z.object({ id, text: text('文字', 60) }),
    result: z.null(),
  },
} as const satisfies Contract
