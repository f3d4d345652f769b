import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { addRangeCheck, dayRange } from '../core/day-range.ts'
import { id, optional } from '../core/fields.ts'
import { EXPORT_FORMATS } from '../core/transfer.ts'

const range = dayRange.extend({
  tenantId: optional(id).meta({ title: '所属客户' }),
  typeId: optional(id).meta({ title: '设备类型' }),
  modelId: optional(id).meta({ title: '设备型号' }),
})
export const StatQuery = addRangeCheck(range)
export type StatRange = z.output<typeof range>

const figure = z.number().nullable()
const counted = z.object({ key: z.string(), count: z.int() })
const title = (text: string) => ({ title: text })

const HandlerStat = z.object({
  uid: z.int(),
  realname: z.string().meta(title('处理人员')),
  open: z.int().meta(title('处理中')),
  closed: z.int().meta(title('已关闭')),
  solveMinutes: figure.meta(title('平均解决时长（分钟）')),
  reopened: z.int().meta(title('重新打开')),
  satisfaction: figure.meta(title('满意度')),
})
/**
 * Statistics of one firmware version of a model: tickets of the period, devices that run the version now, and tickets
 * per 1,000 devices.
 */
const FirmwareStat = z.object({
  verCode: z.int().nullable(),
  verName: z.string(),
  releaseTime: z.string().nullable(),
  tickets: z.int(),
  devices: z.int(),
  rate: figure,
})

const read = { method: 'GET', access: 'AfterService:StatisticAnalysis:list', input: StatQuery } as const

/** After-sales statistics from the daily totals. */
export const feedbackStat = {
  summary: {
    ...read,
    path: '/api/v1/feedback/statistics/summary',
    result: z.object({
      created: z.int(),
      closed: z.int(),
      /** Open tickets now, independent of the period. */
      backlog: z.int(),
      unassigned: z.int(),
      breached: z.int(),
      respondMinutes: figure,
      solveMinutes: figure,
      reopened: z.int(),
      reopenRate: figure,
      satisfaction: figure,
      rated: z.int(),
      /** Percentage of the period's new tickets that met all SLA limits. */
      hitRate: figure,
      /** The same figures for the preceding period of equal length. */
      before: z.object({ created: z.int(), closed: z.int(), respondMinutes: figure, solveMinutes: figure }),
    }),
  },
  trend: {
    ...read,
    path: '/api/v1/feedback/statistics/trend',
    result: z.object({
      days: z.array(z.object({ day: z.string(), created: z.int(), closed: z.int(), backlog: z.int() })),
      releases: z.array(z.object({ day: z.string(), modelName: z.string(), verName: z.string(), modelId: z.int() })),
    }),
  },
  problem: {
    ...read,
    path: '/api/v1/feedback/statistics/problem',
    result: z.object({
      types: z.array(counted),
      hardware: z.array(counted),
      software: z.array(counted),
      structure: z.array(counted),
    }),
  },
  model: {
    ...read,
    path: '/api/v1/feedback/statistics/model',
    result: z.object({
      types: z.array(z.object({ typeId: z.int(), typeName: z.string(), tickets: z.int(), devices: z.int() })),
      models: z.array(
        z.object({
          modelId: z.int(),
          modelName: z.string(),
          typeName: z.string(),
          tickets: z.int(),
          devices: z.int(),
          rate: figure,
          versions: z.array(FirmwareStat),
        }),
      ),
      countTime: z.string().nullable(),
    }),
  },
  handler: {
    ...read,
    path: '/api/v1/feedback/statistics/handler',
    result: z.array(HandlerStat),
  },
  heatmap: {
    ...read,
    path: '/api/v1/feedback/statistics/heatmap',
    result: z.array(z.object({ weekday: z.int(), hour: z.int(), count: z.int() })),
  },
  age: {
    ...read,
    path: '/api/v1/feedback/statistics/age',
    result: z.array(
      z.object({ label: z.string(), minAge: z.int(), maxAge: z.int().nullable(), count: z.int(), breached: z.int() }),
    ),
  },
  export: {
    method: 'GET',
    path: '/api/v1/feedback/statistics/export',
    access: 'AfterService:StatisticAnalysis:export',
    stream: 'download',
    kind: 'export',
    title: '导出售后统计',
    input: addRangeCheck(
      range.extend({ format: z.enum(EXPORT_FORMATS, '导出格式不正确').default('xlsx') }) as unknown as typeof range,
    ),
    result: z.null(),
  },
} as const satisfies Contract
