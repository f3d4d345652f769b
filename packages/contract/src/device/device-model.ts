import { sharedData } from '../core/shared-data.ts'
import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { deviceCode as code, TYPE_STATUS } from './device-type.ts'
import { choice, id, note, optional, reference, search, textLine, whole } from '../core/fields.ts'
import { timeRange } from '../core/page.ts'
import { recordCalls } from '../core/record-calls.ts'
import { UPLOAD } from '../core/upload.ts'

/** Maximum options of a select; a keyword narrows the options. */
export const MAX_CHOICES = 100
/** Maximum versions listed separately; the other versions are summed. */
export const MAX_LISTED_VERSIONS = 50
/** One picture of a model. */
export const MODEL_PICTURE = { ...UPLOAD.image, maxCount: 1 } as const

export const ModelChoice = z.object({
  modelId: z.int(),
  modelName: z.string().meta({ title: '型号名称' }),
  modelCode: z.string().meta({ title: '型号编码' }),
  typeId: z.int(),
  typeName: z.string().meta({ title: '设备类型' }),
  /** True for a model of voice devices: the version number follows from the version name. */
  hasBoards: z.boolean(),
})
export const TypeChoice = z.object({
  typeId: z.int(),
  typeName: z.string().meta({ title: '设备类型' }),
  typeCode: z.string().meta({ title: '类型编码' }),
})

/** A new device type, created together with its first model. */
export const NewTypeInput = z.object({ typeName: textLine('类型名称', 32), typeCode: code('类型编码') })

/** A model of an existing device type, or of a new type that is created in the same call. */
export const QuickModelInput = z.object({
  modelName: textLine('型号名称', 32),
  modelCode: code('型号编码'),
  typeId: optional(id).meta({ title: '设备类型' }),
  typeName: optional(NewTypeInput.shape.typeName),
  typeCode: optional(NewTypeInput.shape.typeCode),
})

const keyword = z.object({ keyword: search('关键字', 32) })

export const MAX_BOARDS = 50
const board = z
  .string('开发板不正确')
  .trim()
  .min(1, '开发板不能为空')
  .max(50, '开发板不能超过50个字符')
  .regex(/^[\w.:+-]+$/, '开发板只能包含字母、数字和 _ . : + -')
/** Boards of voice devices. Repeated boards count once. */
const boards = z
  .preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : value === null || value === '' ? [] : [value]),
    z.array(board, '开发板不正确').max(MAX_BOARDS, `开发板不能超过${MAX_BOARDS}个`).default([]),
  )
  .meta({ title: '开发板' })

export const DeviceModelInput = z.object({
  typeId: reference('设备类型'),
  modelName: textLine('型号名称', 32),
  modelCode: code('型号编码'),
  picture: note('图片', 255)
    .refine((value) => value === '' || /^\/api\/v1\/file\/[0-9a-f]{32}$/.test(value), '图片地址不正确')
    .meta({ title: '图片' }),
  hwVersion: note('硬件版本', 32),
  chip: note('主控芯片', 32),
  cloudChannels: whole('云存储通道数', 0, 64).default(0).meta({ title: '云存储通道数' }),
  boards,
  status: choice('状态', TYPE_STATUS).default(1).meta({ title: '状态', labels: TYPE_STATUS }),
  remark: note('备注', 200),
})

export const DeviceModelRow = z.object({
  id: z.int().meta({ title: '型号编号' }),
  modelName: z.string().meta({ title: '型号名称' }),
  modelCode: z.string().meta({ title: '型号编码' }),
  typeId: z.int().meta({ title: '设备类型' }),
  typeName: z.string().meta({ title: '设备类型' }),
  picture: z.string().meta({ title: '图片' }),
  hwVersion: z.string().meta({ title: '硬件版本' }),
  chip: z.string().meta({ title: '主控芯片' }),
  /** 0: the model does not support cloud storage. */
  cloudChannels: z.int().meta({ title: '云存储通道数' }),
  /** Boards of voice devices that are of this model. */
  boards: z.array(z.string()).meta({ title: '开发板' }),
  status: z.int().meta({ title: '状态', labels: TYPE_STATUS }),
  deviceCount: z.int().meta({ title: '设备数' }),
  onlineCount: z.int().meta({ title: '在线' }),
  versionCount: z.int().meta({ title: '固件版本数' }),
  /** The highest enabled firmware version; null when there is no enabled version. */
  currentVerCode: z.int().nullable().meta({ title: '当前版本号' }),
  currentVerName: z.string().meta({ title: '当前版本' }),
  remark: z.string().meta({ title: '备注' }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})

/** Numbers of a model's devices by version. `verCode` null: devices that never reported a version. */
export const ModelVersionCounts = z.object({
  total: z.int(),
  /** Devices on versions that are not listed. */
  others: z.int(),
  list: z.array(
    z.object({
      verCode: z.int().nullable().meta({ title: '版本号' }),
      verName: z.string().meta({ title: '版本' }),
      devices: z.int().meta({ title: '设备数' }),
      online: z.int().meta({ title: '在线' }),
    }),
  ),
})

const byId = z.object({ id })

/** Models for pickers, for all accounts that may use data of a model. */
export const MODEL_READERS = ['upgrade:ota:list', 'upgrade:GeneralSoftware:list'] as const

export const deviceModels = sharedData({
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
  ...recordCalls('/api/v1/device/model', 'device:updateManage', '设备型号', {
    row: DeviceModelRow,
    input: DeviceModelInput,
    filters: {
      modelName: search('型号名称', 32),
      modelCode: search('型号编码', 32),
      typeId: optional(id).meta({ title: '设备类型' }),
      chip: search('主控芯片', 32),
      status: optional(choice('状态', TYPE_STATUS)),
      ...timeRange,
    },
    sort: ['modelName', 'modelCode', 'createTime', 'updateTime'],
  }),
  /** Device types for the model form; disabled types are marked by `status`. */
  types: {
    method: 'GET',
    path: '/api/v1/device/model/types',
    access: 'device:updateManage:list',
    input: keyword,
    result: z.array(TypeChoice.extend({ status: z.int() })),
  },
  /** Boards that voice devices reported, most frequent first, for suggestions. */
  boards: {
    method: 'GET',
    path: '/api/v1/device/model/boards',
    access: 'device:updateManage:list',
    input: z.object({}),
    result: z.object({
      list: z.array(
        z.object({
          board: z.string().meta({ title: '开发板' }),
          /** Number of bound devices; 0 when only unbound devices reported the board. */
          devices: z.int().meta({ title: '设备数' }),
        }),
      ),
    }),
  },
  /** Versions that the devices of a model run, newest first. */
  spread: {
    method: 'GET',
    path: '/api/v1/device/model/spread/:id',
    access: 'device:updateManage:query',
    input: byId,
    result: ModelVersionCounts,
  },
} as const satisfies Contract)
