import * as z from 'zod'
import type { Contract } from '../../core/endpoint.ts'
import { id, note, optional, rev, search, textLine, whole } from '../../core/fields.ts'
import { createPageSchema, pageQuery } from '../../core/page.ts'
import { sharedData } from '../../core/shared-data.ts'
import { FIELD_TYPES, isNumberField, PROVIDER_TYPES } from './model-config.ts'
import type { ProviderField } from './provider-field.ts'

type ProviderType = keyof typeof PROVIDER_TYPES
const type = z
  .enum(Object.keys(PROVIDER_TYPES) as [ProviderType, ...ProviderType[]], '请选择类型')
  .meta({ title: '类型' })
const MAX_FIELDS = 40

const bound = (title: string) => z.number(`${title}应为数字`).nullable().default(null).meta({ title })

/** A field of the form of a provider's models. */
export const FieldInput = z.object({
  key: textLine('参数名', 50)
    .regex(/^[A-Za-z][A-Za-z0-9_]*$/, '参数名只能包含字母、数字和下划线，以字母开头')
    .meta({ title: '参数名', max: 50 }),
  label: textLine('显示名', 50),
  type: z
    .enum(Object.keys(FIELD_TYPES) as [ProviderField['type'], ...ProviderField['type'][]], '请选择字段类型')
    .meta({ title: '字段类型' }),
  default: note('默认值', 500),
  min: bound('最小值'),
  max: bound('最大值'),
  required: z.boolean('必填不正确').default(false).meta({ title: '必填' }),
  secret: z.boolean('密钥不正确').default(false).meta({ title: '密钥' }),
})
const fields = z
  .array(FieldInput, '字段不正确')
  .max(MAX_FIELDS, `最多${MAX_FIELDS}个字段`)
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, '参数名不能重复')
  .superRefine((list, check) => {
    list.forEach((field, at) => {
      if (isNumberField(field) && field.min !== null && field.max !== null && field.min > field.max)
        check.addIssue({ code: 'custom', path: [at, 'max'], message: '最大值不能小于最小值' })
    })
  })
  .meta({ title: '字段' })

const editable = { name: textLine('名称', 50), sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }), fields }
export const ProviderInput = z.object({
  type,
  code: textLine('编码', 50)
    .regex(/^[A-Za-z0-9_]+$/, '编码只能包含字母、数字和下划线')
    .meta({ title: '编码', max: 50 }),
  ...editable,
})
export const ProviderChange = z.object({ id, rev, ...editable })

export const ProviderRow = z.object({
  id: z.int(),
  type: z.string().meta({ title: '类型' }),
  code: z.string().meta({ title: '编码' }),
  name: z.string().meta({ title: '名称' }),
  fields: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      type: z.enum(Object.keys(FIELD_TYPES) as [ProviderField['type'], ...ProviderField['type'][]]),
      default: z.string().optional(),
      min: z.number().nullable().optional(),
      max: z.number().nullable().optional(),
      required: z.boolean().optional(),
      secret: z.boolean().optional(),
    }),
  ),
  sort: z.int().meta({ title: '排序' }),
  isBuiltin: z.int().meta({ title: '内置', labels: { 1: '是', 0: '否' } }),
  useCount: z.int().meta({ title: '模型数' }),
  rev: z.int(),
})
export type ProviderRow = z.output<typeof ProviderRow>
const byId = z.object({ id })
const root = '/api/v1/agent/config/provider'
const access = 'agent:config:provider'

/** Providers define the forms of models (`/agent/config`, drawer 字段管理). All tenants share the providers. */
export const agentProviders = sharedData({
  list: {
    method: 'GET',
    path: `${root}/page`,
    access: 'session',
    summary: '模型接口及其字段；要求智能体、模板或模型配置之一的列表权限',
    input: pageQuery.extend({ type: optional(type), name: search('名称', 50) }),
    result: createPageSchema(ProviderRow),
  },
  get: { method: 'GET', path: `${root}/:id`, access, input: byId, result: ProviderRow },
  create: {
    method: 'POST',
    path: root,
    access,
    title: '新增模型接口',
    body: 'json',
    input: ProviderInput,
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: root,
    access,
    title: '修改模型接口',
    body: 'json',
    input: ProviderChange,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: `${root}/:id`,
    access,
    title: '删除模型接口',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
} as const satisfies Contract)
