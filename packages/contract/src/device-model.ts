import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'
import { id, optional, search, text } from './kernel/fields.ts'

/** Choices of a select are cut here; a keyword narrows them. */
export const MAX_CHOICES = 100
const CODE = /^[A-Za-z0-9_.-]+$/
const code = (title: string) =>
  text(title, 32).regex(CODE, `${title}只能包含字母、数字和 _ . -`).meta({ title, max: 32 })

export const ModelChoice = z.object({
  modelId: z.int(),
  modelName: z.string().meta({ title: '型号名称' }),
  modelCode: z.string().meta({ title: '型号编码' }),
  typeId: z.int(),
  typeName: z.string().meta({ title: '设备类型' }),
})
export const TypeChoice = z.object({
  typeId: z.int(),
  typeName: z.string().meta({ title: '设备类型' }),
  typeCode: z.string().meta({ title: '类型编码' }),
})

/** A new type, made together with its first model. */
export const NewTypeInput = z.object({ typeName: text('类型名称', 32), typeCode: code('类型编码') })

/** A model of a type there is, or of a new one made with it. */
export const QuickModelInput = z.object({
  modelName: text('型号名称', 32),
  modelCode: code('型号编码'),
  typeId: optional(id).meta({ title: '设备类型' }),
  typeName: optional(NewTypeInput.shape.typeName),
  typeCode: optional(NewTypeInput.shape.typeCode),
})

const keyword = z.object({ keyword: search('关键字', 32) })

/** Whoever works with what belongs to a model may choose one. */
export const MODEL_READERS = ['upgrade:ota:list', 'upgrade:GeneralSoftware:list'] as const

export const deviceModels = {
  choices: {
    method: 'GET',
    path: '/api/v1/device/model/simple/list',
    access: 'session',
    summary: '启用的设备型号，按名称或编码查找，最多 100 条；要求任一使用型号的列表权限',
    input: keyword,
    result: z.array(ModelChoice),
  },
  typeChoices: {
    method: 'GET',
    path: '/api/v1/device/type/simple/list',
    access: 'upgrade:ota:list',
    summary: '启用的设备类型，按名称或编码查找，最多 100 条',
    input: keyword,
    result: z.array(TypeChoice),
  },
  quickCreate: {
    method: 'POST',
    path: '/api/v1/device/model/quick',
    access: 'upgrade:ota:add',
    title: '新增设备型号',
    kind: 'add',
    input: QuickModelInput.superRefine(({ typeId, typeName, typeCode }, issues) => {
      if (typeId) return
      if (!typeName) issues.addIssue({ code: 'custom', path: ['typeName'], message: '请选择设备类型或输入类型名称' })
      else if (!typeCode) issues.addIssue({ code: 'custom', path: ['typeCode'], message: '请输入类型编码' })
    }),
    result: ModelChoice,
    done: '新增成功',
  },
} as const satisfies Contract
