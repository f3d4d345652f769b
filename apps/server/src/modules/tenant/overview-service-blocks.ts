import { desc, eq, sql } from 'drizzle-orm'
import { licenses } from '#db/schema/license.ts'
import { tickets } from '#db/schema/ticket.ts'
import type { Block } from './tenant-overview.service.ts'

const ROWS = 6
const CLOSED = 5
const BREACHED = 3
const STATES = ['待处理', '分析中', '修改中', '验证中', '挂起', '关闭'] as const

/** Certificates the customer was given, and how many of them are in use. */
export const licensesBlock: Block = {
  title: '授权',
  may: (user) => user.can('LicenseManage:Certificate:list'),
  async load({ db }, tenantId) {
    const [sums] = await db
      .select({
        total: sql<number>`count(*)::int`,
        active: sql<number>`count(*) filter (where ${licenses.state} = 3)::int`,
        free: sql<number>`count(*) filter (where ${licenses.state} = 1)::int`,
        ending: sql<number>`count(*) filter (where ${licenses.state} = 3
          and ${licenses.expireTime} between now() and now() + interval '30 days')::int`,
      })
      .from(licenses)
      .where(eq(licenses.tenantId, tenantId))
    return {
      figures: [
        { label: '证书总数', value: sums?.total ?? 0 },
        { label: '已激活', value: sums?.active ?? 0, tone: 'good' },
        { label: '未使用', value: sums?.free ?? 0 },
        { label: '30天内到期', value: sums?.ending ?? 0, ...(sums?.ending ? { tone: 'warn' as const } : {}) },
      ],
      bars: [],
      rows: [],
      url: `/LicenseManage/Certificate?tenantId=${tenantId}`,
    }
  },
}

export const ticketsBlock: Block = {
  title: '售后工单',
  may: (user) => user.can('AfterService:Questions:list'),
  async load({ db }, tenantId) {
    const own = eq(tickets.tenantId, tenantId)
    const [sums] = await db
      .select({
        open: sql<number>`count(*) filter (where ${tickets.status} <> ${CLOSED})::int`,
        late: sql<number>`count(*) filter (where ${tickets.status} <> ${CLOSED} and ${tickets.slaState} = ${BREACHED})::int`,
        fresh: sql<number>`count(*) filter (where ${tickets.createTime} >= now() - interval '30 days')::int`,
        closed: sql<number>`count(*) filter (where ${tickets.closeTime} >= now() - interval '30 days')::int`,
      })
      .from(tickets)
      .where(own)
    const latest = await db.select().from(tickets).where(own).orderBy(desc(tickets.id)).limit(ROWS)
    return {
      figures: [
        { label: '未关闭', value: sums?.open ?? 0 },
        { label: '已超时', value: sums?.late ?? 0, ...(sums?.late ? { tone: 'bad' as const } : {}) },
        { label: '近30天新增', value: sums?.fresh ?? 0 },
        { label: '近30天关闭', value: sums?.closed ?? 0 },
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
      url: '/AfterService/Questions',
    }
  },
}
