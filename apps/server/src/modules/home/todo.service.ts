import { findMissingYear } from '@oms/contract/ticket/holidays.ts'
import { and, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { within } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped, worksInPlatform } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { visibleAds } from '#domain/ads/visible-ads.ts'
import { visibleBindings } from '#domain/agents/devices/device-state.ts'
import { isAwaitingConfirmation, isAwaitingRefundAudit } from '#domain/agents/orders/visible-orders.ts'
import { buildLockedFilter } from '#domain/accounts/lock-filter.ts'
import { buildRolelessFilter } from '#domain/accounts/roleless.ts'
import { isAwaitingAudit, hasOpenAlarm, visibleVersions } from '#domain/fleet/visible-versions.ts'
import { readSlaSettings } from '#domain/tickets/sla.ts'
import { isTicketOpen as openTickets, visibleTickets } from '#domain/tickets/visible-tickets.ts'
import { accounts } from '#schema/account.ts'
import { ads } from '#schema/advertise.ts'
import { agentDevices } from '#schema/agent/agent-device.ts'
import { agentOrders } from '#schema/agent/agent-orders.ts'
import { licenseGrants } from '#schema/license.ts'
import { otaVersions } from '#schema/ota.ts'
import { ossEntitlements } from '#schema/storage.ts'
import { notices } from '#schema/system.ts'
import { tenants, userApplications } from '#schema/tenant.ts'
import { tickets } from '#schema/ticket.ts'
import { listFirstSteps } from './first-steps.ts'

interface Task {
  readonly key: string
  readonly title: string
  /** URL of the list with exactly the counted rows. */
  readonly url: string | ((ctx: Ctx) => string)
  /** Permission to do the work, which is more than the permission to see the list. */
  readonly needs?: string
  count(ctx: Ctx): Promise<number>
}

const PENDING = 0
const DAY_MS = 86_400_000
/** Returns the local date that is some days ahead. */
const dayIn = ({ now, services }: Ctx, days: number) =>
  formatLocalDay(now.getTime() + days * DAY_MS, services.config.timeZone)

/** Permissions for releases of firmware and of general software. */
const ARTIFACT_KINDS = {
  1: { noun: '固件', url: '/upgrade/ota', prefix: 'upgrade:ota' },
  2: { noun: '软件包', url: '/upgrade/GeneralSoftware', prefix: 'upgrade:GeneralSoftware' },
} as const
const countVersions = ({ db }: Ctx, condition: SQL | undefined) => db.$count(otaVersions, condition)

const releaseAudits = (key: string, kind: keyof typeof ARTIFACT_KINDS): Task => ({
  key,
  title: `待审批的${ARTIFACT_KINDS[kind].noun}发布`,
  url: `${ARTIFACT_KINDS[kind].url}?todo=1`,
  needs: `${ARTIFACT_KINDS[kind].prefix}:audit`,
  count: (ctx) => countVersions(ctx, and(visibleVersions(ctx.user, kind), isAwaitingAudit(ctx.user))),
})
const upgradeAlarms = (key: string, kind: keyof typeof ARTIFACT_KINDS): Task => ({
  key,
  title: `有未处理告警的${ARTIFACT_KINDS[kind].noun}`,
  url: `${ARTIFACT_KINDS[kind].url}?todo=2`,
  needs: `${ARTIFACT_KINDS[kind].prefix}:publish`,
  count: (ctx) => countVersions(ctx, and(visibleVersions(ctx.user, kind), hasOpenAlarm(ctx.user))),
})

/** Work on orders of voice packages. Only the vendor confirms payments and decides refunds. */
const orderTask = (key: string, title: string, permission: string, todo: 1 | 2): Task => ({
  key,
  title,
  url: `/agent/order?todo=${todo}`,
  needs: `agent:order:${permission}`,
  async count({ db, user }) {
    if (!user.isPlatform) return 0
    return db.$count(agentOrders, todo === 1 ? isAwaitingConfirmation(user) : isAwaitingRefundAudit(user))
  },
})

const TASKS: readonly Task[] = [
  {
    key: 'ownTickets',
    title: '我处理的工单',
    url: ({ user }) => `/AfterService/PendingList?handlerId=${user.uid}`,
    needs: 'AfterService:PendingList:list',
    count: ({ db, user }) =>
      db.$count(tickets, and(visibleTickets(user), openTickets, eq(tickets.handlerId, user.uid))),
  },
  {
    key: 'freeTickets',
    title: '未分派的工单',
    url: '/AfterService/PendingList?unassigned=1',
    needs: 'AfterService:PendingList:list',
    count: ({ db, user }) => db.$count(tickets, and(visibleTickets(user), openTickets, isNull(tickets.handlerId))),
  },
  {
    key: 'applications',
    title: '待审批的加入申请',
    url: '/tenantManage/userapplication?status=0',
    needs: 'tenantManage:userapplication:audit',
    count: ({ db, user }) =>
      db.$count(
        userApplications,
        and(eq(userApplications.status, PENDING), scoped(user, { tenant: userApplications.tenantId })),
      ),
  },
  releaseAudits('releaseAudits', 1),
  releaseAudits('softwareAudits', 2),
  upgradeAlarms('upgradeAlarms', 1),
  upgradeAlarms('softwareAlarms', 2),
  {
    key: 'grantAudits',
    title: '待审批的授权申请',
    url: '/LicenseManage/ConsentManage?status=0',
    needs: 'LicenseManage:ConsentManage:audit',
    count: ({ db, user }) =>
      db.$count(
        licenseGrants,
        and(eq(licenseGrants.status, PENDING), scoped(user, { tenant: licenseGrants.tenantId })),
      ),
  },
  {
    key: 'licensesLow',
    title: '库存不足的授权厂商',
    url: '/LicenseManage/StatisticalAnalysis?lowVendors=1',
    needs: 'LicenseManage:Certificate:import',
    async count({ db, user }) {
      const { tenants: seen } = user.scope
      if (!worksInPlatform(user) || (seen !== 'all' && !seen.includes(PLATFORM_TENANT_ID))) return 0
      const { rows } = await db.execute<{ n: number }>(sql`
        select count(*)::int as n from license_thresholds t where threshold > 0 and threshold >
          coalesce((select sum(c.n) from license_counts c where c.vendor = t.vendor and c.state = 0), 0)`)
      return rows[0]?.n ?? 0
    },
  },
  {
    key: 'storageDue',
    title: '7 天内到期的云存储',
    url: (ctx) => `/ossManage/deviceList?queueEndBegin=${dayIn(ctx, 0)}&queueEndEnd=${dayIn(ctx, 7)}`,
    needs: 'ossManage:deviceList:renew',
    count: (ctx) =>
      ctx.db.$count(
        ossEntitlements,
        and(
          scoped(ctx.user, { tenant: ossEntitlements.tenantId, creator: ossEntitlements.createBy }),
          inArray(ossEntitlements.state, [0, 1]),
          ...within(ossEntitlements.endTime, dayIn(ctx, 0), dayIn(ctx, 7)),
          sql`exists (select from oss_queues q where q.device_id = ${ossEntitlements.deviceId}
            and q.channel = ${ossEntitlements.channel} and q.next_time is not null
            and q.end_time = ${ossEntitlements.endTime})`,
        ),
      ),
  },
  {
    key: 'adAudits',
    title: '待审核广告',
    url: '/advertiseManage/adList?auditStatus=1',
    needs: 'advertiseManage:adList:audit',
    count: ({ db, user }) => db.$count(ads, and(visibleAds(user), eq(ads.auditStatus, 1))),
  },
  {
    key: 'agentIdentities',
    title: '身份不一致的语音设备',
    url: '/agent/device?identity=1',
    needs: 'agent:device:reset',
    count: ({ db, user }) =>
      db.$count(
        agentDevices,
        and(
          visibleBindings(user),
          sql`${agentDevices.otherClientId} <> ''`,
          sql`exists (select from devices d where d.id = ${agentDevices.deviceId} and d.deleted_at is null)`,
        ),
      ),
  },
  orderTask('orderConfirms', '待确认的语音订单', 'confirm', 1),
  orderTask('orderRefunds', '待审批的语音订单退款', 'refundAudit', 2),
  {
    key: 'tenantsDue',
    title: '30 天内到期的客户',
    url: '/tenantManage/tenant?expiresWithin=30',
    needs: 'tenantManage:tenant:renew',
    count: ({ db, user }) =>
      db.$count(
        tenants,
        and(
          notDeleted(tenants),
          eq(tenants.status, 1),
          ne(tenants.id, PLATFORM_TENANT_ID),
          sql`${tenants.expireTime} between now() and now() + interval '30 days'`,
          scoped(user, { tenant: tenants.id }),
        ),
      ),
  },
  {
    key: 'calendar',
    title: '补充服务日历的节假日',
    url: '/AfterService/Questions#sla',
    needs: 'AfterService:Questions:sla',
    async count({ db, user, now, services }) {
      if (!worksInPlatform(user)) return 0
      const { enabled, calendar } = await readSlaSettings(db)
      const today = formatLocalDay(now, services.config.timeZone)
      return enabled && findMissingYear(calendar, today) !== undefined ? 1 : 0
    },
  },
  {
    key: 'firmwareDrafts',
    title: '待启用的固件版本',
    url: '/upgrade/ota?status=0',
    needs: 'upgrade:ota:enable',
    count: (ctx) => countVersions(ctx, and(visibleVersions(ctx.user, 1), eq(otaVersions.status, 0))),
  },
  {
    key: 'noticeDrafts',
    title: '待发布的通知公告',
    url: '/system/noticeManage?status=0',
    needs: 'system:noticeManage:publish',
    count: ({ db, user }) =>
      db.$count(
        notices,
        and(
          notDeleted(notices),
          eq(notices.status, 0),
          scoped(user, { tenant: notices.tenantId, creator: notices.createBy }),
        ),
      ),
  },
  {
    key: 'lockedAccounts',
    title: '被锁定的账号',
    url: '/system/userList?locked=1',
    needs: 'system:userList:unlock',
    count: ({ db, user }) =>
      db.$count(
        accounts,
        and(
          notDeleted(accounts),
          scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
          buildLockedFilter(1),
        ),
      ),
  },
  {
    key: 'rolelessStaff',
    title: '未分配角色的用户',
    url: '/system/manager?status=1&roleless=1',
    needs: 'system:manager:assignRole',
    async count({ db, user }) {
      if (user.tenantId === null) return 0
      const own = and(eq(accounts.tenantId, user.tenantId), eq(accounts.status, 1), notDeleted(accounts))
      return db.$count(
        accounts,
        and(own, scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }), buildRolelessFilter(1)),
      )
    },
  },
  {
    key: 'ownMfa',
    title: '为管理员账号启用两步验证',
    url: '/account/mfa',
    async count({ db, user }) {
      if (!user.isSuper) return 0
      return db.$count(accounts, and(eq(accounts.uid, user.uid), eq(accounts.mfaEnabled, false)))
    },
  },
]

/** Lists the account's pending work. Omits kinds of work with a count of 0. */
export async function listTodos(ctx: Ctx) {
  const list = []
  for (const { key, title, url, needs, count } of TASKS) {
    if (needs && !ctx.user.can(needs)) continue
    const waiting = await count(ctx)
    if (waiting > 0) list.push({ key, title, url: typeof url === 'string' ? url : url(ctx), count: waiting })
  }
  return { list, steps: await listFirstSteps(ctx) }
}
