import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'
import { choice, id, optional, search } from './kernel/fields.ts'
import { pageOf, sortedPage } from './kernel/page.ts'
import { exportQuery } from './kernel/transfer.ts'
import { vendor } from './license-rows.ts'
import { LICENSE_VENDORS } from './license-uid.ts'

/** Per cent of the certificates a customer received below which its unused ones are few, unless a number was set. */
export const LOW_SHARE = 10

export const TREND_UNIT = { 1: '按日', 2: '按周', 3: '按月' } as const

/** What the statistics may be narrowed to. */
const narrowed = {
  vendor: optional(vendor).meta({ title: '厂商', labels: LICENSE_VENDORS }),
  tenantId: optional(id).meta({ title: '客户' }),
  typeCode: search('授权类型', 32),
}
export const LicenseStatQuery = z.object(narrowed)
/** Certificates by state, as every table of the statistics counts them. */
const states = {
  total: z.int().meta({ title: '总数' }),
  stock: z.int().meta({ title: '库存' }),
  allotted: z.int().meta({ title: '已分配' }),
  bound: z.int().meta({ title: '已绑定' }),
  activated: z.int().meta({ title: '已激活' }),
  suspended: z.int().meta({ title: '已暂停' }),
  expired: z.int().meta({ title: '已过期' }),
  scrapped: z.int().meta({ title: '已报废' }),
}
const counted = z.object({ id: z.int(), name: z.string(), ...states })
export type Counted = z.output<typeof counted>

export const TenantStatRow = z.object({
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  /** Whatever became of them since. */
  received: z.int().meta({ title: '累计持有' }),
  allotted: z.int().meta({ title: '待绑定' }),
  bound: z.int().meta({ title: '已绑定' }),
  activated: z.int().meta({ title: '已激活' }),
  suspended: z.int().meta({ title: '已暂停' }),
  expired: z.int().meta({ title: '已过期' }),
  scrapped: z.int().meta({ title: '已报废' }),
  /** Per cent of those ever activated. */
  rate: z.number().meta({ title: '激活率（%）' }),
  quota: z.int().meta({ title: '授权数量' }),
  used: z.int().meta({ title: '已用授权' }),
  remaining: z.int().meta({ title: '剩余授权' }),
  /** As it was set; null: a share of what it received. */
  threshold: z.int().nullable(),
  /** Unused certificates below this are few. */
  warnBelow: z.int().meta({ title: '库存预警' }),
  isLow: z.boolean().meta({ title: '库存不足' }),
})
export type TenantStatRow = z.output<typeof TenantStatRow>
export const TenantStatQuery = sortedPage(['received', 'activated', 'rate', 'remaining']).extend({
  ...narrowed,
  low: optional(choice('库存', { 1: '库存不足' })),
})

/** Statistics of licences (`/LicenseManage/StatisticalAnalysis`). */
export const licenseStats = {
  summary: {
    method: 'GET',
    path: '/api/v1/license/statistics/summary',
    access: 'LicenseManage:StatisticalAnalysis:list',
    input: LicenseStatQuery,
    result: z.object({
      states: counted,
      /** Of those that customers have. */
      rate: z.number(),
      /** Stock by vendor, and for how many days it lasts at the rate of the last 30; null: nothing was allotted. */
      forecast: z.array(
        z.object({
          vendor: z.int(),
          stock: z.int(),
          used30: z.int(),
          daysLeft: z.int().nullable(),
          threshold: z.int(),
          isLow: z.boolean(),
        }),
      ),
      /** Of a customer's own people: whether its unused certificates are few. */
      own: z.object({ left: z.int(), warnBelow: z.int(), isLow: z.boolean() }).nullable(),
      /** Customers whose unused certificates are few, of those within reach. */
      lowTenants: z.int(),
      expiring30: z.int(),
      expiring7: z.int(),
    }),
  },
  trend: {
    method: 'GET',
    path: '/api/v1/license/statistics/trend',
    access: 'LicenseManage:StatisticalAnalysis:list',
    input: LicenseStatQuery.extend({ unit: choice('统计周期', TREND_UNIT) }),
    result: z.object({
      list: z.array(z.object({ from: z.string(), to: z.string(), allotted: z.int(), activated: z.int() })),
    }),
  },
  /** How many certificates in use end in each of the next twelve months. */
  expiring: {
    method: 'GET',
    path: '/api/v1/license/statistics/expiring',
    access: 'LicenseManage:StatisticalAnalysis:list',
    input: LicenseStatQuery,
    result: z.object({ list: z.array(z.object({ from: z.string(), to: z.string(), count: z.int() })) }),
  },
  vendors: {
    method: 'GET',
    path: '/api/v1/license/statistics/vendor',
    access: 'LicenseManage:StatisticalAnalysis:query',
    input: LicenseStatQuery,
    result: z.object({ vendors: z.array(counted), batches: z.array(counted) }),
  },
  models: {
    method: 'GET',
    path: '/api/v1/license/statistics/model',
    access: 'LicenseManage:StatisticalAnalysis:query',
    input: LicenseStatQuery,
    result: z.object({ list: z.array(counted) }),
  },
  tenants: {
    method: 'GET',
    path: '/api/v1/license/statistics/tenant',
    access: 'LicenseManage:StatisticalAnalysis:query',
    input: TenantStatQuery,
    result: pageOf(TenantStatRow),
  },
  export: {
    method: 'GET',
    path: '/api/v1/license/statistics/export',
    access: 'LicenseManage:StatisticalAnalysis:export',
    stream: 'download',
    kind: 'export',
    title: '导出授权统计',
    input: TenantStatQuery.omit({ pageNum: true, pageSize: true }).extend(exportQuery.shape),
    result: z.null(),
  },
} as const satisfies Contract
