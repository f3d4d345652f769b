import { and, eq, sql } from 'drizzle-orm'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { adScreens, readPlaysByDay } from '#modules/advertise/index.ts'
import { formatScopeKey, readCachedFigure } from '#modules/device/fleet/fleet-counts.ts'
import { devices } from '#modules/device/schema.ts'
import type { BlockSource } from './block.ts'
import { LINE_DAYS } from './growth.ts'

export const canSeePlays = (user: User) => user.can('advertiseManage:statisticalAnalysis:list')

/** Returns the plays of ads of each of the last days, today last. Figures over many plays are cached. */
export async function readPlays(ctx: Ctx, days: number) {
  const endDate = formatLocalDay(ctx.now, ctx.services.config.timeZone)
  const startDate = addDays(endDate, 1 - days)
  const { points } = await readCachedFigure(
    ctx.services,
    `plays ${startDate} ${endDate} ${formatScopeKey(ctx.user)}`,
    async (db) => {
      const found = await readPlaysByDay({ ...ctx, db }, { startDate, endDate })
      return { points: found, rows: found.reduce((sum, { value }) => sum + value, 0) }
    },
  )
  return points
}

/** Plays of ads in the last 30 days, compared with the 30 days before. */
export const adPlaysBlock: BlockSource = {
  title: `近 ${LINE_DAYS} 天广告播放`,
  resources: ['advertise'],
  may: canSeePlays,
  async load(ctx) {
    const points = await readPlays(ctx, 2 * LINE_DAYS)
    const sum = (some: typeof points) => some.reduce((total, { value }) => total + value, 0)
    const [earlier, trend] = [points.slice(0, LINE_DAYS), points.slice(LINE_DAYS)]
    return {
      value: sum(trend),
      before: sum(earlier),
      beforeTitle: `前 ${LINE_DAYS} 天`,
      better: 'up',
      detail: `今日 ${points.at(-1)?.value ?? 0} 次`,
      url: `/advertiseManage/statisticalAnalysis?startDate=${trend[0]?.day}&endDate=${trend.at(-1)?.day}`,
      trend,
    }
  },
}

const SCREENS = '/advertiseManage/ProgramList/screens'

/** Counts the screens that play ads by their connection. */
export const adScreensBlock: BlockSource = {
  title: '广告屏幕',
  resources: ['advertise', 'device'],
  may: (user) => user.can('advertiseManage:ProgramList:query'),
  async load({ db, user }) {
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        online: sql<number>`count(*) filter (where ${devices.online} = 1)::int`,
      })
      .from(adScreens)
      .innerJoin(devices, eq(devices.id, adScreens.deviceId))
      .where(and(notDeleted(devices), scoped(user, { tenant: adScreens.tenantId, creator: adScreens.createBy })))
    const { value = 0, online = 0 } = sums ?? {}
    return {
      value,
      parts: [
        { title: '在线', value: online, tone: 'good', url: `${SCREENS}?online=1` },
        { title: '离线', value: value - online, tone: 'quiet', url: `${SCREENS}?online=0` },
      ],
      url: SCREENS,
    }
  },
}
