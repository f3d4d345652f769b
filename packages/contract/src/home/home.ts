import * as z from 'zod'
import type { Contract } from '../core/endpoint.ts'
import { asWholeNumber } from '../core/fields.ts'

/** Blocks of the home page. The server decides which blocks an account gets. */
export const HOME_BLOCKS = [
  'devices',
  'tickets',
  'tenants',
  'appAccounts',
  'agentUsage',
  'agentIncome',
  'adPlays',
  'adScreens',
  'agentDevices',
  'licenses',
  'firmware',
  'accounts',
  'sessions',
  'storage',
  'notices',
  'operations',
] as const
export type HomeBlock = (typeof HOME_BLOCKS)[number]

/** Daily series of the trend chart. */
export const TREND_METRICS = {
  activated: '每日激活',
  online: '在线峰值',
  tickets: '新增工单',
  plays: '广告播放',
} as const
export type TrendMetric = keyof typeof TREND_METRICS
export const TREND_DAYS = [7, 30, 90] as const
/** Distributions of devices on the home page, by the counted dimension. */
export const DISTRIBUTIONS = { type: '类型', model: '型号', version: '版本', region: '地区', tenant: '客户' } as const
export type DistributionKind = keyof typeof DISTRIBUTIONS
export const MAX_DISTRIBUTION_LINES = 8

const Part = z.object({
  title: z.string(),
  value: z.int(),
  tone: z.enum(['good', 'calm', 'quiet', 'bad']),
  /** URL of the list with exactly these rows. */
  url: z.string(),
})
/** `isEstimate`: the value contains estimates. */
const Figure = z.object({
  title: z.string(),
  value: z.number(),
  unit: z.enum(['fen']).optional(),
  isEstimate: z.boolean().optional(),
  url: z.string(),
})
const Day = z.object({ day: z.string(), value: z.number().nullable() })

/** Data of one block of the home page: a number, or a short list. */
export const HomeBlockData = z.object({
  key: z.enum(HOME_BLOCKS),
  title: z.string(),
  value: z.number(),
  /** Unit of the value. Default: a plain number; `bytes` is formatted as a size, `fen` as an amount of money. */
  unit: z.enum(['bytes', 'fen']).optional(),
  /** Rows added today. */
  delta: z.number().optional(),
  /** Earlier value of the figure, its time (`30 天前`), and the direction of a change that is good news. */
  before: z.number().optional(),
  beforeTitle: z.string().optional(),
  better: z.enum(['up', 'down']).optional(),
  /** Secondary figure as text: `启用 3 个`. */
  detail: z.string().optional(),
  /** Breakdown of the value. */
  parts: z.array(Part).optional(),
  /** Further figures, each with the URL of the page that shows the figure. */
  figures: z.array(Figure).optional(),
  /** URL of the rows; only pages that the account may open. */
  url: z.string(),
  /** Newest records; set only for blocks that show a list. */
  items: z
    .array(
      z.object({
        id: z.string(),
        title: z.string(),
        detail: z.string(),
        time: z.string(),
        /** `ok` or `bad` for rows with a result. */
        state: z.enum(['ok', 'bad']).optional(),
      }),
    )
    .optional(),
  /** Sparkline values: one per day, today last. */
  trend: z.array(z.object({ day: z.string(), value: z.number() })).optional(),
})
export type HomeBlockData = z.output<typeof HomeBlockData>

/** Urgency of pending work: 1 now, 2 today, 3 when there is time. */
export const TODO_LEVEL = { now: 1, today: 2, later: 3 } as const

/** A pending item for the account. */
export const HomeTodo = z.object({
  key: z.string(),
  title: z.string(),
  count: z.int(),
  url: z.string(),
  level: z.int(),
  /** Minutes that the oldest row has waited; null for rows without a start. */
  waitMinutes: z.int().nullable(),
  /** What is urgent, such as `2 个已超时`. */
  note: z.string(),
  /** Call with one click: claims the oldest ticket, or unlocks the only locked account. */
  act: z.object({ kind: z.enum(['claim', 'unlock']), id: z.int() }).nullable(),
})
export type HomeTodo = z.output<typeof HomeTodo>

/** One onboarding step of an empty installation. */
export const SetupStep = z.object({
  key: z.string(),
  title: z.string(),
  hint: z.string(),
  url: z.string(),
  isDone: z.boolean(),
})

export const DistributionData = z.object({
  total: z.int(),
  /** Sum of the values that are not listed. */
  others: z.int(),
  list: z.array(z.object({ name: z.string(), value: z.int(), online: z.int(), url: z.string() })),
})
export type DistributionData = z.output<typeof DistributionData>

export const FleetState = z.object({
  devices: z.int(),
  online: z.int(),
  /** Activated devices that are not connected now. */
  offline: z.int(),
  /** Devices that were never activated. */
  inactive: z.int(),
  disabled: z.int(),
  activatedToday: z.int(),
  createdToday: z.int(),
})
export type FleetState = z.output<typeof FleetState>

/** A current release: number of devices that received the version, and their results. */
export const RunningRelease = z.object({
  otaId: z.int(),
  modelName: z.string(),
  verName: z.string(),
  verCode: z.int(),
  state: z.int(),
  /** Rollout percentage in hundredths of a percent. */
  percent: z.int(),
  total: z.int(),
  succeeded: z.int(),
  failed: z.int(),
})

const panel = 'index:indexScreen:bigScreen'
const nothing = z.object({})

export const home = {
  /** Returns one block (`block`) or all blocks; blocks without permission are omitted. */
  summary: {
    method: 'GET',
    path: '/api/v1/home/summary',
    access: 'session',
    input: z.object({ block: z.enum(HOME_BLOCKS, '区块不正确').optional() }),
    result: z.object({ blocks: z.array(HomeBlockData) }),
  },
  /** The account's blocks in order, so that each block can be loaded separately. */
  blocks: {
    method: 'GET',
    path: '/api/v1/home/blocks',
    access: 'session',
    input: nothing,
    result: z.object({
      /** The vendor's time zone; all times of the product use this zone. */
      zone: z.string(),
      /** `resources`: the block is reloaded when rows of these resources change (third part of their calls' paths). */
      blocks: z.array(z.object({ key: z.enum(HOME_BLOCKS), title: z.string(), resources: z.array(z.string()) })),
      trends: z.array(z.enum(['activated', 'online', 'tickets', 'plays'])),
      spreads: z.array(z.enum(['type', 'model', 'version', 'region', 'tenant'])),
    }),
  },
  todo: {
    method: 'GET',
    path: '/api/v1/home/todo',
    access: 'session',
    input: nothing,
    result: z.object({
      list: z.array(HomeTodo),
      /** Onboarding steps of an empty installation; empty when all steps are done. */
      steps: z.array(SetupStep),
    }),
  },
  /** Daily values, today last; null means that nothing was measured on that day. */
  trend: {
    method: 'GET',
    path: '/api/v1/home/trend',
    access: 'session',
    input: z.object({
      metric: z.enum(['activated', 'online', 'tickets', 'plays'], '指标不正确'),
      days: asWholeNumber(z.literal([...TREND_DAYS], '天数不正确')).default(30),
    }),
    result: z.object({
      points: z.array(Day),
      /** Values of the same number of days before. */
      previous: z.array(Day.shape.value),
    }),
  },
  /** Device distribution over types, models, versions, regions or tenants: the largest values and the rest. */
  distribution: {
    method: 'GET',
    path: '/api/v1/home/distribution',
    access: 'session',
    input: z.object({ by: z.enum(['type', 'model', 'version', 'region', 'tenant'], '分布方式不正确') }),
    result: DistributionData,
  },
  /** Panels of the big screen. Null means that the account lacks the permission for the panel. */
  screenFleet: {
    method: 'GET',
    path: '/api/v1/home/screen/fleet',
    access: panel,
    input: nothing,
    result: z
      .object({
        state: FleetState,
        regions: DistributionData,
        models: DistributionData,
        tenants: DistributionData.nullable(),
      })
      .nullable(),
  },
  /** Online devices in each of the last 24 hours. */
  screenOnline: {
    method: 'GET',
    path: '/api/v1/home/screen/online',
    access: panel,
    input: nothing,
    result: z.object({ points: z.array(z.object({ hour: z.string(), value: z.int().nullable() })) }).nullable(),
  },
  screenReleases: {
    method: 'GET',
    path: '/api/v1/home/screen/releases',
    access: panel,
    input: nothing,
    result: z.object({ list: z.array(RunningRelease) }).nullable(),
  },
  screenTickets: {
    method: 'GET',
    path: '/api/v1/home/screen/tickets',
    access: panel,
    input: nothing,
    result: z
      .object({
        open: z.int(),
        unassigned: z.int(),
        breached: z.int(),
        createdToday: z.int(),
        closedToday: z.int(),
        days: z.array(z.object({ day: z.string(), created: z.int(), closed: z.int() })),
      })
      .nullable(),
  },
} as const satisfies Contract
