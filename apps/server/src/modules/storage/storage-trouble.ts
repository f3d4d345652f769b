import { and, countDistinct, eq, min, notExists, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/permission-holders.ts'
import { sendMessage } from '#modules/system/notices/send-message.ts'
import { devices } from '#modules/device/schema.ts'
import { ossEntitlements } from './schema.ts'
import { ossDeviceStatus, ossTroubleDays } from './schema-video.ts'
import { tenants } from '#core/schema/tenant.ts'
import { buildSilentChannelCondition, CHANNEL_STATUS_CONDITION, ONLINE_DEVICE_CONDITION } from './silent-channels.ts'

const KIND = 'oss-trouble'
/** Staff with this permission sees the list 上传异常设备 and receives the messages. */
const STATISTICS = 'ossManage:ossStatisticalAnalysis:list'

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

/** Sends one message a day to the staff of each tenant whose online cameras uploaded nothing for two hours. */
export async function notifySilentChannels(services: Services) {
  const { database, log, now, config } = services
  const day = formatLocalDay(now(), config.timeZone)
  const silent = await silentTenants(database.db, now(), day)
  const isolation = { log, kind: KIND, name: ({ tenantId }: Silent) => ({ tenantId }) }
  await forEachIsolated(silent, isolation, (each) =>
    database.db.transaction(async (db) => {
      const { tenantId, channels } = each
      const made = await db
        .insert(ossTroubleDays)
        .values({ tenantId, day, channels })
        .onConflictDoNothing()
        .returning({ day: ossTroubleDays.day })
      if (made.length > 0) await notifyStaff(services, db, each)
    }),
  )
  await database.db.delete(ossTroubleDays).where(sql`${ossTroubleDays.day} < ${day}::date - 30`)
  return { messages: silent.length }
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

/** Sends the message to the tenant's staff, or to the vendor's when nobody of the tenant sees the statistics. */
async function notifyStaff(services: Services, db: Db, { tenantId, tenantName, channels, firstSn }: Silent) {
  const own = await listAccountsWithPermission(db, tenantId, STATISTICS)
  const uids = own.length > 0 ? own : await listPlatformStaff(db, STATISTICS, [tenantId])
  await sendMessage(services, db, {
    title: `${channels}个通道超过2小时没有上传录像：${tenantName ?? ''}`.slice(0, 50),
    text: `客户「${tenantName ?? ''}」有${channels}个在线设备的通道已开通连续录像，但超过2小时没有上传，例如 ${firstSn ?? ''}。\n请在「云存统计」的「上传异常设备」查看原因。`,
    uids,
    priority: 2,
  })
}
