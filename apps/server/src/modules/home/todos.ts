import { accounts as accountCalls } from '@oms/contract/account/account-list.ts'
import { staff } from '@oms/contract/account/staff.ts'
import { ads as adCalls } from '@oms/contract/advertise/ad.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { agentDevices as agentDeviceCalls } from '@oms/contract/agent/devices/device.ts'
import { agentOrders as orderCalls } from '@oms/contract/agent/orders/order.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import { deviceModels } from '@oms/contract/device/device-model.ts'
import { deviceTypes } from '@oms/contract/device/device-type.ts'
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
import { and, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
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
    count: ({ db, user }) => db.$count(ads, buildAwaitingAdAuditCondition(user)),
  },
  {
    key: 'programAudits',
    title: '待审批的节目单',
    url: '/advertiseManage/ProgramList?todo=1',
    calls: [programPublish.audit],
    count: ({ db, user }) => db.$count(adPrograms, buildAwaitingProgramAuditCondition(user)),
  },
]

interface Todo {
  readonly key: string
  readonly title: string
  /** URL of the list that contains the counted rows. */
  readonly url: string | ((ctx: Ctx) => string)
  /** Calls that do the work. The account must be allowed to use one of the calls. Empty: no call is needed. */
  readonly calls: readonly Endpoint[]
  /** Counts the rows for which the server would accept the call of this account now. */
  count(ctx: Ctx): Promise<number>
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
const countVersions = ({ db }: Ctx, condition: SQL | undefined) => db.$count(otaVersions, condition)

const releaseAudits = (key: string, kind: keyof typeof ARTIFACT_KINDS): Todo => ({
  key,
  title: `待审批的${ARTIFACT_KINDS[kind].noun}发布`,
  url: `${ARTIFACT_KINDS[kind].url}?todo=1`,
  calls: [ARTIFACT_KINDS[kind].release.audit],
  count: (ctx) => countVersions(ctx, and(visibleVersions(ctx.user, kind), isAwaitingAudit(ctx.user))),
})
const upgradeAlarms = (key: string, kind: keyof typeof ARTIFACT_KINDS): Todo => ({
  key,
  title: `有未处理告警的${ARTIFACT_KINDS[kind].noun}`,
  url: `${ARTIFACT_KINDS[kind].url}?todo=2`,
  calls: [ARTIFACT_KINDS[kind].release.closeAlarm],
  count: (ctx) => countVersions(ctx, and(visibleVersions(ctx.user, kind), hasOpenAlarm(ctx.user))),
})

/** Work on orders of voice packages. Only the vendor confirms payments and decides refunds. */
const orderTodo = (key: string, title: string, call: Endpoint, todo: 1 | 2): Todo => ({
  key,
  title,
  url: `/agent/order?todo=${todo}`,
  calls: [call],
  async count({ db, user }) {
    if (!user.isPlatform) return 0
    return db.$count(agentOrders, todo === 1 ? isAwaitingConfirmation(user) : isAwaitingRefundAudit(user))
  },
})

/** All kinds of pending work in the order of the page. */
export const TODOS: readonly Todo[] = [
  {
    key: 'ownTickets',
    title: '我处理的工单',
    url: ({ user }) => `/AfterService/PendingList?handlerId=${user.uid}`,
    calls: [feedback.pending],
    count: ({ db, user }) =>
      db.$count(tickets, and(visibleTickets(user), openTickets, eq(tickets.handlerId, user.uid))),
  },
  {
    key: 'freeTickets',
    title: '未分派的工单',
    url: '/AfterService/PendingList?unassigned=1',
    calls: [feedback.claim, feedback.assign],
    count: ({ db, user }) => db.$count(tickets, and(visibleTickets(user), openTickets, isNull(tickets.handlerId))),
  },
  {
    key: 'applications',
    title: '待审批的加入申请',
    url: '/tenantManage/userapplication?status=0',
    calls: [userApply.audit],
    count: ({ db, user }) =>
      db.$count(
        userApplications,
        and(
          eq(userApplications.status, PENDING),
          ne(userApplications.uid, user.uid),
          scoped(user, { tenant: userApplications.tenantId }),
        ),
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
    async count({ db, user }) {
      if (!user.isPlatform) return 0
      const isOther = sql`${licenseGrants.applyBy} is distinct from ${user.uid}`
      const visible = scoped(user, { tenant: licenseGrants.tenantId })
      return db.$count(licenseGrants, and(eq(licenseGrants.status, PENDING), isOther, visible))
    },
  },
  {
    key: 'licensesLow',
    title: '库存不足的授权厂商',
    url: '/LicenseManage/StatisticalAnalysis?lowVendors=1',
    calls: [licenseCerts.import],
    async count({ db, user }) {
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
    count: (ctx) =>
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
    count: ({ db, user }) => db.$count(ossGrantFiles, buildAwaitingGrantFileCondition(user)),
  },
  ...AD_TODOS,
  {
    key: 'agentIdentities',
    title: '身份不一致的语音设备',
    url: '/agent/device?identity=1',
    calls: [agentDeviceCalls.reset],
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
  orderTodo('orderConfirms', '待确认的语音订单', orderCalls.confirm, 1),
  orderTodo('orderRefunds', '待审批的语音订单退款', orderCalls.refundAudit, 2),
  {
    key: 'tenantsDue',
    title: '30 天内到期的客户',
    url: '/tenantManage/tenant?expiresWithin=30&status=1',
    calls: [tenantCalls.renew],
    async count({ db, user }) {
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
    calls: [ota.enable],
    count: (ctx) =>
      countVersions(
        ctx,
        and(visibleVersions(ctx.user, 1), eq(otaVersions.status, 0), buildReleaseInScopeCondition(ctx.user)),
      ),
  },
  {
    key: 'noticeDrafts',
    title: '待发布的通知公告',
    url: '/system/noticeManage?status=0',
    calls: [noticeCalls.publish],
    count: ({ db, user }) =>
      db.$count(notices, and(eq(notices.status, NOTICE_DRAFT), buildPublishableNoticeCondition(user))),
  },
  {
    key: 'lockedAccounts',
    title: '被锁定的账号',
    url: '/system/userList?locked=1',
    calls: [accountCalls.unlock],
    async count(ctx) {
      const { db, user } = ctx
      const visible = and(notDeleted(accounts), scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }))
      const locked = await db
        .select({ uid: accounts.uid })
        .from(accounts)
        .where(and(visible, buildLockedFilter(1)))
      const uids = locked.map(({ uid }) => uid)
      return uids.length - (await findChangeRefusals(ctx, uids)).size
    },
  },
  {
    key: 'rolelessStaff',
    title: '未分配角色的用户',
    url: '/system/manager?status=1&roleless=1',
    calls: [staff.assignRole],
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
    calls: [],
    async count({ db, user }) {
      if (!user.isSuper) return 0
      return db.$count(accounts, and(eq(accounts.uid, user.uid), eq(accounts.mfaEnabled, false)))
    },
  },
]

/** Lists the account's pending work. Omits kinds of work with a count of 0. */
export async function listTodos(ctx: Ctx) {
  const list = []
  for (const { key, title, url, calls, count } of TODOS) {
    if (calls.length > 0 && !calls.some((call) => mayCall(ctx.user, call))) continue
    const waiting = await count(ctx)
    if (waiting > 0) list.push({ key, title, url: typeof url === 'string' ? url : url(ctx), count: waiting })
  }
  return { list, steps: await listFirstSteps(ctx) }
}

interface Step {
  readonly key: 'tenant' | 'type' | 'model' | 'device' | 'firmware' | 'release' | 'ticket'
  readonly title: string
  readonly hint: string
  readonly url: string
  /** Call that does the step. */
  readonly call: Endpoint
}

const STEPS: readonly Step[] = [
  {
    key: 'tenant',
    title: '新增客户',
    hint: '设备、授权和账号都属于客户',
    url: '/tenantManage/tenant',
    call: tenantCalls.create,
  },
  {
    key: 'type',
    title: '新增设备类型',
    hint: '如摄像机、门铃',
    url: '/device/_manage',
    call: deviceTypes.create,
  },
  {
    key: 'model',
    title: '新增设备型号',
    hint: '设备按型号接收升级',
    url: '/device/updateManage',
    call: deviceModels.create,
  },
  {
    key: 'device',
    title: '登记设备',
    hint: '逐台新增，或从表格导入',
    url: '/device/apkManage',
    call: devices.create,
  },
  {
    key: 'firmware',
    title: '上传固件版本',
    hint: '填写版本号并上传组件',
    url: '/upgrade/ota',
    call: ota.create,
  },
  {
    key: 'release',
    title: '发布升级',
    hint: '选择范围和比例，设备随后收到新版本',
    url: '/upgrade/ota',
    call: otaRelease.publish,
  },
  {
    key: 'ticket',
    title: '登记工单',
    hint: '记录客户反馈的问题并跟进',
    url: '/AfterService/Questions',
    call: feedback.create,
  },
]

/** Returns the setup steps that this account may do, and whether each is done. Empty when all are done. */
async function listFirstSteps({ db, user }: Ctx) {
  if (!worksInPlatform(user) || !STEPS.some(({ call }) => mayCall(user, call))) return []
  const { rows } = await db.execute<Record<Step['key'], boolean>>(sql`select
    exists (select from tenants where deleted_at is null and id <> ${PLATFORM_TENANT_ID}) as tenant,
    exists (select from tickets) as ticket,
    exists (select from device_types where deleted_at is null) as type,
    exists (select from device_models where deleted_at is null) as model,
    exists (select from devices where deleted_at is null) as device,
    exists (select from ota_versions where deleted_at is null) as firmware,
    exists (select from ota_policies) as release`)
  const [done] = rows
  if (!done || STEPS.every(({ key }) => done[key])) return []
  return STEPS.filter(({ call }) => mayCall(user, call)).map(({ key, title, hint, url }) => ({
    key,
    title,
    hint,
    url,
    isDone: done[key],
  }))
}
