import { ORDER_STATE_CODE, ORDER_STATE } from '@oms/contract/agent/orders/order-entities.ts'
import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { FEEDBACK_STATUS, FEEDBACK_TONE } from '@oms/contract/ticket/ticket-rows.ts'
import { and, desc, eq, gte, or, type SQL, sql, between } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { within } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { visibleGrants, visibleOrders } from '#modules/agent/orders/order-steps.ts'
import { agentGrants, agentOrders } from '#modules/agent/schema/agent-orders.ts'
import { agentUsage } from '#modules/agent/schema/agent-usage.ts'
import { licenseCounts, licenses } from '#modules/license/schema.ts'
import { tickets } from '#modules/ticket/schema.ts'
import { isTicketOpen } from '#modules/ticket/ticket.ts'
import type { OverviewBlockSource, BlockData } from './overview.ts'

/** Returns the first and the last day of a period that ends today, in the format of the date filters. */
export function findLastDays({ now, services }: Pick<Ctx, 'now' | 'services'>, days: number) {
  const to = formatLocalDay(now, services.config.timeZone)
  return { from: addDays(to, 1 - days), to }
}

const ROWS = 6
const BREACHED = 3
const [ALLOTTED, ACTIVATED] = [1, 3]

/** Counts the certificates of the tenant, and among them the activated and the allotted certificates. */
export const licensesBlock: OverviewBlockSource = {
  title: '授权',
  may: (user) => user.can('LicenseManage:Certificate:list'),
  async load(ctx, tenantId) {
    const { db } = ctx
    const { to: today } = findLastDays(ctx, 1)
    const last = addDays(today, 30)
    const own = eq(licenseCounts.tenantId, tenantId)
    const [sums] = await db
      .select({
        total: sql<number>`coalesce(sum(n), 0)::int`,
        active: sql<number>`coalesce(sum(n) filter (where state = ${ACTIVATED}), 0)::int`,
        free: sql<number>`coalesce(sum(n) filter (where state = ${ALLOTTED}), 0)::int`,
      })
      .from(licenseCounts)
      .where(own)
    const ending = await db.$count(
      licenses,
      and(eq(licenses.tenantId, tenantId), eq(licenses.state, ACTIVATED), ...within(licenses.expireTime, today, last)),
    )
    const url = `/LicenseManage/Certificate?tenantId=${tenantId}`
    return {
      figures: [
        { label: '证书总数', value: sums?.total ?? 0, url },
        { label: '已激活', value: sums?.active ?? 0, tone: 'good', url: `${url}&state=${ACTIVATED}` },
        { label: '未使用', value: sums?.free ?? 0, url: `${url}&state=${ALLOTTED}` },
        {
          label: '30 天内到期',
          value: ending,
          ...(ending > 0 ? { tone: 'warn' as const } : {}),
          url: `${url}&state=${ACTIVATED}&expireBegin=${today}&expireEnd=${last}`,
        },
      ],
      bars: [],
      rows: [],
      url,
    }
  },
}

/**
 * Counts open, recent and closed tickets separately by index. One query over all tickets would become slower over
 * time.
 */
async function countTickets(db: Db, own: SQL, since: string) {
  const [open] = await db
    .select({
      all: sql<number>`count(*)::int`,
      late: sql<number>`count(*) filter (where ${tickets.slaState} = ${BREACHED})::int`,
    })
    .from(tickets)
    .where(and(own, isTicketOpen))
  const [recent] = await db
    .select({
      fresh: sql<number>`count(*) filter (where ${tickets.createTime} >= ${since})::int`,
      closed: sql<number>`count(*) filter (where ${tickets.closeTime} >= ${since})::int`,
    })
    .from(tickets)
    .where(and(own, or(gte(tickets.createTime, since), gte(tickets.closeTime, since))))
  return { open, recent }
}

export const ticketsBlock: OverviewBlockSource = {
  title: '售后工单',
  may: (user) => user.can('AfterService:Questions:list'),
  async load(ctx, tenantId) {
    const { db } = ctx
    const own = eq(tickets.tenantId, tenantId)
    const { from, to } = findLastDays(ctx, 30)
    const { open, recent } = await countTickets(db, own, from)
    const late = open?.late ?? 0
    const latest = await db.select().from(tickets).where(own).orderBy(desc(tickets.id)).limit(ROWS)
    const url = `/AfterService/Questions?tenantId=${tenantId}`
    return {
      figures: [
        { label: '未关闭', value: open?.all ?? 0, url: `${url}&open=1` },
        {
          label: '已超时',
          value: late,
          ...(late ? { tone: 'bad' as const } : {}),
          url: `${url}&open=1&slaState=${BREACHED}`,
        },
        { label: '近 30 天新增', value: recent?.fresh ?? 0, url: `${url}&beginTime=${from}&endTime=${to}` },
        { label: '近 30 天关闭', value: recent?.closed ?? 0, url: `${url}&closeBegin=${from}&closeEnd=${to}` },
      ],
      bars: [],
      rows: latest.map(({ id, feedbackNo, content, sn, createTime, status }) => ({
        id: String(id),
        title: content.length > 40 ? `${content.slice(0, 40)}…` : content,
        detail: [feedbackNo, sn].filter(Boolean).join(' · '),
        time: createTime,
        state: FEEDBACK_STATUS[status as keyof typeof FEEDBACK_STATUS] ?? '',
        tone: FEEDBACK_TONE[status as keyof typeof FEEDBACK_TONE] ?? 'none',
        url: `/AfterService/Questions/Pendding?info=${encodeURIComponent(JSON.stringify({ id }))}`,
      })),
      url,
    }
  },
}

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
        url: `${LIST}?orderNo=${orderNo}`,
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
