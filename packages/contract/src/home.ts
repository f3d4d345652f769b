import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'

/** Blocks of the home page. Which ones an account gets is the server's decision. */
export const HOME_BLOCKS = [
  'devices',
  'tenants',
  'appAccounts',
  'tickets',
  'licenses',
  'firmware',
  'accounts',
  'sessions',
  'storage',
  'notices',
  'operations',
] as const
export type HomeBlock = (typeof HOME_BLOCKS)[number]

/** Lines over days, and what they count. */
export const TREND_METRICS = { activated: '每日激活', online: '在线峰值', tickets: '新增工单' } as const
export type TrendMetric = keyof typeof TREND_METRICS
export const TREND_DAYS = [7, 30, 90] as const
/** What devices are counted by. */
export const SPREADS = { type: '类型', model: '型号', version: '版本', region: '地区', tenant: '客户' } as const
export type Spread = keyof typeof SPREADS
export const MAX_SPREAD_LINES = 8

const Part = z.object({ title: z.string(), value: z.int(), tone: z.enum(['good', 'calm', 'quiet', 'bad']) })
const Day = z.object({ day: z.string(), value: z.number().nullable() })

/** One figure, or one short list, of the home page. */
export const HomeBlockData = z.object({
  key: z.enum(HOME_BLOCKS),
  title: z.string(),
  value: z.number(),
  /** What the value counts in: absent means pieces, `bytes` wants a size. */
  unit: z.enum(['bytes']).optional(),
  /** Change since yesterday, where one makes sense. */
  delta: z.number().optional(),
  /** A second figure in words: `启用 3 个`. */
  detail: z.string().optional(),
  /** What the value consists of. */
  parts: z.array(Part).optional(),
  /** Where its rows are; only pages this account may open. */
  url: z.string(),
  /** Newest rows, for the blocks that are lists. */
  items: z
    .array(
      z.object({
        id: z.string(),
        title: z.string(),
        detail: z.string(),
        time: z.string(),
        /** `ok` or `bad` where there is an outcome. */
        state: z.enum(['ok', 'bad']).optional(),
      }),
    )
    .optional(),
  /** A small line: one value a day, the last one today. */
  trend: z.array(z.object({ day: z.string(), value: z.number() })).optional(),
})
export type HomeBlockData = z.output<typeof HomeBlockData>

/** Something that waits for this account. */
export const HomeTodo = z.object({ key: z.string(), title: z.string(), count: z.int(), url: z.string() })

export const SpreadData = z.object({
  total: z.int(),
  /** What the lines do not name. */
  others: z.int(),
  list: z.array(z.object({ name: z.string(), value: z.int(), online: z.int(), url: z.string() })),
})
export type SpreadData = z.output<typeof SpreadData>

export const FleetState = z.object({
  devices: z.int(),
  online: z.int(),
  /** Activated once, not connected now. */
  offline: z.int(),
  /** Never activated. */
  inactive: z.int(),
  disabled: z.int(),
  activatedToday: z.int(),
  createdToday: z.int(),
})
export type FleetState = z.output<typeof FleetState>

/** A release under way: how many devices took the version, and how it went. */
export const RunningRelease = z.object({
  otaId: z.int(),
  modelName: z.string(),
  verName: z.string(),
  verCode: z.int(),
  state: z.int(),
  /** Share of the devices in hundredths of a percent. */
  percent: z.int(),
  total: z.int(),
  succeeded: z.int(),
  failed: z.int(),
})

const panel = 'index:indexScreen:bigScreen'
const nothing = z.object({})

export const home = {
  /** One block a request (`block`), or every block at once; those the account may not see are left out. */
  summary: {
    method: 'GET',
    path: '/api/v1/home/summary',
    access: 'session',
    input: z.object({ block: z.enum(HOME_BLOCKS, '区块不正确').optional() }),
    result: z.object({ blocks: z.array(HomeBlockData) }),
  },
  /** What this account gets, in order, so that each part can be asked for by itself. */
  blocks: {
    method: 'GET',
    path: '/api/v1/home/blocks',
    access: 'session',
    input: nothing,
    result: z.object({
      /** The vendor's time zone: every time of the product is told in it. */
      zone: z.string(),
      /** `resources`: a change of rows of these (third part of their calls' paths) makes the block old. */
      blocks: z.array(z.object({ key: z.enum(HOME_BLOCKS), title: z.string(), resources: z.array(z.string()) })),
      trends: z.array(z.enum(['activated', 'online', 'tickets'])),
      spreads: z.array(z.enum(['type', 'model', 'version', 'region', 'tenant'])),
    }),
  },
  todo: {
    method: 'GET',
    path: '/api/v1/home/todo',
    access: 'session',
    input: nothing,
    result: z.object({ list: z.array(HomeTodo) }),
  },
  /** One value a day, the last one today; null: nothing was measured that day. */
  trend: {
    method: 'GET',
    path: '/api/v1/home/trend',
    access: 'session',
    input: z.object({
      metric: z.enum(['activated', 'online', 'tickets'], '指标不正确'),
      days: z.coerce
        .number<number>('天数不正确')
        .pipe(z.literal([...TREND_DAYS], '天数不正确'))
        .default(30),
    }),
    result: z.object({ points: z.array(Day) }),
  },
  /** How the devices spread over types, models, versions, regions or customers: the largest, and the rest. */
  distribution: {
    method: 'GET',
    path: '/api/v1/home/distribution',
    access: 'session',
    input: z.object({ by: z.enum(['type', 'model', 'version', 'region', 'tenant'], '分布方式不正确') }),
    result: SpreadData,
  },
  /** The big screen's panels. Null: this account may not see what it shows. */
  screenFleet: {
    method: 'GET',
    path: '/api/v1/home/screen/fleet',
    access: panel,
    input: nothing,
    result: z
      .object({ state: FleetState, regions: SpreadData, models: SpreadData, tenants: SpreadData.nullable() })
      .nullable(),
  },
  /** Online devices of each of the last 24 hours. */
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
