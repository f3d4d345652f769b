import * as z from 'zod'
import { choice, day, id, note, noteLine, optional, reference, search, text, textLine, whole } from '../core/fields.ts'
import { normalizeLine } from '../core/normalize-line.ts'
import { sortedPage, timeRange } from '../core/page.ts'
import { LICENSE_STATE } from './license-state.ts'
import { LICENSE_VENDORS } from './license-uid.ts'

/** Maximum certificates per call by id. */
export const MAX_LICENSE_BATCH = 1000
export const LICENSE_IMPORT_ROWS = 200_000
/** Maximum certificates per allotment. */
export const MAX_ALLOTTED_CERTIFICATES = 200_000
/** Number of lines in an import preview. */
export const PREVIEW_ROWS = 20
export const LICENSE_USABLE = { 1: '可用（已分配、已绑定、已激活）', 0: '不可用' } as const
export const ALLOT_MODE = { 1: '按数量', 2: '按 UID 区间', 3: '按批次' } as const

const code = z
  .string('授权类型不正确')
  .overwrite(normalizeLine)
  .max(32, '授权类型不能超过32个字符')
  .transform((value) => value.toUpperCase())
  .refine((value) => /^[A-Z0-9][A-Z0-9_.-]{0,31}$/.test(value), '授权类型只能包含字母、数字和 _ . -，以字母或数字开头')
/** Licensed feature: `P2P`, `480P`, or an algorithm's code. */
export const typeCode = z
  .string('请输入授权类型')
  .overwrite(normalizeLine)
  .min(1, '请输入授权类型')
  .pipe(code)
  .meta({ title: '授权类型', max: 32 })
export const reason = text('原因', 200)
export const vendor = choice('厂商', LICENSE_VENDORS)
const edge = (title: string) => timeRange.beginTime.meta({ title })

export const LicenseRow = z.object({
  id: z.int().meta({ title: '编号' }),
  /** The UID with its middle masked. */
  uid: z.string().meta({ title: 'UID' }),
  vendor: z.int().meta({ title: '厂商', labels: LICENSE_VENDORS }),
  typeCode: z.string().meta({ title: '授权类型' }),
  state: z.int().meta({ title: '状态', labels: LICENSE_STATE }),
  batchId: z.int(),
  batchNo: z.string().meta({ title: '批次号' }),
  tenantId: z.int().nullable(),
  tenantName: z.string().meta({ title: '所属客户' }),
  modelId: z.int().nullable(),
  modelName: z.string().meta({ title: '限定型号' }),
  modelCode: z.string().meta({ title: '型号编码' }),
  deviceId: z.int().nullable(),
  sn: z.string().meta({ title: '设备序列号' }),
  hasKey: z.boolean().meta({ title: '密钥' }),
  importTime: z.string().meta({ title: '入库时间' }),
  allotTime: z.string().nullable().meta({ title: '分配时间' }),
  bindTime: z.string().nullable().meta({ title: '绑定时间' }),
  activateTime: z.string().nullable().meta({ title: '激活时间' }),
  lastOnlineTime: z.string().nullable().meta({ title: '设备最近在线' }),
  expireTime: z.string().nullable().meta({ title: '到期时间' }),
  operName: z.string().meta({ title: '最近操作人' }),
  remark: z.string().meta({ title: '备注' }),
})
export type LicenseRow = z.output<typeof LicenseRow>

export const LICENSE_SORTS = ['importTime', 'uid'] as const
export const licenseFilters = {
  /** The full UID or a prefix. */
  uid: search('UID', 64),
  state: optional(choice('状态', LICENSE_STATE)),
  tenantId: optional(id).meta({ title: '所属客户' }),
  batchId: optional(id).meta({ title: '批次' }),
  vendor: optional(vendor).meta({ title: '厂商', labels: LICENSE_VENDORS }),
  typeCode: optional(code).meta({ title: '授权类型', max: 32 }),
  modelId: optional(id).meta({ title: '限定型号' }),
  /** Full serial number of the device that uses the certificate. */
  sn: search('设备序列号', 64),
  ...timeRange,
  allotBegin: edge('分配时间起'),
  allotEnd: edge('分配时间止'),
  activateBegin: edge('激活时间起'),
  activateEnd: edge('激活时间止'),
  expireBegin: edge('到期时间起'),
  expireEnd: edge('到期时间止'),
  /** States that the statistics of future expiries count. */
  usable: optional(choice('可用', LICENSE_USABLE)),
}
export const LicenseQuery = sortedPage(LICENSE_SORTS).extend(licenseFilters)

export const LicenseEventRow = z.object({
  id: z.int(),
  action: z.string().meta({ title: '操作' }),
  fromState: z.int().nullable().meta({ title: '原状态', labels: LICENSE_STATE }),
  toState: z.int().meta({ title: '新状态', labels: LICENSE_STATE }),
  tenantName: z.string().meta({ title: '客户' }),
  deviceSn: z.string().meta({ title: '设备' }),
  operName: z.string().meta({ title: '操作人' }),
  reason: z.string().meta({ title: '说明' }),
  createTime: z.string().meta({ title: '时间' }),
})
export type LicenseEventRow = z.output<typeof LicenseEventRow>

/** Returns the day of an exported time. Certificates expire at the end of a day. */
const withoutTime = (text: string) => text.replace(/ 23:59:59$/, '')

/** Columns of the import template, in order. */
export const LicenseImportLine = z.object({
  uid: textLine('UID', 64),
  licenseKey: note('密钥', 512),
  vendor: note('厂商', 20),
  typeCode: optional(code).meta({ title: '授权类型', max: 32 }),
  modelCode: noteLine('型号编码', 32),
  expireTime: optional(z.string().overwrite(withoutTime).pipe(day('到期时间'))).meta({
    title: '到期时间',
    format: 'date',
  }),
  remark: note('备注', 200),
})
export const LicenseBatchInput = z.object({
  batchNo: z
    .string('批次号不正确')
    .overwrite(normalizeLine)
    .max(32, '批次号不能超过32个字符')
    .regex(/^[A-Za-z0-9._-]*$/, '批次号只能包含字母、数字和 . _ -')
    .default('')
    .meta({ title: '批次号', max: 32 }),
  vendor,
  /** Default for lines without this value. */
  typeCode: typeCode.default('P2P').meta({ title: '授权类型', max: 32 }),
  orderNo: noteLine('采购单号', 50),
  remark: note('批次备注', 200),
})
/** One parsed line of the file. The key is never returned. */
export const LicensePreviewRow = z.object({
  row: z.int(),
  uid: z.string(),
  hasKey: z.boolean(),
  typeCode: z.string(),
  modelCode: z.string(),
  expireTime: z.string(),
  problem: z.string(),
})
export type LicensePreviewRow = z.output<typeof LicensePreviewRow>

export const LicenseBatchRow = z.object({
  id: z.int().meta({ title: '编号' }),
  batchNo: z.string().meta({ title: '批次号' }),
  vendor: z.int().meta({ title: '厂商', labels: LICENSE_VENDORS }),
  total: z.int().meta({ title: '总数' }),
  stock: z.int().meta({ title: '库存' }),
  allotted: z.int().meta({ title: '已分配' }),
  bound: z.int().meta({ title: '已绑定' }),
  activated: z.int().meta({ title: '已激活' }),
  suspended: z.int().meta({ title: '已暂停' }),
  expired: z.int().meta({ title: '已过期' }),
  scrapped: z.int().meta({ title: '已报废' }),
  orderNo: z.string().meta({ title: '采购单号' }),
  fileName: z.string().meta({ title: '导入文件' }),
  createByName: z.string().meta({ title: '导入人' }),
  createTime: z.string().meta({ title: '导入时间' }),
  remark: z.string().meta({ title: '备注' }),
})
export type LicenseBatchRow = z.output<typeof LicenseBatchRow>

/** Selection of certificates in stock for an allotment to a tenant. */
const selection = {
  tenantId: reference('客户').meta({ title: '分配给客户' }),
  mode: choice('分配方式', ALLOT_MODE),
  vendor: optional(vendor).meta({ title: '厂商', labels: LICENSE_VENDORS }),
  typeCode: optional(code).meta({ title: '授权类型', max: 32 }),
  modelId: optional(id).meta({ title: '限定型号' }),
  count: optional(whole('数量', 1, MAX_ALLOTTED_CERTIFICATES)).meta({ title: '数量' }),
  first: search('起始 UID', 64),
  last: search('结束 UID', 64),
  batchId: optional(id).meta({ title: '批次' }),
}
type Selected = { mode: number } & Partial<
  Record<'count' | 'vendor' | 'typeCode' | 'first' | 'last' | 'batchId', unknown>
>

/** Reports an error for each field that the selection method requires and the input lacks. */
function complete(input: Selected, ctx: z.RefinementCtx) {
  const need = (field: keyof Selected, message: string) => {
    if (input[field] === undefined || input[field] === '') ctx.addIssue({ code: 'custom', path: [field], message })
  }
  if (input.mode === 1) {
    need('vendor', '请选择厂商')
    need('typeCode', '请输入授权类型')
    need('count', '请输入数量')
  } else if (input.mode === 2) {
    need('first', '请输入起始 UID')
    need('last', '请输入结束 UID')
  } else need('batchId', '请选择批次')
}
export const AllotSelection = z.object(selection)
export const AllotPlanInput = AllotSelection.superRefine(complete)
/** `expect`: the number of certificates in the preview. The call is refused when the number has changed. */
const expected = { expect: optional(whole('确认数量', 1, MAX_ALLOTTED_CERTIFICATES)).meta({ title: '确认数量' }) }
export const AllotForm = AllotSelection.extend({ ...expected, reason: note('备注', 200) })
export const AllotInput = AllotForm.superRefine(complete)
export const AllotFreeInput = AllotForm.extend({ reason }).superRefine(complete)

export const AllotPlan = z.object({
  count: z.int(),
  /** Certificates of the range or batch that are no longer in stock. */
  skipped: z.int(),
  firstUid: z.string(),
  lastUid: z.string(),
  tenantName: z.string(),
  groups: z.array(
    z.object({
      typeCode: z.string(),
      modelName: z.string(),
      count: z.int(),
      /** Remaining quota of the tenant's effective grants; null when the tenant has no matching grant. */
      remaining: z.int().nullable(),
      grantNos: z.array(z.string()),
    }),
  ),
  batches: z.array(z.object({ batchNo: z.string(), count: z.int() })),
  /** True when the existing grants cover the allotment. */
  covered: z.boolean(),
})
export type AllotPlan = z.output<typeof AllotPlan>
