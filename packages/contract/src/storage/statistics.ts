import * as z from 'zod'
import { addRangeCheck, dayRange } from '../core/day-range.ts'
import type { Contract } from '../core/endpoint.ts'
import { id, optional } from '../core/fields.ts'
import { createPageSchema, pageQuery } from '../core/page.ts'
import { EXPORT_FORMATS } from '../core/transfer.ts'
import { ENTITLEMENT_SOURCE } from './entitlement.ts'

/** Number of days that the forecast of ending queues covers. */
export const FORECAST_DAYS = 90

const tenantId = optional(id).meta({ title: '客户' })
const range = dayRange.extend({ tenantId })
export const StorageStatQuery = addRangeCheck(range)
const NowQuery = z.object({ tenantId })

const title = (text: string) => ({ title: text })
const fen = (text: string) => z.int().meta({ title: text, unit: 'fen' })

/** Entitlements opened and renewed in the range, by package, source or tenant. `average` is fen per entitlement. */
const sold = { n: z.int().meta(title('份数')), amount: fen('金额'), average: fen('均价') }
const PackageStat = z.object({
  packageId: z.int(),
  packageName: z.string().meta(title('套餐')),
  ...sold,
  /** Entitlements of the package in force now. */
  inForce: z.int().meta(title('使用中')),
})
export type PackageStat = z.output<typeof PackageStat>
const SourceStat = z.object({ source: z.int().meta({ title: '来源', labels: ENTITLEMENT_SOURCE }), ...sold })
/** A day of the console's zone: `2026-11-20`. */
const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const TenantStat = z.object({ tenantId: z.int(), tenantName: z.string().meta(title('客户')), ...sold })
const DueTenant = z.object({
  tenantId: z.int(),
  tenantName: z.string().meta(title('客户')),
  days7: z.int().meta(title('7 天内')),
  days30: z.int().meta(title('30 天内')),
  days90: z.int().meta(title('90 天内')),
})

/** A channel with continuous recording in force whose device is online, without an upload for two hours. */
export const TroubleRow = z.object({
  /** Id of the entitlement in force. */
  id: z.int(),
  deviceId: z.int(),
  sn: z.string().meta(title('序列号')),
  channel: z.int().meta(title('通道')),
  modelName: z.string().meta(title('设备型号')),
  tenantName: z.string().meta(title('客户')),
  packageName: z.string().meta(title('套餐')),
  uploadTime: z.string().nullable().meta(title('最近上传')),
  askTime: z.string().nullable().meta(title('最近询问')),
  troubleText: z.string().meta(title('设备上报')),
})
export type TroubleRow = z.output<typeof TroubleRow>

const read = { method: 'GET', access: 'ossManage:ossStatisticalAnalysis:list' } as const

/** Cloud-storage statistics (`/ossManage/ossStatisticalAnalysis`), read from sums alone. */
export const storageStats = {
  summary: {
    ...read,
    path: '/api/v1/oss/statistics/summary',
    input: NowQuery,
    result: z.object({
      today: Day,
      /** First day of the current month. */
      monthBegin: Day,
      inForce: z.int(),
      waiting: z.int(),
      suspended: z.int(),
      /** Channels of all devices whose model has cloud storage. */
      capable: z.int(),
      /** Percentage of the capable channels that have an entitlement in force. */
      rate: z.number(),
      /** Amounts of the sales of this month less the refunds of this month. */
      revenue: fen('本月净收入'),
      /** Amounts of the sales of this month. */
      gross: fen('本月开通金额（未减退款）'),
      /** Entitlements opened and renewed this month. */
      sold: z.int(),
      /** Channels whose last entitlement ends within these days, today included. */
      due7: z.int(),
      due30: z.int(),
      /** Bytes of the stored videos whose storage time is not over, and bytes uploaded today. */
      storedBytes: z.number(),
      todayBytes: z.number(),
    }),
  },
  trend: {
    ...read,
    path: '/api/v1/oss/statistics/trend',
    input: StorageStatQuery,
    result: z.object({
      days: z.array(z.object({ day: z.string(), opened: z.int(), renewed: z.int(), expired: z.int() })),
    }),
  },
  packages: {
    ...read,
    path: '/api/v1/oss/statistics/package',
    input: StorageStatQuery,
    result: z.object({
      list: z.array(PackageStat),
      days: z.array(z.string()),
      /** Sold entitlements by day for each best-selling package. The entry with id 0 is the sum of all others. */
      series: z.array(z.object({ packageId: z.int(), packageName: z.string(), values: z.array(z.int()) })),
    }),
  },
  sources: {
    ...read,
    path: '/api/v1/oss/statistics/source',
    input: StorageStatQuery,
    result: z.object({ list: z.array(SourceStat) }),
  },
  /** The ten tenants with the highest amount. */
  tenants: {
    ...read,
    access: 'ossManage:ossStatisticalAnalysis:query',
    path: '/api/v1/oss/statistics/tenant',
    input: StorageStatQuery,
    result: z.object({ list: z.array(TenantStat) }),
  },
  /** The ten tenants with the most channels whose service ends within 30 days. */
  expiring: {
    ...read,
    access: 'ossManage:ossStatisticalAnalysis:query',
    path: '/api/v1/oss/statistics/expiring',
    input: NowQuery,
    result: z.object({ today: Day, list: z.array(DueTenant) }),
  },
  /** Channels whose service ends on each of the next 90 days. */
  forecast: {
    ...read,
    path: '/api/v1/oss/statistics/forecast',
    input: NowQuery,
    result: z.object({ list: z.array(z.object({ day: z.string(), n: z.int() })) }),
  },
  /** Uploads by day of the recording. */
  usage: {
    ...read,
    path: '/api/v1/oss/statistics/usage',
    input: StorageStatQuery,
    result: z.object({
      days: z.array(
        z.object({
          day: z.string(),
          bytes: z.number(),
          segments: z.int(),
          deviceDays: z.int(),
        }),
      ),
    }),
  },
  trouble: {
    ...read,
    path: '/api/v1/oss/statistics/trouble',
    input: pageQuery.extend({ tenantId }),
    result: createPageSchema(TroubleRow),
  },
  export: {
    method: 'GET',
    path: '/api/v1/oss/statistics/export',
    access: 'ossManage:ossStatisticalAnalysis:export',
    stream: 'download',
    kind: 'export',
    title: '导出云存统计',
    input: addRangeCheck(range.extend({ format: z.enum(EXPORT_FORMATS, '导出格式不正确').default('xlsx') })),
    result: z.null(),
  },
} as const satisfies Contract
