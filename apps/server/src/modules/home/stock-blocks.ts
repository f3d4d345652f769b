import { AGENT_DEVICE_STATE } from '@oms/contract/agent/devices/device.ts'
import { INCOME_GROUP_CODE } from '@oms/contract/agent/orders/order-income.ts'
import type { HomeBlockData } from '@oms/contract/home/home.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { files } from '#core/schema/system.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import {
  visibleSessions,
  readSessionWindow,
  computeDeviceState,
  visibleBindings,
  type IncomeFilter,
  readIncome,
  agentDevices,
  agentSessions,
  agentTryDays,
  readUsageByDay,
} from '#modules/agent/index.ts'
import { otaVersions } from '#modules/upgrade/index.ts'
import { formatScopeKey, readCachedFigure } from '#modules/device/fleet/fleet-counts.ts'
import { devices } from '#modules/device/schema.ts'
import type { BlockSource } from './block.ts'

/** Counts firmware versions and enabled firmware versions. */
export const firmwareBlock: BlockSource = {
  title: '固件版本',
  resources: ['device', 'upgrade'],
  may: (user) => user.can('upgrade:ota:list'),
  async load({ db, user }) {
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        today: sql<number>`count(*) filter (where create_time >= date_trunc('day', now()))::int`,
        enabled: sql<number>`count(*) filter (where status = 1)::int`,
      })
      .from(otaVersions)
      .where(
        and(
          notDeleted(otaVersions),
          eq(otaVersions.kind, 1),
          scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }),
        ),
      )
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      figures: [{ title: '已启用', value: sums?.enabled ?? 0, url: '/upgrade/ota?status=1' }],
      url: '/upgrade/ota',
    }
  },
}

/**
 * Sums the stored bytes. Equal files are stored once. The sum covers all files of a tenant, so accounts with the scope
 * "own records" cannot see the block.
 */
export const storageBlock: BlockSource = {
  title: '文件存储',
  resources: [],
  may: (user) => user.isPlatform && !user.scope.ownOnly && user.can('system:AboutUs:list'),
  async load({ db, user }) {
    const own = scoped(user, { tenant: files.tenantId }) ?? sql`true`
    const { rows } = await db.execute<{ value: number; count: number }>(sql`
      select coalesce(sum(size), 0)::float8 as value, coalesce(sum(n), 0)::int as count
      from (select max(size) as size, count(*) as n from files where ${own} group by sha256) as contents`)
    return {
      value: rows[0]?.value ?? 0,
      unit: 'bytes',
      detail: `共 ${rows[0]?.count ?? 0} 个文件`,
      url: '/system/AboutUs',
    }
  },
}

const LIST = '/agent/device'

/** States of voice devices in the order of the bar. */
const STATES = [
  { state: 2, tone: 'good' },
  { state: 1, tone: 'calm' },
  { state: 3, tone: 'bad' },
  { state: 0, tone: 'quiet' },
] as const

/** Counts voice devices by state, with the conversations of today. */
export const agentDevicesBlock: BlockSource = {
  title: '语音设备',
  resources: ['agent'],
  may: (user) => user.can('agent:device:list'),
  async load(ctx) {
    const parts = await byState(ctx)
    return {
      value: parts.reduce((sum, { value }) => sum + value, 0),
      detail: await talksToday(ctx),
      parts,
      url: LIST,
    }
  },
}

async function byState(ctx: Ctx): Promise<NonNullable<HomeBlockData['parts']>> {
  const { db, user } = ctx
  const state = computeDeviceState(await readSessionWindow(ctx.services))
  const rows = await db
    .select({ state, value: sql<number>`count(*)::int` })
    .from(agentDevices)
    .innerJoin(devices, eq(devices.id, agentDevices.deviceId))
    .where(and(visibleBindings(user), notDeleted(devices)))
    .groupBy(sql`1`)
  const counts = new Map(rows.map((row) => [row.state, row.value]))
  return STATES.map(({ state: key, tone }) => ({
    title: AGENT_DEVICE_STATE[key],
    value: counts.get(key) ?? 0,
    tone,
    url: `${LIST}?state=${key}`,
  }))
}

/** Returns the conversations of devices and the tokens of try-outs since midnight as text. */
async function talksToday({ db, user }: Ctx) {
  const [talks] = await db
    .select({ sessions: sql<number>`count(*)::int`, turns: sql<number>`coalesce(sum(turns), 0)::int` })
    .from(agentSessions)
    .where(and(sql`${agentSessions.lastTime} >= date_trunc('day', now())`, visibleSessions(user)))
  const [tries] = await db
    .select({ tokens: sql<number>`coalesce(sum(tokens_in::int8 + tokens_out), 0)::float8` })
    .from(agentTryDays)
    .where(and(sql`${agentTryDays.day} = current_date`, scoped(user, { tenant: agentTryDays.tenantId })))
  const words = `今日 ${talks?.sessions ?? 0} 次对话，${talks?.turns ?? 0} 轮`
  return tries && tries.tokens > 0 ? `${words}，试用 ${tries.tokens} tokens` : words
}

/** Days of the figures, which the view 用量 shows by default. */
const DAYS = 30
const PAGE = '/agent/order'
const COMPARED = { beforeTitle: `前 ${DAYS} 天`, better: 'up' } as const

type Figure = NonNullable<HomeBlockData['figures']>[number]

/** Returns the last days as a filter, the days before, and the address of the view 用量 with the filter. */
function lastDays({ now, services }: Ctx) {
  const endDate = formatLocalDay(now, services.config.timeZone)
  const startDate = addDays(endDate, 1 - DAYS)
  const earlier = { startDate: addDays(startDate, -DAYS), endDate: addDays(startDate, -1) }
  return {
    filter: { startDate, endDate },
    earlier,
    url: `${PAGE}?view=usage&startDate=${startDate}&endDate=${endDate}`,
  }
}

/** The vendor's staff that may open the view 用量 with all tenants. */
const isVendorWith = (user: User, permission: string) =>
  user.isPlatform && user.can('agent:order:list') && user.can(permission)

/** Reads a figure over the use of a period. Figures over many rows are cached, see `readCachedFigure`. */
const readCached = <T extends object>(ctx: Ctx, name: string, filter: IncomeFilter, read: (db: Db) => Promise<T>) =>
  readCachedFigure(
    ctx.services,
    `${name} ${filter.startDate} ${filter.endDate} ${formatScopeKey(ctx.user)}`,
    async (db) => {
      const { rows } = await db.execute<{ n: number }>(sql`select count(*)::int as n from agent_usage
        where day between ${filter.startDate}::date and ${filter.endDate}::date`)
      return { ...(await read(db)), rows: rows[0]!.n }
    },
  )

/** Use of voice agents in the last 30 days, with the same definition as the view 用量. */
export const agentUsageBlock: BlockSource = {
  title: '近 30 天语音用量',
  resources: ['agent'],
  may: (user) => isVendorWith(user, 'agent:agent:query'),
  async load(ctx) {
    const { filter, earlier, url } = lastDays(ctx)
    const read = (period: IncomeFilter) =>
      readCached(ctx, 'voice usage', period, (db) => readUsageByDay(db, ctx.user, period))
    const { total, days } = await read(filter)
    const before = await read(earlier)
    const figure = (
      title: string,
      measure: 'sessions' | 'minutes' | 'tokens' | 'deviceDays',
      isEstimate = false,
    ): Figure => ({
      title,
      value: total[measure],
      isEstimate,
      url: `${url}&measure=${measure}`,
    })
    return {
      value: total.turns,
      before: before.total.turns,
      ...COMPARED,
      detail: '轮对话',
      figures: [
        figure('对话次数', 'sessions'),
        figure('语音分钟', 'minutes', total.hasEstimatedMinutes),
        figure('Token', 'tokens', total.hasEstimatedTokens),
        figure('设备天数', 'deviceDays'),
      ],
      url: `${url}&measure=turns`,
      trend: days.map(({ day, turns }) => ({ day, value: turns })),
    }
  },
}

/** Income and cost of voice packages in the last 30 days, with the same definition as 收入与成本. */
export const agentIncomeBlock: BlockSource = {
  title: '近 30 天语音收入',
  resources: ['agent'],
  may: (user) => isVendorWith(user, 'agent:order:query') && user.can('agent:agent:query'),
  async load(ctx) {
    const { filter, earlier, url } = lastDays(ctx)
    const page = { order: sql`income desc`, limit: 1, offset: 0 }
    const read = (period: IncomeFilter) =>
      readCached(ctx, 'voice income', period, (db) => readIncome(db, ctx.user, INCOME_GROUP_CODE.tenant, period, page))
    const { sums } = await read(filter)
    const before = await read(earlier)
    return {
      value: sums.income,
      before: before.sums.income,
      ...COMPARED,
      unit: 'fen',
      figures: [{ title: '成本', value: sums.cost, unit: 'fen', isEstimate: sums.hasEstimates, url: `${url}#income` }],
      url: `${url}#income`,
    }
  },
}
