import { accounts as accountCalls } from '@oms/contract/account/account-list.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { ads as adCalls } from '@oms/contract/advertise/ad.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { agentDevices as agentDeviceCalls } from '@oms/contract/agent/devices/device.ts'
import { agentOrders as orderCalls } from '@oms/contract/agent/orders/order.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { licenseGrants as grantCalls } from '@oms/contract/license/license-grant.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { NOTICE_DRAFT, notices as noticeCalls } from '@oms/contract/system/notice.ts'
import { tenant as tenantCalls } from '@oms/contract/tenant/tenant.ts'
import { userApply } from '@oms/contract/tenant/user-apply.ts'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { ota } from '@oms/contract/upgrade/ota.ts'
import { softwareRelease } from '@oms/contract/upgrade/software-release.ts'
import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { type HomeTodo, TODO_LEVEL } from '@oms/contract/home/home.ts'
import { and, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { within } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { notices } from '#core/schema/system.ts'
import { tenants, userApplications } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped, worksInPlatform, mayCall } from '#core/tenancy/tenancy.ts'
import { expiresWithinDays } from '#core/tenancy/tenant-state.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { findChangeRefusals, buildLockedFilter, buildRolelessFilter } from '#modules/account/index.ts'
import {
  adPrograms,
  ads,
  buildAwaitingAdAuditCondition,
  buildAwaitingProgramAuditCondition,
} from '#modules/advertise/index.ts'
import {
  visibleBindings,
  isAwaitingConfirmation,
  isAwaitingRefundAudit,
  agentDevices,
  agentOrders,
} from '#modules/agent/index.ts'
import { licenseGrants } from '#modules/license/index.ts'
import { buildAwaitingGrantFileCondition, ossGrantFiles, ossEntitlements } from '#modules/storage/index.ts'
import { buildPublishableNoticeCondition } from '#modules/system/index.ts'
import {
  findMissingYear,
  tickets,
  readSlaSettings,
  isTicketOpen as openTickets,
  visibleTickets,
} from '#modules/ticket/index.ts'
import { listFirstSteps } from './first-steps.ts'
import {
  hasOpenAlarm,
  isAwaitingAudit,
  buildReleaseInScopeCondition,
  visibleVersions,
  otaVersions,
} from '#modules/upgrade/index.ts'

/** Ads and programs that wait for a decision of the account. */
const AD_TODOS: readonly Todo[] = [
  {
    key: 'adAudits',
    title: '待审核广告',
    url: '/advertiseManage/adList?todo=1',
    calls: [adCalls.audit],
    find: ({ db, user }) => findWaiting(db, ads, buildAwaitingAdAuditCondition(user), ads.updateTime),
  },
  {
    key: 'programAudits',
    title: '待审批的节目单',
    url: '/advertiseManage/ProgramList?todo=1',
    calls: [programPublish.audit],
    find: ({ db, user }) =>
      findWaiting(db, adPrograms, buildAwaitingProgramAuditCondition(user), adPrograms.updateTime),
  },
]

interface Todo {
  readonly key: string
  readonly title: string
  /** URL of the list that contains the counted rows. */
  readonly url: string | ((ctx: Ctx) => string)
  /** Calls that do the work. The account must be allowed to use one of the calls. Empty: no call is needed. */
  readonly calls: readonly Endpoint[]
  /** Default: today. */
  readonly level?: keyof typeof TODO_LEVEL
  /** Finds the rows for which the server would accept the call of this account now. A number is their count. */
  find(ctx: Ctx): Promise<number | Found>
}

/** Rows that wait, and details of the rows. */
interface Found {
  readonly count: number
  readonly waitMinutes?: number | null
  /** Number of rows over their time limit. */
  readonly late?: number
  readonly act?: { kind: 'claim' | 'unlock'; id: number }
}

/** Counts the rows of a table and returns how long the oldest row has waited since a time. */
async function findWaiting(db: Db, table: PgTable, condition: SQL | undefined, since: PgColumn | SQL): Promise<Found> {
  const [row] = await db
    .select({
      count: sql<number>`count(*)::int`,
      waitMinutes: sql<number | null>`greatest(0, floor(extract(epoch from now() - min(${since})) / 60))::int`,
    })
    .from(table)
    .where(condition)
  return row!
}

/** Counts open tickets of a condition, with the tickets over their time limit and the oldest ticket. */
async function findTickets({ db, user }: Ctx, condition: SQL) {
  const [row] = await db
    .select({
      count: sql<number>`count(*)::int`,
      late: sql<number>`count(*) filter (where ${tickets.slaState} = 3)::int`,
      waitMinutes: sql<
        number | null
      >`greatest(0, floor(extract(epoch from now() - min(${tickets.createTime})) / 60))::int`,
      oldest: sql<number | null>`(array_agg(${tickets.id} order by ${tickets.createTime}, ${tickets.id}))[1]`,
    })
    .from(tickets)
    .where(and(visibleTickets(user), openTickets, condition))
  return row!
}

const PENDING = 0
const DAY_MS = 86_400_000
/** Returns the local date that is some days ahead. */
const dayIn = ({ now, services }: Ctx, days: number) =>
  formatLocalDay(now.getTime() + days * DAY_MS, services.config.timeZone)

/** Releases of firmware and of general software. */
const ARTIFACT_KINDS = {
  1: { noun: '固件', url: '/upgrade/ota', release: otaRelease },
  2: { noun: '软件包', url: '/upgrade/GeneralSoftware', release: softwareRelease },
} as const

const releaseAudits = (key: string, kind: keyof typeof ARTIFACT_KINDS): Todo => ({
  key,
  title: `待审批的${ARTIFACT_KINDS[kind].noun}发布`,
  url: `${ARTIFACT_KINDS[kind].url}?todo=1`,
  calls: [ARTIFACT_KINDS[kind].release.audit],
  find: ({ db, user }) =>
    findWaiting(
      db,
      otaVersions,
      and(visibleVersions(user, kind), isAwaitingAudit(user)),
      sql`(select p.submit_time from ota_policies p where p.ota_id = ${otaVersions.otaId})`,
    ),
})
const upgradeAlarms = (key: string, kind: keyof typeof ARTIFACT_KINDS): Todo => ({
  key,
  title: `有未处理告警的${ARTIFACT_KINDS[kind].noun}`,
  url: `${ARTIFACT_KINDS[kind].url}?todo=2`,
  calls: [ARTIFACT_KINDS[kind].release.closeAlarm],
  level: 'now',
  find: ({ db, user }) =>
    findWaiting(
      db,
      otaVersions,
      and(visibleVersions(user, kind), hasOpenAlarm(user)),
      sql`(select min(a.create_time) from ota_alarms a where a.ota_id = ${otaVersions.otaId} and a.close_time is null)`,
    ),
})

/** Work on orders of voice packages. Only the vendor confirms payments and decides refunds. */
const orderTodo = (key: string, title: string, call: Endpoint, todo: 1 | 2): Todo => ({
  key,
  title,
  url: `/agent/order?todo=${todo}`,
  calls: [call],
  async find({ db, user }) {
    if (!user.isPlatform) return 0
    const condition = todo === 1 ? isAwaitingConfirmation(user) : isAwaitingRefundAudit(user)
    return findWaiting(db, agentOrders, condition, agentOrders.updateTime)
  },
})

/** All kinds of pending work. Equally urgent work keeps this order. */
export const TODOS: readonly Todo[] = [
  {
    key: 'ownTickets',
    title: '我处理的工单',
    url: ({ user }) => `/AfterService/PendingList?handlerId=${user.uid}`,
    calls: [feedback.pending],
    find: (ctx) => findTickets(ctx, eq(tickets.handlerId, ctx.user.uid)),
  },
  {
    key: 'freeTickets',
    title: '未分派的工单',
    url: '/AfterService/PendingList?unassigned=1',
    calls: [feedback.claim, feedback.assign],
    async find(ctx) {
      const { oldest, ...found } = await findTickets(ctx, isNull(tickets.handlerId))
      if (oldest === null || !mayCall(ctx.user, feedback.claim)) return found
      return { ...found, act: { kind: 'claim', id: oldest } }
    },
  },
  {
    key: 'applications',
    title: '待审批的加入申请',
    url: '/tenantManage/userapplication?status=0',
    calls: [userApply.audit],
    find: ({ db, user }) =>
      findWaiting(
        db,
        userApplications,
        and(
          eq(userApplications.status, PENDING),
          ne(userApplications.uid, user.uid),
          scoped(user, { tenant: userApplications.tenantId }),
        ),
        userApplications.createTime,
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
    calls: [grantCalls.audit],
    async find({ db, user }) {
      if (!user.isPlatform) return 0
      const isOther = sql`${licenseGrants.applyBy} is distinct from ${user.uid}`
      const visible = scoped(user, { tenant: licenseGrants.tenantId })
      const condition = and(eq(licenseGrants.status, PENDING), isOther, visible)
      return findWaiting(db, licenseGrants, condition, licenseGrants.createTime)
    },
  },
  {
    key: 'licensesLow',
    title: '库存不足的授权厂商',
    url: '/LicenseManage/StatisticalAnalysis?lowVendors=1',
    calls: [licenseCerts.import],
    async find({ db, user }) {
      if (!worksInPlatform(user)) return 0
      const { rows } = await db.execute<{ n: number }>(sql`
        select count(*)::int as n from license_thresholds t where threshold > 0 and threshold >
          coalesce((select sum(c.n) from license_counts c where c.vendor = t.vendor and c.state = 0), 0)`)
      return rows[0]?.n ?? 0
    },
  },
  {
    key: 'storageDue',
    title: '7 天内到期的云存储',
    url: (ctx) => `/ossManage/deviceList?queueEndBegin=${dayIn(ctx, 0)}&queueEndEnd=${dayIn(ctx, 6)}`,
    calls: [storageEntitlements.renew],
    level: 'later',
    find: (ctx) =>
      ctx.db.$count(
        ossEntitlements,
        and(
          scoped(ctx.user, { tenant: ossEntitlements.tenantId, creator: ossEntitlements.createBy }),
          inArray(ossEntitlements.state, [0, 1]),
          ...within(ossEntitlements.endTime, dayIn(ctx, 0), dayIn(ctx, 6)),
          sql`exists (select from oss_queues q where q.device_id = ${ossEntitlements.deviceId}
            and q.channel = ${ossEntitlements.channel} and q.next_time is not null
            and q.end_time = ${ossEntitlements.endTime})`,
        ),
      ),
  },
  {
    key: 'batchGrants',
    title: '待审批的云存储批量开通',
    url: '/ossManage/deviceList?view=files&todo=1',
    calls: [storageGrantFiles.audit],
    find: ({ db, user }) =>
      findWaiting(db, ossGrantFiles, buildAwaitingGrantFileCondition(user), ossGrantFiles.createTime),
  },
  ...AD_TODOS,
  {
    key: 'agentIdentities',
    title: '身份不一致的语音设备',
    url: '/agent/device?identity=1',
    calls: [agentDeviceCalls.reset],
    find: ({ db, user }) =>
      db.$count(
        agentDevices,
        and(
          visibleBindings(user),
          sql`${agentDevices.otherClientId} <> ''`,
          sql`exists (select from devices d where d.id = ${agentDevices.deviceId} and d.deleted_at is null)`,
        ),
      ),
  },
  orderTodo('orderConfirms', '待确认的语音订单', orderCalls.confirm, 1),
  orderTodo('orderRefunds', '待审批的语音订单退款', orderCalls.refundAudit, 2),
  {
    key: 'tenantsDue',
    title: '30 天内到期的客户',
    url: '/tenantManage/tenant?expiresWithin=30&status=1',
    calls: [tenantCalls.renew],
    level: 'later',
    async find({ db, user }) {
      if (!user.isPlatform) return 0
      const visible = and(notDeleted(tenants), scoped(user, { tenant: tenants.id }))
      const isDue = and(eq(tenants.status, 1), ne(tenants.id, PLATFORM_TENANT_ID), expiresWithinDays(30))
      return db.$count(tenants, and(visible, isDue))
    },
  },
  {
    key: 'calendar',
    title: '补充服务日历的节假日',
    url: '/AfterService/Questions#sla',
    calls: [ticketDesk.saveSla],
    level: 'later',
    async find({ db, user, now, services }) {
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
    calls: [ota.enable],
    level: 'later',
    find: ({ db, user }) =>
      findWaiting(
        db,
        otaVersions,
        and(visibleVersions(user, 1), eq(otaVersions.status, 0), buildReleaseInScopeCondition(user)),
        otaVersions.createTime,
      ),
  },
  {
    key: 'noticeDrafts',
    title: '待发布的通知公告',
    url: '/system/noticeManage?status=0',
    calls: [noticeCalls.publish],
    level: 'later',
    find: ({ db, user }) =>
      findWaiting(
        db,
        notices,
        and(eq(notices.status, NOTICE_DRAFT), buildPublishableNoticeCondition(user)),
        notices.createTime,
      ),
  },
  {
    key: 'lockedAccounts',
    title: '被锁定的账号',
    url: '/system/userList?locked=1',
    calls: [accountCalls.unlock],
    async find(ctx) {
      const { db, user } = ctx
      const visible = and(notDeleted(accounts), scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }))
      const locked = await db
        .select({ uid: accounts.uid })
        .from(accounts)
        .where(and(visible, buildLockedFilter(1)))
      const refused = await findChangeRefusals(
        ctx,
        locked.map(({ uid }) => uid),
      )
      const [id, ...others] = locked.map(({ uid }) => uid).filter((uid) => !refused.has(uid))
      if (id === undefined) return 0
      return others.length > 0 ? others.length + 1 : { count: 1, act: { kind: 'unlock', id } }
    },
  },
  {
    key: 'rolelessStaff',
    title: '未分配角色的用户',
    url: '/system/manager?status=1&roleless=1',
    calls: [staff.assignRole],
    level: 'later',
    async find({ db, user }) {
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
    calls: [],
    level: 'later',
    async find({ db, user }) {
      if (!user.isSuper) return 0
      return db.$count(accounts, and(eq(accounts.uid, user.uid), eq(accounts.mfaEnabled, false)))
    },
  },
]

/** Lists the account's pending work, the most urgent first. Omits kinds of work with a count of 0. */
export async function listTodos(ctx: Ctx) {
  const list: HomeTodo[] = []
  for (const { key, title, url, calls, level = 'today', find } of TODOS) {
    if (calls.length > 0 && !calls.some((call) => mayCall(ctx.user, call))) continue
    const found = await find(ctx)
    const waiting: Found = typeof found === 'number' ? { count: found } : found
    const { waitMinutes = null, late = 0, act = null, count } = waiting
    if (count === 0) continue
    list.push({
      key,
      title,
      count,
      url: typeof url === 'string' ? url : url(ctx),
      level: late > 0 ? TODO_LEVEL.now : TODO_LEVEL[level],
      waitMinutes,
      note: late > 0 ? `${late} 个已超时` : '',
      act,
    })
  }
  list.sort((a, b) => a.level - b.level || (b.waitMinutes ?? -1) - (a.waitMinutes ?? -1))
  return { list, steps: await listFirstSteps(ctx) }
}
