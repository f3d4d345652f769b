import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, limited, note, optional, rev, search, textLine, whole } from '../core/fields.ts'
import { createPageSchema, sortedPage, timeRange } from '../core/page.ts'
import { sharedData } from '../core/shared-data.ts'
import { buildStatusChoices, type StatusLabels } from '../core/status-labels.ts'
import { declareSwitches } from '../core/switches.ts'
import { exportQuery } from '../core/transfer.ts'
import { packagePrice, packageScope, YES_NO } from '../core/package-fields.ts'

export const RECORDING_TYPE = { 1: '连续录像', 2: '事件录像', 3: '低功耗事件' } as const
export const STORAGE_DAYS = {
  3: '3 天',
  7: '7 天',
  15: '15 天',
  30: '30 天',
  90: '90 天',
  180: '180 天',
  360: '360 天',
} as const
export const PERIOD_TYPE = { 1: '周', 2: '月', 3: '年' } as const
/** Chinese status labels of a package for tags, titles of calls and buttons. */
export const PACKAGE_LABELS = {
  on: '在售',
  off: '已下架',
  enable: '上架',
  disable: '下架',
} as const satisfies StatusLabels
export const PACKAGE_STATUS = buildStatusChoices(PACKAGE_LABELS)
export const MAX_CHANNELS = 64
export const MAX_PERIODS = 36

/** Formats the length of a package: `3个月`. */
export const formatPeriod = (type: number, count: number) => (type === 2 ? `${count}个月` : `${count}${PERIODS[type]}`)
const PERIODS: Readonly<Record<number, string>> = PERIOD_TYPE

/** Fields that belong to the package itself and may change at any time. */
const label = {
  packageName: textLine('套餐名称', 32),
  packageCode: textLine('套餐编码', 32)
    .regex(/^[A-Za-z0-9_.-]+$/, '套餐编码只能包含字母、数字和 _ . -')
    .meta({ title: '套餐编码', max: 32 }),
  description: note('说明', 200),
  sort: whole('排序', 0, 9999).default(0).meta({ title: '排序' }),
}
/** Terms of sale. A change of sold terms creates a new version of the package. */
const terms = {
  recordType: choice('录像类型', RECORDING_TYPE),
  storageDays: choice('保存天数', STORAGE_DAYS),
  periodType: choice('有效期单位', PERIOD_TYPE),
  periodCount: limited('有效期数量', 1, MAX_PERIODS, `有效期数量应为1～${MAX_PERIODS}`),
  price: packagePrice('价格'),
  originPrice: packagePrice('原价').default(0).meta({ title: '原价', unit: 'fen' }),
  channels: whole('可用通道数', 1, MAX_CHANNELS).default(1).meta({ title: '可用通道数' }),
  isTrial: choice('试用套餐', YES_NO).default(0).meta({ title: '试用套餐', labels: YES_NO }),
  preRecord: whole('预录时长', 0, 5).default(0).meta({ title: '预录时长' }),
  eventRecord: whole('单次事件时长', 0, 30).default(0).meta({ title: '单次事件时长' }),
  prolong: choice('事件持续时延长', YES_NO).default(0).meta({ title: '事件持续时延长', labels: YES_NO }),
  dayLimitMb: whole('每日容量上限', 0, 102_400).default(0).meta({ title: '每日容量上限' }),
  modelIds: packageScope('适用型号').default([]).meta({ title: '适用型号' }),
  tenantIds: packageScope('适用客户').default([]).meta({ title: '适用客户' }),
}
export const PackageTerms = z.object(terms)
export type PackageTerms = z.output<typeof PackageTerms>
export const PackageInput = z.object({ ...label, ...terms })

const named = z.object({ id: z.int(), name: z.string() })
const termsRow = {
  version: z.int().meta({ title: '版本' }),
  recordType: z.int().meta({ title: '录像类型', labels: RECORDING_TYPE }),
  storageDays: z.int().meta({ title: '保存天数', labels: STORAGE_DAYS }),
  periodType: z.int().meta({ title: '有效期单位', labels: PERIOD_TYPE }),
  periodCount: z.int().meta({ title: '有效期数量' }),
  price: z.int().meta({ title: '价格', unit: 'fen' }),
  originPrice: z.int().meta({ title: '原价', unit: 'fen' }),
  channels: z.int().meta({ title: '可用通道数' }),
  isTrial: z.int().meta({ title: '试用套餐', labels: YES_NO }),
  preRecord: z.int().meta({ title: '预录时长' }),
  eventRecord: z.int().meta({ title: '单次事件时长' }),
  prolong: z.int().meta({ title: '事件持续时延长', labels: YES_NO }),
  dayLimitMb: z.int().meta({ title: '每日容量上限' }),
  /** 1 when an entitlement was created from the version; the version never changes again. */
  isSold: z.int().meta({ title: '已售出', labels: YES_NO }),
}
export const PackageRow = z.object({
  id: z.int().meta({ title: '编号' }),
  packageName: z.string().meta({ title: '套餐名称' }),
  packageCode: z.string().meta({ title: '套餐编码' }),
  ...termsRow,
  /** Length in words: `1个月`. */
  period: z.string().meta({ title: '有效期' }),
  modelCount: z.int().meta({ title: '适用型号' }),
  tenantCount: z.int().meta({ title: '适用客户' }),
  sort: z.int().meta({ title: '排序' }),
  status: z.int().meta({ title: '状态', labels: PACKAGE_STATUS }),
  description: z.string().meta({ title: '说明' }),
  createTime: z.string().meta({ title: '创建时间' }),
  updateTime: z.string().meta({ title: '更新时间' }),
  rev: z.int(),
})
export type PackageRow = z.output<typeof PackageRow>
/** A package of the list, with its numbers of visible entitlements. */
export const PackageListRow = PackageRow.extend({
  inForce: z.int().meta({ title: '使用中' }),
  openedCount: z.int().meta({ title: '累计开通' }),
})
export type PackageListRow = z.output<typeof PackageListRow>
/** A package with the names of the models and tenants that it is limited to. */
export const PackageDetail = PackageRow.extend({ models: z.array(named), tenants: z.array(named) })
export type PackageDetail = z.output<typeof PackageDetail>
export const PackageVersionRow = z.object({
  id: z.int(),
  ...termsRow,
  period: z.string().meta({ title: '有效期' }),
  createName: z.string().meta({ title: '创建人' }),
  createTime: z.string().meta({ title: '创建时间' }),
})
export type PackageVersionRow = z.output<typeof PackageVersionRow>

const PackageQuery = sortedPage(['sort', 'packageName', 'price', 'storageDays', 'createTime', 'updateTime']).extend({
  packageName: search('套餐名称', 32),
  packageCode: search('套餐编码', 32),
  recordType: optional(choice('录像类型', RECORDING_TYPE)),
  storageDays: optional(choice('保存天数', STORAGE_DAYS)),
  isTrial: optional(choice('试用套餐', YES_NO)),
  status: optional(choice('状态', PACKAGE_STATUS)),
  ...timeRange,
})
const byId = z.object({ id })

/** Cloud-storage packages (`/ossManage/packageList`). */
export const storagePackages = sharedData({
  list: {
    method: 'GET',
    path: '/api/v1/oss/package/page',
    access: 'ossManage:packageList:list',
    input: PackageQuery,
    result: createPageSchema(PackageListRow),
  },
  get: {
    method: 'GET',
    path: '/api/v1/oss/package/detail/:id',
    access: 'ossManage:packageList:query',
    input: byId,
    result: PackageDetail,
  },
  /** All versions of a package, newest first. */
  versions: {
    method: 'GET',
    path: '/api/v1/oss/package/versions/:id',
    access: 'ossManage:packageList:query',
    input: byId,
    result: z.object({ list: z.array(PackageVersionRow) }),
  },
  create: {
    method: 'POST',
    path: '/api/v1/oss/package',
    access: 'ossManage:packageList:add',
    allTenants: true,
    title: '新增云存套餐',
    body: 'json',
    input: PackageInput.extend({
      status: choice('状态', PACKAGE_STATUS).default(1).meta({ title: '状态', labels: PACKAGE_STATUS }),
    }),
    result: z.object({ id: z.int() }),
    done: '新增成功',
  },
  update: {
    method: 'PUT',
    path: '/api/v1/oss/package',
    access: 'ossManage:packageList:edit',
    allTenants: true,
    title: '修改云存套餐',
    body: 'json',
    input: PackageInput.extend({ id, rev }),
    result: z.object({ rev: z.int(), version: z.int() }),
    done: '修改成功',
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/oss/package/:id',
    access: 'ossManage:packageList:remove',
    allTenants: true,
    title: '删除云存套餐',
    input: byId,
    result: z.null(),
    done: '删除成功',
  },
  ...declareSwitches('/api/v1/oss/package', 'ossManage:packageList:enable', '云存套餐', {
    statusLabels: PACKAGE_LABELS,
  }),
  export: {
    method: 'GET',
    path: '/api/v1/oss/package/export',
    access: 'ossManage:packageList:export',
    stream: 'download',
    title: '导出云存套餐',
    kind: 'export',
    input: PackageQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
} as const satisfies Contract)
