import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import {
  choice,
  dateTime,
  day,
  id,
  idRefusedWith,
  note,
  optional,
  optionalRev,
  search,
  textLine,
  wholeNumber,
} from '../core/fields.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'
import { UPLOAD } from '../core/upload.ts'
import { isRangeBackwards, type VersionRange } from './version-range.ts'

/**
 * 0 is a draft; 2 is disabled after having been enabled. In states 1 and 2, number, model, package and components are
 * immutable. To change a component, create a new version.
 */
export const OTA_STATUS = { 0: '草稿', 1: '已启用', 2: '已停用' } as const
export const COMPONENT_TYPE = { 1: '说明文件', 2: '固件', 3: 'App', 4: '模型文件', 5: 'License', 99: '其他' } as const
/** Default component type of an upload. */
export const DEFAULT_COMPONENT_TYPE = 1
/** Type of the component that devices install. */
export const FIRMWARE_COMPONENT = 2
export const MAX_COMPONENTS = 50
/** URL of a component: a file of this server, never an external address. */
export const COMPONENT_URL = /^\/api\/v1\/file\/([0-9a-f]{32})$/

export const OTA_MESSAGES = {
  immutable: '启用过的版本只能修改名称、日期、适用范围和描述，其他修改请新增版本',
  approved: '审批过的发布不能修改发布日期和适用范围，请先停用该版本',
  undeletable: '启用过的版本不能删除',
  empty: '请先上传组件再启用',
  noModel: '请先选择设备型号再启用',
  range: '最低适用版本不能大于最高适用版本',
  beyond: '适用的旧版本必须小于本版本号',
  file: '组件文件不存在或不属于当前客户，请重新上传',
} as const

const DIGITS = 9
/** Converts numbers to text; other values fail the following schema. */
const asText = (value: unknown) => (typeof value === 'number' ? String(value) : (value ?? undefined))

/** A number of up to nine digits. */
const digits = (title: string, missing: string, wrong: string) =>
  z.preprocess(
    asText,
    z
      .string(missing)
      .trim()
      .min(1, missing)
      .regex(/^\d+$/, wrong)
      .max(DIGITS, `${title}不能超过${DIGITS}个字符`)
      .transform(Number),
  )

const versionNumber = digits('版本号', '请输入版本号', '版本号必须为数字值').meta({ title: '版本号', max: DIGITS })

/** One end of the range of source versions; empty leaves the end open. */
const rangeEnd = (title: string) =>
  optional(digits(title, `请输入${title}`, `${title}必须为数字值`).meta({ title, max: DIGITS }))

const NO_MODEL_MESSAGE = '请选择设备型号'
export const NO_VERSION_MESSAGE = '版本信息不正确'

/** Form fields of firmware and of other packages. */
export const versionFields = {
  verCode: versionNumber,
  verName: textLine('版本名称', 32),
  buildDate: optional(dateTime('构建日期')),
  releaseDate: dateTime('发布日期'),
  description: note('版本描述', 500),
  oldVerMin: rangeEnd('最低适用版本'),
  oldVerMax: rangeEnd('最高适用版本'),
  // The model is checked last, so the fields of the specification keep their order. The specification has no model
  // field.
  modelId: idRefusedWith(NO_MODEL_MESSAGE).meta({ title: '设备型号' }),
}
export const OtaVersionInput = z.object(versionFields, NO_VERSION_MESSAGE)
/**
 * Optional model, because the calls of the specification have no model. The default is the stored model, or no model
 * for a new draft.
 */
export const optionalModel = { modelId: optional(versionFields.modelId) }

/** Refuses a range whose ends are in the wrong order. */
export const checkRangeOrder = <T extends z.ZodType<VersionRange>>(version: T) =>
  version.refine((value) => !isRangeBackwards(value), { error: OTA_MESSAGES.range, path: ['oldVerMax'] })

const hex = (pattern: RegExp) => z.string('校验值不正确').trim().toLowerCase().regex(pattern, '校验值不正确')

/** A component as sent by the form. Size and digests are compared with the server's values and are not stored. */
export const OtaComponentInput = z.object({
  name: textLine('组件名称', 15),
  type: z
    .preprocess((value) => (value === '' || value === null ? undefined : value), choice('组件类型', COMPONENT_TYPE))
    .prefault(DEFAULT_COMPONENT_TYPE)
    .meta({ title: '组件类型', labels: COMPONENT_TYPE }),
  url: z
    .string('请上传组件')
    .trim()
    .min(1, '请上传组件')
    .regex(COMPONENT_URL, '组件地址不正确，请重新上传')
    .meta({ title: '组件文件' }),
  size: optional(z.preprocess(wholeNumber, z.int('组件大小不正确').min(0, '组件大小不正确'))),
  md5: optional(hex(/^[0-9a-f]{32}$/)),
  sha1: optional(hex(/^[0-9a-f]{40}$/)),
  sha256: optional(hex(/^[0-9a-f]{64}$/)),
})

/** Nested values; a form may send them as JSON text. */
export const parseJsonField = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => {
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value) as unknown
    } catch {
      return value
    }
  }, schema)

export const componentsInput = parseJsonField(
  z.array(OtaComponentInput, '组件列表不正确').max(MAX_COMPONENTS, `组件不能超过${MAX_COMPONENTS}个`),
)

export const OtaCreateInput = z.object({
  otaVersion: parseJsonField(checkRangeOrder(OtaVersionInput.extend(optionalModel))),
  components: componentsInput,
})
export const OtaUpdateInput = z.object({
  otaVersion: parseJsonField(
    checkRangeOrder(z.object({ ...versionFields, ...optionalModel, otaId: id, rev: optionalRev }, NO_VERSION_MESSAGE)),
  ),
  components: componentsInput,
})

/** A stored file as returned after an upload and in a saved component. */
export const OtaUpload = z.object({
  name: z.string().meta({ title: '文件名' }),
  type: z.int(),
  url: z.string(),
  size: z.int().meta({ title: '大小' }),
  md5: z.string().meta({ title: 'MD5' }),
  sha1: z.string().meta({ title: 'SHA-1' }),
  sha256: z.string().meta({ title: 'SHA-256' }),
})
export const OtaComponent = OtaUpload.extend({
  id: z.int(),
  name: z.string().meta({ title: '组件名称' }),
  type: z.int().meta({ title: '组件类型', labels: COMPONENT_TYPE }),
  fileName: z.string().meta({ title: '文件名' }),
})

export const OtaVersion = z.object({
  otaId: z.int(),
  /** Null for a draft without a model. */
  modelId: z.int().nullable(),
  modelName: z.string().meta({ title: '设备型号' }),
  /** Empty for firmware. */
  packageName: z.string().meta({ title: '包名' }),
  verCode: z.int().meta({ title: '版本号' }),
  verName: z.string().meta({ title: '版本名称' }),
  status: z.int().meta({ title: '状态', labels: OTA_STATUS }),
  components: z.int().meta({ title: '组件数' }),
  oldVerMin: z.int().nullable().meta({ title: '最低适用版本' }),
  oldVerMax: z.int().nullable().meta({ title: '最高适用版本' }),
  buildDate: z.string().nullable().meta({ title: '构建日期' }),
  releaseDate: z.string().meta({ title: '发布日期' }),
  description: z.string().meta({ title: '版本描述' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '所属客户' }),
  createByName: z.string().meta({ title: '创建人' }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  enableTime: z.string().nullable().meta({ title: '启用时间' }),
  rev: z.int(),
})
/** `otaVersion` is the input of a save call; the row's fields are repeated beside it for reading. */
export const OtaDetail = z.object({ otaVersion: OtaVersion, components: z.array(OtaComponent) })

/** One end of the release period: an existing date or time. */
const moment = (title: string) => optional(z.union([day(title), dateTime(title)], `${title}格式不正确`)).meta({ title })

export const OTA_SORTS = ['verCode', 'releaseDate', 'updateTime'] as const
/** Work on a version that waits for the caller. */
export const VERSION_TODO = { 1: '待我审批的发布', 2: '未处理的告警' } as const
export const versionFilters = {
  verName: search('版本名称', 32),
  verCode: optional(digits('版本号', '请输入版本号', '版本号必须为数字值').meta({ title: '版本号', max: DIGITS })),
  modelId: optional(id).meta({ title: '设备型号' }),
  status: optional(choice('状态', OTA_STATUS)),
  todo: optional(choice('待办', VERSION_TODO)),
  beginTime: moment('开始时间'),
  endTime: moment('结束时间'),
}
export const OtaQuery = sortedPage(OTA_SORTS).extend(versionFilters)
const one = z.object({ otaId: id })

export const ota = {
  list: {
    method: 'GET',
    path: '/api/v1/device/ota',
    access: 'upgrade:ota:list',
    summary: '固件版本列表；beginTime、endTime 为发布日期范围',
    input: OtaQuery,
    result: createPageSchema(OtaVersion),
  },
  export: {
    method: 'GET',
    path: '/api/v1/device/ota/export',
    access: 'upgrade:ota:export',
    title: '导出固件版本',
    kind: 'export',
    stream: 'download',
    input: OtaQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
  get: {
    method: 'GET',
    path: '/api/v1/device/ota/ver/:otaId',
    access: 'upgrade:ota:query',
    input: one,
    result: OtaDetail,
  },
  create: {
    method: 'POST',
    path: '/api/v1/device/ota/ver',
    access: 'upgrade:ota:add',
    title: '新增固件版本',
    body: 'json',
    input: OtaCreateInput,
    result: z.object({ otaId: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/device/ota/ver',
    access: 'upgrade:ota:edit',
    title: '修改固件版本',
    body: 'json',
    input: OtaUpdateInput,
    result: z.object({ rev: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/device/ota/ver/:otaId',
    access: 'upgrade:ota:remove',
    title: '删除固件版本',
    input: one,
    result: z.null(),
    done: '删除成功',
  },
  enable: {
    method: 'POST',
    path: '/api/v1/device/ota/ver/enable/:otaId',
    access: 'upgrade:ota:enable',
    title: '启用固件版本',
    summary: '重新读取已存储的组件并比对校验值，一致才启用',
    input: one,
    result: z.null(),
    done: '启用成功',
  },
  disable: {
    method: 'POST',
    path: '/api/v1/device/ota/ver/disable/:otaId',
    access: 'upgrade:ota:enable',
    title: '停用固件版本',
    input: one,
    result: z.null(),
    done: '停用成功',
  },
  upload: {
    method: 'POST',
    path: '/api/v1/device/ota/upload',
    access: 'upgrade:ota:uploadComp',
    title: '上传固件组件',
    body: 'multipart',
    file: UPLOAD.component,
    input: z.object({}),
    result: OtaUpload,
    done: '组件上传成功',
  },
} as const satisfies Contract
