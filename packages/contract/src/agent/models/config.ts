import * as z from 'zod'
import { findAddressSecret } from '../../core/address-secret.ts'
import { type Contract, JSON_CHARACTER_BYTES } from '../../core/endpoint.ts'
import { choice, id, identifier, money, note, optional, rev, search, text, textLine, whole } from '../../core/fields.ts'
import { limitRecordKeys } from '../keyed-values.ts'
import { createPageSchema, sortedPage } from '../../core/page.ts'
import { recordColumns } from '../../core/record-calls.ts'
import { declareSwitches } from '../../core/switches.ts'
import { MAX_CONFIG_TEXT, MODEL_TYPES, type ModelType } from './model-config.ts'

export const MODEL_STATUS = { 1: '启用', 0: '停用' } as const
export const YES_NO = { 1: '是', 0: '否' } as const
const MAX_FIELDS = 60
const MAX_MODEL_BODY = (MAX_FIELDS * (MAX_CONFIG_TEXT + 100) + 2000) * JSON_CHARACTER_BYTES

const type = z.enum(Object.keys(MODEL_TYPES) as [ModelType, ...ModelType[]], '请选择类型').meta({ title: '类型' })
const modelCode = textLine('编码', 32)
  .regex(/^[A-Za-z0-9_]+$/, '编码只能包含字母、数字和下划线')
  .meta({ title: '编码', max: 32 })
const configValue = z.union([z.number(), z.boolean(), z.null(), note('参数', MAX_CONFIG_TEXT)], '参数不正确')
/** Values by the provider's fields. A secret that is absent is kept; an empty secret is removed. */
const config = limitRecordKeys(
  z.record(identifier('参数名', 50), configValue, '参数不正确'),
  MAX_FIELDS,
  '参数过多',
).meta({
  title: '参数',
  maxProperties: MAX_FIELDS,
})
const link = note('文档地址', 200)
  .refine((value) => value === '' || /^https?:\/\/\S+$/.test(value), '文档地址应以 http:// 或 https:// 开头')
  .refine((value) => findAddressSecret(value) === undefined, '文档地址不能包含用户名、密码或密钥参数')
  .meta({ title: '文档地址', max: 200 })

/** Units of the prices by model type. A type without an entry has no price. */
export const PRICE_UNITS: Readonly<Record<string, { readonly in?: string; readonly out?: string }>> = {
  LLM: { in: '元/百万 Token', out: '元/百万 Token' },
  VLLM: { in: '元/百万 Token', out: '元/百万 Token' },
  TTS: { out: '元/万字符' },
  ASR: { in: '元/小时' },
}

const settings = {
  name: textLine('名称', 50),
  config,
  status: choice('状态', MODEL_STATUS).default(1).meta({ title: '状态', labels: MODEL_STATUS }),
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
  docLink: link,
  remark: note('备注', 200),
  priceIn: money('输入单价').default(0).meta({ title: '输入单价', unit: 'fen' }),
  priceOut: money('输出单价').default(0).meta({ title: '输出单价', unit: 'fen' }),
  /** 1: voice servers call the model through OMS. */
  relay: choice('经由平台调用', YES_NO).default(0).meta({ title: '经由平台调用', labels: YES_NO }),
  fallbackModelId: optional(id).meta({ title: '备用模型' }),
  shared: choice('客户可用', YES_NO).default(0).meta({ title: '客户可用', labels: YES_NO }),
}
export const ModelInput = z.object({
  /** Owner; defaults to the tenant of the session. */
  tenantId: optional(id).meta({ title: '客户' }),
  type,
  code: modelCode,
  providerCode: textLine('接口', 50, '请选择接口'),
  ...settings,
})
/** Type, code and provider of a model never change, because voice servers use the code as key. */
export const ModelChange = z.object({ id, rev, ...settings })

const row = {
  ...recordColumns,
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  type: z.string().meta({ title: '类型' }),
  code: z.string().meta({ title: '编码' }),
  name: z.string().meta({ title: '名称' }),
  providerCode: z.string(),
  providerName: z.string().meta({ title: '接口' }),
  isDefault: z.int().meta({ title: '默认', labels: YES_NO }),
  status: z.int().meta({ title: '状态', labels: MODEL_STATUS }),
  sort: z.int().meta({ title: '排序' }),
  docLink: z.string().meta({ title: '文档地址' }),
  remark: z.string().meta({ title: '备注' }),
  priceIn: z.int().meta({ title: '输入单价', unit: 'fen' }),
  priceOut: z.int().meta({ title: '输出单价', unit: 'fen' }),
  relay: z.int().meta({ title: '经由平台调用', labels: YES_NO }),
  shared: z.int().meta({ title: '客户可用', labels: YES_NO }),
  /** Agents and templates that use the model. */
  useCount: z.int().meta({ title: '使用' }),
  /** False for models of the platform that a tenant only uses. */
  isEditable: z.boolean(),
}
export const ModelRow = z.object(row)
export type ModelRow = z.output<typeof ModelRow>
export const ModelDetail = ModelRow.extend({
  /** Values of the form, without secrets; empty for a model that the caller only uses. */
  config: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** Last characters of each stored secret, by field. */
  secrets: z.record(z.string(), z.string()),
  fallbackModelId: z.int().nullable(),
})
export type ModelDetail = z.output<typeof ModelDetail>

/** A model as an option of a select. */
export const ModelOption = z.object({
  id: z.int(),
  name: z.string(),
  code: z.string(),
  type: z.string(),
  providerCode: z.string(),
  isDefault: z.int(),
  status: z.int(),
})
export type ModelOption = z.output<typeof ModelOption>

/** Result of a test. `way` is 1 when a completion was requested, and 2 when only the address was reached. */
export const ModelTest = z.object({
  way: z.int(),
  isOk: z.boolean(),
  /** Time to the first token; null without a token. */
  firstMs: z.int().nullable(),
  totalMs: z.int(),
  message: z.string(),
})
export type ModelTest = z.output<typeof ModelTest>

const byId = z.object({ id })
const root = '/api/v1/agent/config'
const LOGGED = ['id', 'rev', 'tenantId', 'type', 'code', 'name', 'providerCode', 'status', 'sort', 'shared'] as const

/** Configured models (`/agent/config`). */
export const agentModels = {
  list: {
    method: 'GET',
    path: `${root}/page`,
    access: 'agent:config:list',
    input: sortedPage(['sort', 'name', 'code', 'createTime', 'updateTime']).extend({
      type: optional(type),
      name: search('名称', 50),
      code: search('编码', 32),
      status: optional(choice('状态', MODEL_STATUS)),
      tenantId: optional(id).meta({ title: '客户' }),
    }),
    result: createPageSchema(ModelRow),
  },
  /** Models for the selects of agents, templates and voices. Disabled models are marked by `status`. */
  options: {
    method: 'GET',
    path: `${root}/options`,
    access: 'session',
    summary: '可用的模型，按类型和关键字查找，最多 100 条；要求智能体、模板、模型配置或音色之一的列表权限',
    input: z.object({ type: optional(type), keyword: search('关键字', 50), tenantId: optional(id) }),
    result: z.object({ list: z.array(ModelOption) }),
  },
  get: { method: 'GET', path: `${root}/:id`, access: 'agent:config:query', input: byId, result: ModelDetail },
  create: {
    method: 'POST',
    path: root,
    access: 'agent:config:add',
    title: '新增模型',
    body: 'json',
    log: LOGGED,
    maxBody: MAX_MODEL_BODY,
    input: ModelInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: root,
    access: 'agent:config:edit',
    title: '修改模型',
    body: 'json',
    log: LOGGED,
    maxBody: MAX_MODEL_BODY,
    input: ModelChange,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${root}/:id`,
    access: 'agent:config:remove',
    title: '删除模型',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  /** Copies a model with its secrets; the copy gets a code of its own. */
  copy: {
    method: 'POST',
    path: `${root}/copy/:id`,
    access: 'agent:config:add',
    title: '复制模型',
    kind: 'add',
    input: byId,
    result: z.object({ id: z.int() }),
    done: '已复制',
  },
  setDefault: {
    method: 'POST',
    path: `${root}/default/:id`,
    access: 'agent:config:edit',
    title: '设为默认模型',
    kind: 'edit',
    input: byId,
    result: z.null(),
    done: '已设为默认',
  },
  ...declareSwitches(root, 'agent:config:enable', '模型'),
  /** Tests a language model with a one-word completion. Tests a model of another type with a request to its address. */
  test: {
    method: 'POST',
    path: `${root}/test/:id`,
    access: 'agent:config:test',
    title: '测试模型',
    kind: 'other',
    perMinute: 20,
    input: byId,
    result: ModelTest,
  },
  /** Returns a secret in plain text; the reason is logged. */
  reveal: {
    method: 'POST',
    path: `${root}/reveal`,
    revealsSecret: true,
    access: 'agent:config:plain',
    title: '查看模型密钥',
    kind: 'other',
    body: 'json',
    perMinute: 20,
    input: z.object({ id, field: identifier('参数名', 50), reason: text('原因', 100) }),
    result: z.object({ value: z.string() }),
  },
} as const satisfies Contract
