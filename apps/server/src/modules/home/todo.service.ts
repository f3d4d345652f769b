import { missingYear } from '@oms/contract/holidays.ts'
import { type AnyColumn, and, eq, isNull, ne, sql } from 'drizzle-orm'
import { accounts } from '#db/schema/account.ts'
import { licenseGrants } from '#db/schema/license.ts'
import { otaVersions } from '#db/schema/ota.ts'
import { notices } from '#db/schema/system.ts'
import { tenants, userApplications } from '#db/schema/tenant.ts'
import { tickets } from '#db/schema/ticket.ts'
import { otaAlarms, otaPolicies } from '#db/schema/upgrade.ts'
import { lockedIs } from '#kernel/accounts/lock-filter.ts'
import type { Ctx } from '#kernel/context.ts'
import { alive, PLATFORM_TENANT_ID, scoped } from '#kernel/tenancy.ts'
import { slaSettings } from '#kernel/tickets/sla.ts'
import { isOpen as openTickets, visibleTickets } from '#kernel/tickets/visible-tickets.ts'
import { wallOf } from '#kernel/tickets/zone.ts'

interface Task {
  readonly key: string
  readonly title: string
  readonly url: string
  /** The permission to do it, not merely to see it. */
  readonly needs?: string
  count(ctx: Ctx): Promise<number>
}

const PENDING = 0
const WAITS_FOR_AUDIT = 1

/** Firmware and general software are released by people with rights of their own. */
const FAMILY = {
  1: { noun: '固件', url: '/upgrade/ota', prefix: 'upgrade:ota' },
  2: { noun: '软件包', url: '/upgrade/GeneralSoftware', prefix: 'upgrade:GeneralSoftware' },
} as const
const ofKind = (id: AnyColumn, kind: keyof typeof FAMILY) =>
  sql`exists (select from ota_versions v where v.ota_id = ${id} and v.kind = ${kind})`

const releaseAudits = (key: string, kind: keyof typeof FAMILY): Task => ({
  key,
  title: `待审批的${FAMILY[kind].noun}发布`,
  url: FAMILY[kind].url,
  needs: `${FAMILY[kind].prefix}:audit`,
  count: ({ db, user }) =>
    db.$count(
      otaPolicies,
      and(
        eq(otaPolicies.state, WAITS_FOR_AUDIT),
        ne(otaPolicies.submitBy, user.uid),
        ofKind(otaPolicies.otaId, kind),
        scoped(user, { tenant: otaPolicies.tenantId }),
      ),
    ),
})
const upgradeAlarms = (key: string, kind: keyof typeof FAMILY): Task => ({
  key,
  title: `未处理的${FAMILY[kind].noun}告警`,
  url: FAMILY[kind].url,
  needs: `${FAMILY[kind].prefix}:publish`,
  count: ({ db, user }) =>
    db.$count(
      otaAlarms,
      and(isNull(otaAlarms.closeTime), ofKind(otaAlarms.otaId, kind), scoped(user, { tenant: otaAlarms.tenantId })),
    ),
})

const TASKS: readonly Task[] = [
  {
    key: 'ownTickets',
    title: '我处理的工单',
    url: '/AfterService/PendingList',
    needs: 'AfterService:PendingList:list',
    count: ({ db, user }) =>
      db.$count(tickets, and(visibleTickets(user), openTickets, eq(tickets.handlerId, user.uid))),
  },
  {
    key: 'freeTickets',
    title: '未分派的工单',
    url: '/AfterService/PendingList',
    needs: 'AfterService:PendingList:list',
    count: ({ db, user }) => db.$count(tickets, and(visibleTickets(user), openTickets, isNull(tickets.handlerId))),
  },
  {
    key: 'applications',
    title: '待审核的加入申请',
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
    url: '/LicenseManage/StatisticalAnalysis',
    needs: 'LicenseManage:Certificate:import',
    async count({ db, user }) {
      if (!user.isPlatform) return 0
      const { rows } = await db.execute<{ n: number }>(sql`
        select count(*)::int as n from license_thresholds t where threshold > 0 and threshold >
          coalesce((select sum(c.n) from license_counts c where c.vendor = t.vendor and c.state = 0), 0)`)
      return rows[0]?.n ?? 0
    },
  },
  {
    key: 'tenantsDue',
    title: '30 天内到期的客户',
    url: '/tenantManage/tenant?expiresWithin=30',
    needs: 'tenantManage:tenant:renew',
    count: ({ db, user }) =>
      db.$count(
        tenants,
        and(
          alive(tenants),
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
    async count({ db, user, now, kernel }) {
      if (!user.isPlatform) return 0
      const { enabled, calendar } = await slaSettings(db)
      const today = wallOf(now, kernel.config.timeZone).slice(0, 10)
      return enabled && missingYear(calendar, today) !== undefined ? 1 : 0
    },
  },
  {
    key: 'firmwareDrafts',
    title: '待启用的固件版本',
    url: '/upgrade/ota?status=0',
    needs: 'upgrade:ota:enable',
    count: ({ db, user }) =>
      db.$count(
        otaVersions,
        and(
          alive(otaVersions),
          eq(otaVersions.kind, 1),
          eq(otaVersions.status, 0),
          scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }),
        ),
      ),
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
          alive(notices),
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
      db.$count(accounts, and(alive(accounts), scoped(user, { tenant: accounts.tenantId }), lockedIs(1))),
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

/** What waits for this account; tasks without anything to do are left out. */
export async function todo(ctx: Ctx) {
  const list = []
  for (const { key, title, url, needs, count } of TASKS) {
    if (needs && !ctx.user.can(needs)) continue
    const waiting = await count(ctx)
    if (waiting > 0) list.push({ key, title, url, count: waiting })
  }
  return { list }
}
