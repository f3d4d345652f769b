import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageStats as calls } from '@oms/contract/storage/statistics.ts'
import { and, countDistinct, eq, min, notExists, sql, asc, isNull, lt, not, or } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { devices, deviceModels } from '#modules/device/schema.ts'
import { visibleEntitlements } from './entitlements/entitlement.ts'
import { QUEUE_STATE } from './queue.ts'
import { ossDeviceStatus, ossTroubleDays } from './schema-video.ts'
import { ossEntitlements, ossQueues, ossSpans } from './schema.ts'
import { RECORDING_TYPE_CODE } from './video/permit-rules.ts'

const KIND = 'oss-trouble'
/** Staff with this permission sees the list 上传异常设备 and receives the messages. */
const STATISTICS = 'ossManage:ossStatisticalAnalysis:list'
const SILENT_MS = 2 * 3_600_000

export function registerSilentChannelNotice(services: Services) {
  services.jobs.schedule(KIND, () => notifySilentChannels(services), {
    title: '云存储上传异常提醒',
    cron: '25 */15 * * * *',
  })
}

interface Silent {
  readonly tenantId: number
  readonly tenantName: string | null
  readonly channels: number
  readonly firstSn: string | null
}

/**
 * Sends one message a day about each tenant whose online cameras uploaded nothing for two hours. Tenants with the same
 * staff share one message.
 */
export async function notifySilentChannels(services: Services) {
  const { database, log, now, config } = services
  const day = formatLocalDay(now(), config.timeZone)
  const silent = await silentTenants(database.db, now(), day)
  const groups = await groupByStaff(database.db, silent)
  const isolation = { log, kind: KIND, name: ([first]: Group) => ({ tenantId: first.tenantId }) }
  await forEachIsolated(groups, isolation, (group) =>
    database.db.transaction(async (db) => {
      const made = await db
        .insert(ossTroubleDays)
        .values(group.map(({ tenantId, channels }) => ({ tenantId, day, channels })))
        .onConflictDoNothing()
        .returning({ tenantId: ossTroubleDays.tenantId })
      const [first, ...others] = group.filter((each) => made.some(({ tenantId }) => tenantId === each.tenantId))
      if (first) await notifyStaff(services, db, [first, ...others])
    }),
  )
  await database.db.delete(ossTroubleDays).where(sql`${ossTroubleDays.day} < ${day}::date - 30`)
  return { messages: groups.length }
}

/** Returns the tenants with silent channels that got no message on this day. */
const silentTenants = (db: Db, now: Date, day: string): Promise<Silent[]> =>
  db
    .select({
      tenantId: ossEntitlements.tenantId,
      tenantName: min(tenants.name),
      channels: countDistinct(sql`${ossEntitlements.deviceId} * 64 + ${ossEntitlements.channel}`),
      firstSn: min(ossEntitlements.sn),
    })
    .from(ossEntitlements)
    .innerJoin(devices, ONLINE_DEVICE_CONDITION)
    .leftJoin(ossDeviceStatus, CHANNEL_STATUS_CONDITION)
    .leftJoin(tenants, eq(tenants.id, ossEntitlements.tenantId))
    .where(
      and(
        buildSilentChannelCondition(now),
        notExists(
          db
            .select({ day: ossTroubleDays.day })
            .from(ossTroubleDays)
            .where(and(eq(ossTroubleDays.tenantId, ossEntitlements.tenantId), eq(ossTroubleDays.day, day))),
        ),
      ),
    )
    .groupBy(ossEntitlements.tenantId)
    .orderBy(ossEntitlements.tenantId)

/** Silent tenants with the accounts that receive the message; all have the same accounts. */
type Group = readonly [Addressed, ...Addressed[]]
type Addressed = Silent & { readonly uids: readonly number[] }

/** Groups tenants by their staff, or by the vendor's when nobody of the tenant sees the statistics. */
async function groupByStaff(db: Db, silent: readonly Silent[]): Promise<Group[]> {
  const addressed: Addressed[] = []
  for (const each of silent) {
    const own = await listAccountsWithPermission(db, each.tenantId, STATISTICS)
    addressed.push({ ...each, uids: own.length > 0 ? own : await listPlatformStaff(db, STATISTICS, [each.tenantId]) })
  }
  return [...Map.groupBy(addressed, ({ uids }) => uids.toSorted((a, b) => a - b).join()).values()] as unknown as Group[]
}

async function notifyStaff(services: Services, db: Db, group: Group) {
  const [{ uids, tenantName }] = group
  const channels = group.reduce((sum, each) => sum + each.channels, 0)
  const owner = group.length === 1 ? tenantName : `${group.length} 个客户`
  const lines = group.map(
    (each) => `客户「${each.tenantName ?? ''}」：${each.channels} 个通道，例如 ${each.firstSn ?? ''}`,
  )
  await sendMessage(services, db, {
    topic: 'storage',
    title: `${channels} 个通道超过 2 小时没有上传录像 · ${owner ?? ''}`,
    text: `以下在线设备的通道已开通连续录像，但超过 2 小时没有上传。\n${lines.join('\n')}\n请在「云存统计」的「上传异常设备」查看原因。`,
    uids,
    priority: 2,
  })
}

const COLUMNS = {
  id: ossEntitlements.id,
  deviceId: ossEntitlements.deviceId,
  sn: ossEntitlements.sn,
  channel: ossEntitlements.channel,
  modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
  tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
  packageName: ossEntitlements.packageName,
  uploadTime: ossDeviceStatus.uploadTime,
  askTime: ossDeviceStatus.askTime,
  troubleText: sql<string>`coalesce(${ossDeviceStatus.troubleText}, '')`.as('trouble_text'),
}

/** Lists channels of online devices with continuous recording in force that uploaded nothing for two hours. */
export function listSilentChannels({ db, user, now }: Ctx, input: ParsedOf<typeof calls.trouble>) {
  const rows = db
    .select(COLUMNS)
    .from(ossEntitlements)
    .innerJoin(devices, ONLINE_DEVICE_CONDITION)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(tenants, eq(tenants.id, ossEntitlements.tenantId))
    .leftJoin(ossDeviceStatus, CHANNEL_STATUS_CONDITION)
    .where(
      and(
        visibleEntitlements(user),
        visibleDevices(user),
        buildSilentChannelCondition(now),
        input.tenantId === undefined ? undefined : eq(ossEntitlements.tenantId, input.tenantId),
      ),
    )
    .$dynamic()
  return paginate(db, rows, input, [asc(ossEntitlements.id)])
}

/** Join condition of the online device of an entitlement. */
const ONLINE_DEVICE_CONDITION = and(eq(devices.id, ossEntitlements.deviceId), eq(devices.online, 1))

/** Join condition of the status of an entitlement's channel. */
const CHANNEL_STATUS_CONDITION = and(
  eq(ossDeviceStatus.deviceId, ossEntitlements.deviceId),
  eq(ossDeviceStatus.channel, ossEntitlements.channel),
  eq(ossDeviceStatus.tenantId, ossEntitlements.tenantId),
)

/** True when continuous recording was in force at this time, under the current package or the package before it. */
const wasInForceSince = (since: string) =>
  or(
    lt(ossEntitlements.runFrom, since),
    sql`exists (select from ${ossSpans} s where s.device_id = ${ossEntitlements.deviceId}
      and s.channel = ${ossEntitlements.channel} and s.record_type = ${RECORDING_TYPE_CODE.continuous} and s.from_time < ${since}
      and s.to_time >= ${ossEntitlements.runFrom})`,
  )

/**
 * True when the user has switched recording off, or when a request of the camera was refused for this reason after this
 * time.
 */
const isSwitchedOffSince = (since: string) => sql`(
  exists (select from ${ossQueues} q where q.device_id = ${ossEntitlements.deviceId}
    and q.channel = ${ossEntitlements.channel} and q.switched_off = 1)
  or coalesce(${ossDeviceStatus.answer} = 'switch' and ${ossDeviceStatus.askTime} >= ${since}, false))`

/**
 * Returns the SQL condition for silent channels: an entitlement to continuous recording is in force, and the camera has
 * uploaded nothing for two hours. Excludes channels whose user has switched recording off.
 */
function buildSilentChannelCondition(now: Date) {
  const since = new Date(now.getTime() - SILENT_MS).toISOString()
  return and(
    eq(ossEntitlements.state, QUEUE_STATE.inForce),
    eq(ossEntitlements.recordType, RECORDING_TYPE_CODE.continuous),
    wasInForceSince(since),
    not(isSwitchedOffSince(since)),
    or(isNull(ossDeviceStatus.uploadTime), lt(ossDeviceStatus.uploadTime, since)),
  )
}
