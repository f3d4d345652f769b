import { INCOME_GROUP_CODE } from '@oms/contract/agent/orders/order-income.ts'
import type { HomeBlockData } from '@oms/contract/home/home.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { type IncomeFilter, readIncome } from '#modules/agent/orders/income.ts'
import { readUsageByDay } from '#modules/agent/usage/usage-figures.ts'
import { formatScopeKey, readCachedFigure } from '#modules/device/fleet/fleet-counts.ts'
import type { BlockSource } from './block.ts'

/** Days of the figures, which the view 用量 shows by default. */
const DAYS = 30
const PAGE = '/agent/order'

type Figure = NonNullable<HomeBlockData['figures']>[number]

/** Returns the last days as a filter, and the address of the view 用量 with the filter. */
function lastDays({ now, services }: Ctx) {
  const endDate = formatLocalDay(now, services.config.timeZone)
  const startDate = addDays(endDate, 1 - DAYS)
  return { filter: { startDate, endDate }, url: `${PAGE}?view=usage&startDate=${startDate}&endDate=${endDate}` }
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
  title: '近30天语音用量',
  resources: ['agent'],
  may: (user) => isVendorWith(user, 'agent:agent:query'),
  async load(ctx) {
    const { filter, url } = lastDays(ctx)
    const { total, days } = await readCached(ctx, 'voice usage', filter, (db) => readUsageByDay(db, ctx.user, filter))
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
  title: '近30天语音收入',
  resources: ['agent'],
  may: (user) => isVendorWith(user, 'agent:order:query') && user.can('agent:agent:query'),
  async load(ctx) {
    const { filter, url } = lastDays(ctx)
    const page = { order: sql`income desc`, limit: 1, offset: 0 }
    const { sums } = await readCached(ctx, 'voice income', filter, (db) =>
      readIncome(db, ctx.user, INCOME_GROUP_CODE.tenant, filter, page),
    )
    return {
      value: sums.income,
      unit: 'fen',
      figures: [{ title: '成本', value: sums.cost, unit: 'fen', isEstimate: sums.hasEstimates, url: `${url}#income` }],
      url: `${url}#income`,
    }
  },
}
