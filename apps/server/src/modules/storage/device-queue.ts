import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageEntitlements as calls, SERVICE_STATE } from '@oms/contract/storage/entitlement.ts'
import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { QUEUE_STATE } from './queue.ts'
import { loadQueues, type QueueWork } from './queue-store.ts'
import { readStorageSettings } from './settings.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { ossEntitlements, ossSpans } from './schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { presentEntitlement, selectEntitlements, visibleEntitlements } from './entitlements/entitlement-rows.ts'
import { listQueueIntervals } from './entitlements/open.ts'
import { toSeconds } from './entitlements/open-prepare.ts'

const DAY_MS = 86_400_000
/** Maximum number of entitlements, and of past intervals, that the device page shows. */
const SHOWN = 200

async function deviceOf({ db, user }: Ctx, sn: string) {
  const [found] = await db
    .select({
      deviceId: devices.id,
      sn: devices.sn,
      tenantId: devices.tenantId,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      cloudChannels: sql<number>`coalesce(${deviceModels.cloudChannels}, 0)`,
    })
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(tenants, eq(tenants.id, devices.tenantId))
    .where(and(visibleDevices(user), eq(devices.sn, sn)))
  if (!found) throw notFound('设备')
  return found
}

const pastOf = (db: Db, user: User, deviceId: number) =>
  db
    .select({
      id: ossSpans.entitlementId,
      channel: ossSpans.channel,
      packageName: sql<string>`coalesce(${ossEntitlements.packageName}, '')`,
      recordType: ossSpans.recordType,
      storageDays: ossSpans.storageDays,
      from: ossSpans.fromTime,
      to: ossSpans.toTime,
    })
    .from(ossSpans)
    .leftJoin(ossEntitlements, eq(ossEntitlements.id, ossSpans.entitlementId))
    .where(and(eq(ossSpans.deviceId, deviceId), scoped(user, { tenant: ossSpans.tenantId })))
    .orderBy(desc(ossSpans.fromTime))
    .limit(SHOWN)

/** Returns the state of the service of a channel, derived from its queue at the current time. */
function serviceStateOf(
  { queue }: QueueWork,
  end: string | null,
  { now, keptSince }: { now: string; keptSince: string },
): keyof typeof SERVICE_STATE {
  if (queue[0]?.state === QUEUE_STATE.suspended) return 2
  if (end === null || end <= keptSince) return 4
  return end > now ? 1 : 3
}

/** Returns the queues of a device: past and planned intervals, and all entitlements of each channel. */
export async function getDeviceQueues(ctx: Ctx, { sn }: ParsedOf<typeof calls.queue>) {
  const { db, user, services } = ctx
  const { tenantId, ...device } = await deviceOf(ctx, sn)
  const [now, zone] = [toSeconds(ctx.now), services.config.timeZone]
  const rows = await selectEntitlements(db)
    .where(and(eq(ossEntitlements.deviceId, device.deviceId), visibleEntitlements(user)))
    .orderBy(asc(ossEntitlements.channel), desc(ossEntitlements.id))
    .limit(SHOWN)
  const past = await pastOf(db, user, device.deviceId)
  const channels = [...new Set(rows.map(({ channel }) => channel))]
  const keys = channels.map((channel) => ({ deviceId: device.deviceId, channel, tenantId }))
  const works = await loadQueues(db, keys, false)
  const nowText = formatLocalTime(ctx.now, zone)
  const { keepDays } = await readStorageSettings(db)
  const keptSince = formatLocalTime(ctx.now.getTime() - keepDays * DAY_MS, zone)
  return {
    ...device,
    now: nowText,
    channels: [...works.values()].map((work) => {
      const planned = listQueueIntervals(work, work.queue, now, zone)
      const ended = past.filter(({ channel }) => channel === work.channel).toReversed()
      const end = planned.at(-1)?.to ?? ended.at(-1)?.to ?? null
      const serviceState = serviceStateOf(work, end, { now: nowText, keptSince })
      return {
        channel: work.channel,
        serviceState,
        endTime: serviceState === 2 ? null : end,
        past: ended,
        planned,
        entitlements: rows
          .filter(({ channel }) => channel === work.channel)
          .map((row) => presentEntitlement(row, nowText)),
      }
    }),
  }
}
