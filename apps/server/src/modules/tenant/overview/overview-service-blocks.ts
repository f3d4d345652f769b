import { and, desc, eq, gte, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { licenseCounts, licenses } from '#modules/license/schema.ts'
import { tickets } from '#modules/ticket/schema.ts'
import { isTicketOpen } from '#modules/ticket/ticket.ts'
import { within } from '#core/database/lists/list-query.ts'
import { addDays } from '#core/time/zone.ts'
import { findLastDays } from './last-days.ts'
import type { OverviewBlockSource } from './tenant-overview.ts'

const ROWS = 6
const CLOSED = 5
const BREACHED = 3
const [ALLOTTED, ACTIVATED] = [1, 3]
const STATES = ['待处理', '分析中', '修改中', '验证中', '挂起', '关闭'] as const

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
          label: '30天内到期',
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
        { label: '近30天新增', value: recent?.fresh ?? 0, url: `${url}&beginTime=${from}&endTime=${to}` },
        { label: '近30天关闭', value: recent?.closed ?? 0, url: `${url}&closeBegin=${from}&closeEnd=${to}` },
      ],
      bars: [],
      rows: latest.map(({ id, feedbackNo, content, sn, createTime, status }) => ({
        id: String(id),
        title: content.length > 40 ? `${content.slice(0, 40)}…` : content,
        detail: [feedbackNo, sn].filter(Boolean).join(' · '),
        time: createTime,
        state: STATES[status] ?? '',
        tone: status === CLOSED ? 'none' : status === 0 ? 'warn' : 'good',
      })),
      url,
    }
  },
}
