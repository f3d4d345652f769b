import { and, eq, isNull, or, sql } from 'drizzle-orm'
import { appAccounts, tenants } from '#core/schema/tenant.ts'
import { tickets } from '#modules/ticket/schema.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped, worksInPlatform } from '#core/tenancy/tenancy.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { type BlockSource, omitZeros } from './block.ts'
import { readFleetCounts, canSeeDevices, canSeeTenants } from './fleet-figures.ts'
import { expiresWithinDays, TENANT_EXPIRED_CONDITION } from '#core/tenancy/tenant-state.ts'
import { isTicketOpen as openTickets, visibleTickets } from '#modules/ticket/ticket.ts'
import { canSeeTickets } from './ticket-figures.ts'

const today = sql`date_trunc('day', now())`
const todayOf = ({ now, services }: Ctx) => formatLocalDay(now, services.config.timeZone)

export const devicesBlock: BlockSource = {
  title: '设备',
  resources: ['device'],
  may: canSeeDevices,
  async load(ctx) {
    const { state } = await readFleetCounts(ctx)
    return {
      value: state.devices,
      delta: state.createdToday,
      detail: `今日激活 ${state.activatedToday} 台`,
      figures: omitZeros([{ title: '停用', value: state.disabled, url: '/device/apkManage?status=0' }]),
      parts: [
        { title: '在线', value: state.online, tone: 'good', url: '/device/apkManage?online=1' },
        { title: '离线', value: state.offline, tone: 'calm', url: '/device/apkManage?online=0&activated=1' },
        { title: '未激活', value: state.inactive, tone: 'quiet', url: '/device/apkManage?online=0&activated=0' },
      ],
      url: '/device/apkManage',
    }
  },
}

const TENANTS = '/tenantManage/tenant'

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
        due: sql<number>`count(*) filter (where ${expiresWithinDays(30)})::int`,
        // The list shows an expired tenant as expired, also when it is disabled.
        off: sql<number>`count(*) filter (where status = 0 and not ${TENANT_EXPIRED_CONDITION})::int`,
        expired: sql<number>`count(*) filter (where ${TENANT_EXPIRED_CONDITION})::int`,
      })
      .from(tenants)
      .where(
        and(notDeleted(tenants), sql`${tenants.id} <> ${PLATFORM_TENANT_ID}`, scoped(user, { tenant: tenants.id })),
      )
    const { due = 0, off = 0, expired = 0 } = sums ?? {}
    const figures = omitZeros([
      { title: '30 天内到期', value: due, url: `${TENANTS}?expiresWithin=30` },
      { title: '停用', value: off, url: `${TENANTS}?status=0` },
      { title: '已过期', value: expired, url: `${TENANTS}?status=3` },
    ])
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      ...(figures.length > 0 ? { figures } : { detail: '全部正常' }),
      url: TENANTS,
    }
  },
}

const APP_USERS = '/AccountAdministration/accountList'
/** An App user is active when the last activity was within this number of days, including today. */
const ACTIVE_DAYS = 7

/** Counts App users and the recently active App users. */
export const appAccountsBlock: BlockSource = {
  title: 'App账号',
  resources: ['account'],
  may: (user) => user.can('AccountAdministration:accountList:list'),
  async load(ctx) {
    const { db, user } = ctx
    const to = todayOf(ctx)
    const from = addDays(to, 1 - ACTIVE_DAYS)
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        today: sql<number>`count(*) filter (where register_time >= ${today})::int`,
        active: sql<number>`count(*) filter (where last_active_time >= ${from})::int`,
      })
      .from(appAccounts)
      .where(
        and(notDeleted(appAccounts), scoped(user, { tenant: appAccounts.tenantId, creator: appAccounts.createBy })),
      )
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      figures: [
        {
          title: `近 ${ACTIVE_DAYS} 天活跃`,
          value: sums?.active ?? 0,
          url: `${APP_USERS}?activeBegin=${from}&activeEnd=${to}`,
        },
      ],
      url: APP_USERS,
    }
  },
}

const TICKETS = '/AfterService/Questions'

/** Counts open tickets: all visible tickets, or the pending tickets for accounts with only the pending list. */
export const ticketsBlock: BlockSource = {
  title: '待处理工单',
  resources: ['feedback'],
  may: canSeeTickets,
  async load(ctx) {
    const { db, user } = ctx
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
    const { value = 0, free = 0, late = 0 } = open ?? {}
    const day = todayOf(ctx)
    return {
      value,
      // Accounts without the ticket list get no links, because no other page lists exactly these tickets.
      ...(hasList
        ? {
            figures: [
              { title: '今日新增', value: created, url: `${TICKETS}?beginTime=${day}&endTime=${day}` },
              { title: '未分派', value: free, url: `${TICKETS}?open=1&unassigned=1` },
              ...omitZeros([{ title: '超时', value: late, url: `${TICKETS}?open=1&slaState=3` }]),
            ],
          }
        : { detail: `今日新增 ${created} 个，未分派 ${free} 个${late > 0 ? `，超时 ${late} 个` : ''}` }),
      url: hasList ? `${TICKETS}?open=1` : hasPending ? '/AfterService/PendingList' : '/AfterService/StatisticAnalysis',
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

const urlOf = (state: number) => `/LicenseManage/Certificate?state=${state}`
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
      figures: [
        ...(isVendor ? [{ title: '已分配', value: of(STATE.allotted), url: urlOf(STATE.allotted) }] : []),
        { title: '已绑定', value: of(STATE.bound), url: urlOf(STATE.bound) },
        { title: '已激活', value: of(STATE.activated), url: urlOf(STATE.activated) },
      ],
      url: urlOf(isVendor ? STATE.stock : STATE.allotted),
    }
  },
}
