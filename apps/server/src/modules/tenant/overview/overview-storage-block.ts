import { and, between, eq, inArray, sql } from 'drizzle-orm'
import { addDays } from '#core/time/zone.ts'
import { ossCounts, ossEnds, ossFlows } from '#schema/storage.ts'
import { findLastDays } from './last-days.ts'
import type { OverviewBlockSource } from './tenant-overview.service.ts'

const [WAITING, IN_FORCE] = [0, 1]
/** Kinds of flows that are sales: opened and renewed. */
const SALES = [1, 2]

/** Counts the tenant's entitlements to cloud storage, from the sums. */
export const storageBlock: OverviewBlockSource = {
  title: '云存储',
  may: (user) => user.can('ossManage:deviceList:list'),
  async load(ctx, tenantId) {
    const { db } = ctx
    const { from, to: today } = findLastDays(ctx, 30)
    const last = addDays(today, 30)
    const [states] = await db
      .select({
        inForce: sql<number>`coalesce(sum(n) filter (where state = ${IN_FORCE}), 0)::int`,
        waiting: sql<number>`coalesce(sum(n) filter (where state = ${WAITING}), 0)::int`,
      })
      .from(ossCounts)
      .where(eq(ossCounts.tenantId, tenantId))
    const [ends] = await db
      .select({ n: sql<number>`coalesce(sum(n), 0)::int` })
      .from(ossEnds)
      .where(and(eq(ossEnds.tenantId, tenantId), between(ossEnds.day, today, last)))
    const [sold] = await db
      .select({ n: sql<number>`coalesce(sum(n), 0)::int` })
      .from(ossFlows)
      .where(and(eq(ossFlows.tenantId, tenantId), inArray(ossFlows.kind, SALES), between(ossFlows.day, from, today)))
    const url = `/ossManage/deviceList?tenantId=${tenantId}`
    const ending = ends?.n ?? 0
    return {
      figures: [
        { label: '使用中通道', value: states?.inForce ?? 0, tone: 'good', url: `${url}&state=${IN_FORCE}` },
        { label: '待生效套餐', value: states?.waiting ?? 0, url: `${url}&state=${WAITING}` },
        { label: '近30天开通', value: sold?.n ?? 0, url: `${url}&flow=9&flowBegin=${from}&flowEnd=${today}` },
        {
          label: '30天内云存到期',
          value: ending,
          ...(ending > 0 ? { tone: 'warn' as const } : {}),
          url: `${url}&queueEndBegin=${today}&queueEndEnd=${last}`,
        },
      ],
      bars: [],
      rows: [],
      url,
    }
  },
}
