import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { appAccounts, tenants } from '#schema/tenant.ts'
import { tickets } from '#schema/ticket.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped, worksInPlatform } from '#core/tenancy/tenancy.ts'
import type { User } from '#core/http/context.ts'
import type { BlockSource } from './block.ts'
import { readFleetCounts, canSeeDevices, canSeeTenants } from './fleet-figures.ts'
import { isTicketOpen as openTickets, visibleTickets } from '#domain/tickets/visible-tickets.ts'
import { canSeeTickets } from './ticket-figures.ts'

const today = sql`date_trunc('day', now())`

export const devicesBlock: BlockSource = {
  title: '设备',
  resources: ['device'],
  may: canSeeDevices,
  async load(ctx) {
    const { state } = await readFleetCounts(ctx)
    return {
      value: state.devices,
      delta: state.createdToday,
      detail: `今日激活 ${state.activatedToday} 台${state.disabled > 0 ? `，停用 ${state.disabled} 台` : ''}`,
      parts: [
        { title: '在线', value: state.online, tone: 'good', url: '/device/apkManage?online=1' },
        { title: '离线', value: state.offline, tone: 'calm', url: '/device/apkManage?online=0&activated=1' },
        { title: '未激活', value: state.inactive, tone: 'quiet', url: '/device/apkManage?online=0&activated=0' },
      ],
      url: '/device/apkManage',
    }
  },
}

/** Counts tenants without the platform. */
export const tenantsBlock: BlockSource = {
  title: '客户',
  resources: ['tenant'],
  may: canSeeTenants,
  async load({ db, user }) {
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        today: sql<number>`count(*) filter (where create_time >= ${today})::int`,
        due: sql<number>`count(*) filter (where expire_time between now() and now() + interval '30 days')::int`,
        off: sql<number>`count(*) filter (where status = 0)::int`,
      })
      .from(tenants)
      .where(
        and(notDeleted(tenants), sql`${tenants.id} <> ${PLATFORM_TENANT_ID}`, scoped(user, { tenant: tenants.id })),
      )
    const words = [sums?.due && `30 天内到期 ${sums.due} 个`, sums?.off && `停用 ${sums.off} 个`].filter(Boolean)
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      detail: words.join('，') || '全部正常',
      url: '/tenantManage/tenant',
    }
  },
}

/** Counts App users and the recently active App users. */
export const appAccountsBlock: BlockSource = {
  title: 'App账号',
  resources: ['account'],
  may: (user) => user.can('AccountAdministration:accountList:list'),
  async load({ db, user }) {
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        today: sql<number>`count(*) filter (where register_time >= ${today})::int`,
        active: sql<number>`count(*) filter (where last_active_time >= now() - interval '7 days')::int`,
      })
      .from(appAccounts)
      .where(
        and(notDeleted(appAccounts), scoped(user, { tenant: appAccounts.tenantId, creator: appAccounts.createBy })),
      )
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      detail: `近 7 天活跃 ${sums?.active ?? 0} 个`,
      url: '/AccountAdministration/accountList',
    }
  },
}

/** Counts open tickets: all visible tickets, or the pending tickets for accounts with only the pending list. */
export const ticketsBlock: BlockSource = {
  title: '待处理工单',
  resources: ['feedback'],
  may: canSeeTickets,
  async load({ db, user }) {
    const seen = visibleTickets(user)
    const hasList = user.can('AfterService:Questions:list')
    const hasPending = user.can('AfterService:PendingList:list')
    const own = hasList || !hasPending ? undefined : or(eq(tickets.handlerId, user.uid), isNull(tickets.handlerId))
    const [open] = await db
      .select({
        value: sql<number>`count(*)::int`,
        free: sql<number>`count(*) filter (where ${isNull(tickets.handlerId)})::int`,
        late: sql<number>`count(*) filter (where sla_state = 3)::int`,
      })
      .from(tickets)
      .where(and(seen, openTickets, own))
    const created = await db.$count(tickets, and(seen, sql`${tickets.createTime} >= ${today}`))
    return {
      value: open?.value ?? 0,
      detail: `今日新增 ${created} 个，未分派 ${open?.free ?? 0} 个${open?.late ? `，超时 ${open.late} 个` : ''}`,
      url: hasList
        ? '/AfterService/Questions?open=1'
        : hasPending
          ? '/AfterService/PendingList'
          : '/AfterService/StatisticAnalysis',
    }
  },
}

/**
 * Returns the condition on `license_counts` within the data scope. Tenant 0 is the vendor's stock, which is visible
 * with the platform in the scope.
 */
function countedLicenses({ scope: { tenants } }: User) {
  if (tenants === 'all') return sql`true`
  const stock = tenants.includes(PLATFORM_TENANT_ID) ? [0] : []
  return sql`tenant_id = any(${sql.param([...stock, ...tenants])}::int[])`
}

const STATE = { stock: 0, allotted: 1, bound: 2, activated: 3 } as const

/** Counts available certificates: the vendor's stock, or a tenant's allotted and unused certificates. */
export const licensesBlock: BlockSource = {
  title: '剩余证书',
  resources: ['license'],
  may: (user) => user.can('LicenseManage:Certificate:list'),
  async load({ db, user }) {
    const isVendor = worksInPlatform(user)
    const own = isVendor ? countedLicenses(user) : sql`tenant_id = ${user.tenantId ?? 0}`
    const { rows } = await db.execute<{ state: number; n: number }>(
      sql`select state, sum(n)::int as n from license_counts where ${own} group by state`,
    )
    const held = new Map(rows.map(({ state, n }) => [state, n]))
    const of = (state: number) => held.get(state) ?? 0
    return {
      value: isVendor ? of(STATE.stock) : of(STATE.allotted),
      detail: isVendor
        ? `已分配未使用 ${of(STATE.allotted)} 个，已使用 ${of(STATE.bound) + of(STATE.activated)} 个`
        : `已使用 ${of(STATE.bound) + of(STATE.activated)} 个`,
      url: `/LicenseManage/Certificate?state=${isVendor ? STATE.stock : STATE.allotted}`,
    }
  },
}
