import { ORDER_STATE_CODE, ORDER_STATE } from '@oms/contract/agent/orders/order-entities.ts'
import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { and, between, desc, eq, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { visibleGrants, visibleOrders } from '#modules/agent/orders/visible-orders.ts'
import { agentGrants, agentOrders } from '#modules/agent/schema/agent-orders.ts'
import { agentUsage } from '#modules/agent/schema/agent-usage.ts'
import { findLastDays } from './last-days.ts'
import type { OverviewBlockSource, BlockData } from './tenant-overview.ts'

const ROWS = 6
const LIST = '/agent/order'
const TONES = ['warn', 'good', 'warn', 'none', 'none', 'none'] as const
type Figure = BlockData['figures'][number]

/** Counts the tenant's orders of voice packages, its running grants, and its turns of this month. */
export const voiceBlock: OverviewBlockSource = {
  title: '语音套餐',
  may: (user) => user.can('agent:order:list'),
  async load(ctx, tenantId) {
    const own = and(visibleOrders(ctx.user), eq(agentOrders.tenantId, tenantId))
    const latest = await ctx.db.select().from(agentOrders).where(own).orderBy(desc(agentOrders.id)).limit(ROWS)
    return {
      figures: [
        ...(await orderFigures(ctx, tenantId)),
        ...(await grantFigures(ctx, tenantId)),
        ...(await buildUsageFigures(ctx, tenantId)),
      ],
      bars: [],
      rows: latest.map(({ id, orderNo, packageName, copies, amount, createTime, state }) => ({
        id: String(id),
        title: `${packageName} × ${copies}份`,
        detail: `${orderNo} · ${formatCurrency(amount)}`,
        time: createTime,
        state: ORDER_STATE[state as keyof typeof ORDER_STATE],
        tone: TONES[state] ?? 'none',
      })),
      url: `${LIST}?tenantId=${tenantId}`,
    }
  },
}

async function orderFigures({ db, user }: Ctx, tenantId: number): Promise<Figure[]> {
  const countOf = (state: number) => sql<number>`count(*) filter (where ${agentOrders.state} = ${state})::int`
  const [sums] = await db
    .select({ pending: countOf(ORDER_STATE_CODE.pending), paid: countOf(ORDER_STATE_CODE.paid) })
    .from(agentOrders)
    .where(and(visibleOrders(user), eq(agentOrders.tenantId, tenantId)))
  const { pending = 0, paid = 0 } = sums ?? {}
  const url = (state: number) => `${LIST}?tenantId=${tenantId}&state=${state}`
  return [
    { label: '待确认订单', value: pending, ...(pending > 0 && { tone: 'warn' }), url: url(ORDER_STATE_CODE.pending) },
    { label: '已支付订单', value: paid, tone: 'good', url: url(ORDER_STATE_CODE.paid) },
  ]
}

/** Returns the number of running grants. Empty without the permission to see the grants. */
async function grantFigures({ db, user }: Ctx, tenantId: number): Promise<Figure[]> {
  if (!user.can('agent:order:query')) return []
  const isRunning = and(
    visibleGrants(user),
    eq(agentGrants.tenantId, tenantId),
    eq(agentGrants.state, GRANT_STATE_CODE.running),
  )
  const [running] = await db
    .select({ n: sql<number>`count(*)::int` })
    .from(agentGrants)
    .leftJoin(agentOrders, eq(agentOrders.id, agentGrants.orderId))
    .where(isRunning)
  const url = `${LIST}?view=grants&tenantId=${tenantId}&state=${GRANT_STATE_CODE.running}`
  return [{ label: '使用中权益', value: running?.n ?? 0, tone: 'good', url }]
}

/** Returns the number of turns since the first day of the month. Empty without the permission to see the usage. */
async function buildUsageFigures(ctx: Ctx, tenantId: number): Promise<Figure[]> {
  if (!ctx.user.can('agent:agent:query')) return []
  const { to } = findLastDays(ctx, 1)
  const from = `${to.slice(0, 8)}01`
  const [used] = await ctx.db
    .select({ turns: sql<number>`coalesce(sum(${agentUsage.n}), 0)::float8` })
    .from(agentUsage)
    .where(
      and(eq(agentUsage.tenantId, tenantId), eq(agentUsage.unit, USAGE_UNIT.turns), between(agentUsage.day, from, to)),
    )
  const url = `${LIST}?view=usage&tenantId=${tenantId}&startDate=${from}&endDate=${to}`
  return [{ label: '本月对话轮数', value: used?.turns ?? 0, url }]
}
