import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { choice, id, optional } from '../core/fields.ts'
import { createPageSchema, sortedPage } from '../core/page.ts'
import { exportQuery } from '../core/transfer.ts'
import { typeCode, vendor } from './license-rows.ts'
import { LICENSE_VENDORS } from './license-uid.ts'

/** Default low-stock threshold: percentage of the certificates that the tenant received. */
export const LOW_STOCK_PERCENT = 10

export const TREND_UNIT = { 1: '按日', 2: '按周', 3: '按月' } as const

/** Filters of the statistics. */
const narrowed = {
  vendor: optional(vendor).meta({ title: '厂商', labels: LICENSE_VENDORS }),
  tenantId: optional(id).meta({ title: '客户' }),
  typeCode: optional(typeCode),
}
export const LicenseStatQuery = z.object(narrowed)
/** Number of certificates by state, shared by all tables of the statistics. */
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
export type LicenseCounts = z.output<typeof counted>

export const TenantStatRow = z.object({
  tenantId: z.int(),
  tenantName: z.string().meta({ title: '客户' }),
  /** Counts received certificates in any current state. */
  received: z.int().meta({ title: '累计持有' }),
  allotted: z.int().meta({ title: '待绑定' }),
  bound: z.int().meta({ title: '已绑定' }),
  activated: z.int().meta({ title: '已激活' }),
  suspended: z.int().meta({ title: '已暂停' }),
  expired: z.int().meta({ title: '已过期' }),
  scrapped: z.int().meta({ title: '已报废' }),
  /** Percentage of the held certificates that are activated now: `activated` of `received`. */
  rate: z.number().meta({ title: '激活率（%）' }),
  quota: z.int().meta({ title: '授权数量' }),
  used: z.int().meta({ title: '已用授权' }),
  remaining: z.int().meta({ title: '剩余授权' }),
  /** The configured threshold; null means the default percentage of the received certificates. */
  threshold: z.int().nullable(),
  /** The effective threshold: fewer unused certificates count as low stock. */
  warnBelow: z.int().meta({ title: '库存预警' }),
  isLow: z.boolean().meta({ title: '库存不足' }),
})
export type TenantStatRow = z.output<typeof TenantStatRow>
export const TenantStatQuery = sortedPage(['received', 'activated', 'rate', 'remaining']).extend({
  ...narrowed,
  low: optional(choice('库存', { 1: '库存不足' })),
})

/** Licence statistics (`/LicenseManage/StatisticalAnalysis`). */
export const licenseStats = {
  summary: {
    method: 'GET',
    path: '/api/v1/license/statistics/summary',
    access: 'LicenseManage:StatisticalAnalysis:list',
    input: LicenseStatQuery,
    result: z.object({
      states: counted,
      /** Percentage of the certificates held by tenants that are activated now. */
      rate: z.number(),
      /** Stock of certificates by vendor. */
      stocks: z.array(z.object({ vendor: z.int(), stock: z.int(), threshold: z.int(), isLow: z.boolean() })),
      /** Low-stock state of the caller's own tenant. */
      own: z.object({ left: z.int(), warnBelow: z.int(), isLow: z.boolean() }).nullable(),
      /** Visible tenants with low stock. */
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
  /** Number of allotted, bound and activated certificates that expire in each of the next twelve months. */
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
    result: createPageSchema(TenantStatRow),
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
