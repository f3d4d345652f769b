import * as z from 'zod'
import { deviceFilters, mac, ONLINE, SN_PATTERN } from './device-fields.ts'
import { day, id, note, noteLine, optional, reference, textLine, wholeNumber } from '../core/fields.ts'
import { normalizeLine } from '../core/normalize-line.ts'
import { sortedPage } from '../core/page.ts'

export const DEVICE_STATUS = { 0: '停用', 1: '启用' } as const
export const VERSION_SOURCE = { 1: '设备上报', 2: '升级任务', 3: '人工录入' } as const
export const MAX_TAGS = 10
export const TAG_LENGTH = 20
/** Maximum devices per batch. */
export const MAX_BATCH = 1000
export const DEVICE_IMPORT_ROWS = 200_000
export const TOKEN_LENGTH = 32

const imei = z
  .string('IMEI不正确')
  .overwrite(normalizeLine)
  .regex(/^\d{15}$/, 'IMEI应为15位数字')
const tag = z
  .string('标签不正确')
  .overwrite(normalizeLine)
  .min(1, '标签不能为空')
  .max(TAG_LENGTH, `标签不能超过${TAG_LENGTH}个字符`)
  .regex(/^[^\s,，、;；"'\\{}]+$/, '标签不能包含空格、逗号、分号、引号等符号')
  .refine((value) => !/\p{Cc}|\p{Cs}/u.test(value), '标签含有不支持的字符')
export const tags = z
  .preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : value === null || value === '' ? [] : [value]),
    z.array(tag, '标签不正确').max(MAX_TAGS, `标签不能超过${MAX_TAGS}个`).default([]),
  )
  .meta({ title: '标签' })
const verCode = optional(
  z.preprocess(
    wholeNumber,
    z.int('固件版本号必须为数字值').min(0, '固件版本号必须为数字值').max(999_999_999, '固件版本号不能超过9个字符'),
  ),
).meta({ title: '固件版本号', max: 9 })

/** Device fields that a user edits. */
export const DeviceInput = z.object({
  sn: textLine('序列号', 64)
    .regex(SN_PATTERN, '序列号只能包含字母、数字和 . _ : -，以字母或数字开头')
    .meta({ title: '序列号', max: 64 }),
  devName: note('设备名称', 64),
  modelId: reference('设备型号'),
  /** Defaults to the tenant of the session. */
  tenantId: optional(id).meta({ title: '所属客户' }),
  mac: optional(mac).meta({ title: 'MAC', max: 17 }),
  imei: optional(imei).meta({ title: 'IMEI', max: 15 }),
  verCode,
  hwVer: note('硬件版本', 64),
  tags,
  warrantyEnd: optional(day('保修到期')).meta({ title: '保修到期' }),
  remark: note('备注', 200),
})

export const DeviceRow = z.object({
  id: z.int().meta({ title: '设备编号' }),
  sn: z.string().meta({ title: '序列号' }),
  devName: z.string().meta({ title: '设备名称' }),
  typeId: z.int(),
  typeName: z.string().meta({ title: '设备类型' }),
  modelId: z.int(),
  modelName: z.string().meta({ title: '设备型号' }),
  modelCode: z.string().meta({ title: '型号编码' }),
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '所属客户' }),
  tenantNo: z.string().meta({ title: '客户编号' }),
  uid: z.string().meta({ title: 'UID' }),
  mac: z.string().meta({ title: 'MAC' }),
  imei: z.string().meta({ title: 'IMEI' }),
  verCode: z.int().nullable().meta({ title: '固件版本号' }),
  /** Name of the reported version; empty when no such version exists on this server. */
  verName: z.string().meta({ title: '固件版本' }),
  osVer: z.string().meta({ title: '系统版本' }),
  appVer: z.string().meta({ title: 'App 版本' }),
  hwVer: z.string().meta({ title: '硬件版本' }),
  ip: z.string().meta({ title: 'IP 地址' }),
  region: z.string().meta({ title: '地区' }),
  tags: z.array(z.string()).meta({ title: '标签' }),
  status: z.int().meta({ title: '状态', labels: DEVICE_STATUS }),
  online: z.int().meta({ title: '在线状态', labels: ONLINE }),
  lastOnlineTime: z.string().nullable().meta({ title: '最近在线' }),
  activateTime: z.string().nullable().meta({ title: '激活时间' }),
  warrantyEnd: z.string().nullable().meta({ title: '保修到期' }),
  hasToken: z.boolean().meta({ title: '设备令牌' }),
  attributesWanted: z.int(),
  createTime: z.string().meta({ title: '创建时间' }),
  remark: z.string().meta({ title: '备注' }),
  rev: z.int(),
})
export type DeviceRow = z.output<typeof DeviceRow>

export const DeviceDetail = DeviceRow.extend({
  /** Last `verCode` attribute when the text is no number and no version name of the model; otherwise empty. */
  unknownVersion: z.string().meta({ title: '无法识别的上报版本' }),
  /** URL of the model's picture; empty without a picture. */
  picture: z.string(),
  /** Number of enabled firmware versions of the model that are newer than the device's version. */
  versionsBehind: z.int().meta({ title: '落后版本数' }),
  createByName: z.string().meta({ title: '创建人' }),
  updateByName: z.string().meta({ title: '更新人' }),
  updateTime: z.string().meta({ title: '更新时间' }),
})
export type DeviceDetail = z.output<typeof DeviceDetail>

export const DEVICE_SORTS = ['createTime', 'sn', 'verCode'] as const
export const DeviceQuery = sortedPage(DEVICE_SORTS).extend(deviceFilters)

/** Columns of the import template, in order. */
export const DeviceImportLine = z.object({
  sn: DeviceInput.shape.sn,
  devName: note('设备名称', 64),
  modelCode: noteLine('型号编码', 32),
  tenantNo: noteLine('客户编号', 20),
  mac: DeviceInput.shape.mac,
  imei: DeviceInput.shape.imei,
  verCode: DeviceInput.shape.verCode,
  hwVer: note('硬件版本', 64),
  tags,
  groups: z.array(z.string()).max(10, '分组不能超过10个').meta({ title: '分组' }),
  warrantyEnd: DeviceInput.shape.warrantyEnd,
  remark: note('备注', 200),
})
