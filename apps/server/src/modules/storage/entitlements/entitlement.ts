import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  type storageEntitlements as calls,
  storageEntitlements as contract,
  type CHANNEL_VIDEO_STATE,
  type ENTITLEMENT_FLOW,
  EntitlementListRow,
  SERVICE_STATE,
} from '@oms/contract/storage/entitlement.ts'
import { formatPeriod } from '@oms/contract/storage/package.ts'
import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { among, contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { loadQueues, type QueueWork } from '../queue-store.ts'
import { QUEUE_STATE } from '../queue.ts'
import { ossEntitlements, ossLedger, ossSpans } from '../schema.ts'
import { KEEP_DAYS_SQL, readStorageSettings } from '../settings.ts'
import { toSeconds } from './open-prepare.ts'
import { listQueueIntervals } from './open.ts'

type EntitlementFilter = Omit<ParsedOf<typeof calls.list>, 'pageNum' | 'pageSize'>
const MAX_LINES = 200
const DAY_MS = 86_400_000
/** Maximum number of entitlements, and of past intervals, that the device page shows. */
const SHOWN = 200

export const visibleEntitlements = (user: User) =>
  scoped(user, { tenant: ossEntitlements.tenantId, creator: ossEntitlements.createBy })

/** Selects entitlements with the columns of lists and details. */
const selectEntitlements = (db: Db) =>
  db
    .select({
      ...getTableColumns(ossEntitlements),
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      createName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as('create_name'),
    })
    .from(ossEntitlements)
    .leftJoin(devices, eq(devices.id, ossEntitlements.deviceId))
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .leftJoin(tenants, eq(tenants.id, ossEntitlements.tenantId))
    .leftJoin(accounts, eq(accounts.uid, ossEntitlements.createBy))

interface Presented {
  readonly state: number
  readonly periodType: number
  readonly periodCount: number
  readonly usedSeconds: number
  readonly leftSeconds: number | null
  readonly runFrom: string | null
  readonly startTime: string | null
  readonly endTime: string | null
}

/** Returns the seconds between two times of the database, `yyyy-MM-dd HH:mm:ss`. */
const secondsBetween = (from: string, to: string) =>
  Math.max(0, Math.round((Date.parse(`${to.replace(' ', 'T')}Z`) - Date.parse(`${from.replace(' ', 'T')}Z`)) / 1000))

/** Returns used and remaining seconds at a local time. The table counts the current interval only when it ends. */
function lengthsOf(row: Presented, nowText: string) {
  const { state, runFrom, startTime, endTime, usedSeconds, leftSeconds } = row
  if (state === QUEUE_STATE.inForce && runFrom && endTime)
    return {
      usedSeconds: usedSeconds + secondsBetween(runFrom, nowText),
      leftSeconds: secondsBetween(nowText, endTime),
    }
  const planned = state === QUEUE_STATE.waiting && startTime && endTime ? secondsBetween(startTime, endTime) : null
  return { usedSeconds, leftSeconds: leftSeconds ?? planned }
}

/** Adds the period as text, and the used and remaining seconds at a local time. */
const presentEntitlement = <R extends Presented>(row: R, nowText: string) => ({
  ...row,
  ...lengthsOf(row, nowText),
  period: formatPeriod(row.periodType, row.periodCount),
})

const nowTextOf = ({ now, services }: Pick<Ctx, 'now' | 'services'>) => formatLocalTime(now, services.config.timeZone)

const queueIs = (condition: SQL) =>
  sql`exists (select from oss_queues q where q.device_id = ${ossEntitlements.deviceId}
    and q.channel = ${ossEntitlements.channel} and ${condition})`

/** Conditions on `oss_queues q` by service state. */
const SERVICE: Readonly<Record<keyof typeof SERVICE_STATE, SQL>> = {
  1: sql`q.suspended = 0 and q.end_time > now()`,
  2: sql`q.suspended = 1`,
  3: sql`q.suspended = 0 and q.end_time <= now() and q.end_time > now() - make_interval(days => ${KEEP_DAYS_SQL})`,
  4: sql`q.suspended = 0 and q.end_time <= now() - make_interval(days => ${KEEP_DAYS_SQL})`,
}

/** Selects the last entitlement of queues in force that end within the days: the rows that `oss_ends` counts. */
const queueEndConditions = ({ queueEndBegin, queueEndEnd }: Partial<EntitlementFilter>): (SQL | undefined)[] =>
  queueEndBegin === undefined && queueEndEnd === undefined
    ? []
    : [
        inArray(ossEntitlements.state, [0, 1]),
        queueIs(sql`q.next_time is not null and q.end_time = ${ossEntitlements.endTime}`),
        ...within(ossEntitlements.endTime, queueEndBegin, queueEndEnd),
      ]

/** Ledger entries that each flow counts, as conditions on `oss_ledger l`. */
const FLOW: Readonly<Record<keyof typeof ENTITLEMENT_FLOW, SQL>> = {
  1: sql`l.kind = 1 and l.is_renewal = 0`,
  2: sql`l.kind = 1 and l.is_renewal = 1`,
  3: sql`l.kind = 2 and l.balance = 0`,
  4: sql`l.kind = 4`,
  9: sql`l.kind = 1`,
}

/** Selects entitlements with a ledger entry of the flow within the days: the rows that `oss_flows` counts. */
function flowCondition(
  flow: keyof typeof ENTITLEMENT_FLOW,
  { flowBegin, flowEnd, tenantId }: Partial<EntitlementFilter>,
) {
  const days = [
    FLOW[flow],
    ...(flowBegin ? [sql`l.at_time >= ${flowBegin}`] : []),
    ...(flowEnd ? [sql`l.at_time < ${flowEnd.slice(0, 10)}::date + 1`] : []),
    ...(tenantId ? [sql`l.tenant_id = ${tenantId}`] : []),
  ]
  // An entry of a grant has the time of the entitlement's creation, which has an index.
  const isGrant = flow !== 3 && flow !== 4
  return and(
    sql`exists (select from oss_ledger l where l.entitlement_id = ${ossEntitlements.id} and ${sql.join(days, sql` and `)})`,
    ...within(isGrant ? ossEntitlements.createTime : ossEntitlements.endTime, flowBegin, flowEnd),
  )
}

/** Recordings by value of the filter, as conditions on `oss_device_days d`. */
const VIDEOS: Readonly<Record<keyof typeof CHANNEL_VIDEO_STATE, SQL>> = {
  1: sql`current_date < any(d.expire_days)`,
  2: sql`d.day = current_date`,
}

/**
 * Condition of the entitlement that represents its channel: the one in force or suspended, otherwise the one that ended
 * last.
 */
const representsChannel = sql`${ossEntitlements.id} = (select e.id from oss_entitlements e
  where e.device_id = ${ossEntitlements.deviceId} and e.channel = ${ossEntitlements.channel}
    and e.tenant_id = ${ossEntitlements.tenantId}
  order by e.state in (1, 3) desc, e.state <> 0 desc, e.end_time desc nulls last, e.id desc limit 1)`

/** Returns the condition for the entitlements that represent a channel with recordings in the state `videos`. */
const videoCondition = (videos: keyof typeof CHANNEL_VIDEO_STATE) =>
  and(
    sql`exists (select from oss_device_days d where d.device_id = ${ossEntitlements.deviceId}
      and d.channel = ${ossEntitlements.channel} and d.tenant_id = ${ossEntitlements.tenantId} and ${VIDEOS[videos]})`,
    representsChannel,
  )

const buildEntitlementFilter = (user: User, filter: Partial<EntitlementFilter>): SQL | undefined =>
  and(
    visibleEntitlements(user),
    contains(ossEntitlements.sn, filter.sn),
    filter.entNo ? eq(ossEntitlements.entNo, filter.entNo.toUpperCase()) : undefined,
    filter.tenantId === undefined || filter.flow ? undefined : eq(ossEntitlements.tenantId, filter.tenantId),
    filter.packageId === undefined ? undefined : eq(ossEntitlements.packageId, filter.packageId),
    filter.source === undefined ? undefined : eq(ossEntitlements.source, filter.source),
    filter.state === undefined ? undefined : eq(ossEntitlements.state, filter.state),
    filter.recordType === undefined ? undefined : eq(ossEntitlements.recordType, filter.recordType),
    filter.serviceState === undefined ? undefined : queueIs(SERVICE[filter.serviceState]),
    filter.videos === undefined ? undefined : videoCondition(filter.videos),
    ...queueEndConditions(filter),
    filter.flow === undefined ? undefined : flowCondition(filter.flow, filter),
    ...within(ossEntitlements.endTime, filter.endBegin, filter.endEnd),
    ...within(ossEntitlements.createTime, filter.beginTime, filter.endTime),
  )

const entitlementOrder = (filter: Pick<EntitlementFilter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(
    filter,
    {
      createTime: ossEntitlements.createTime,
      startTime: ossEntitlements.startTime,
      endTime: ossEntitlements.endTime,
    },
    ossEntitlements.id,
    [desc(ossEntitlements.id)],
  )

export async function listEntitlements(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db, user } = ctx
  const nowText = nowTextOf(ctx)
  const rows = selectEntitlements(db).where(buildEntitlementFilter(user, input)).$dynamic()
  const page = await paginate(db, rows, input, entitlementOrder(input))
  const rowsNow = page.list.map((row) => presentEntitlement(row, nowText))
  return { ...page, list: await withVideos(db, rowsNow) }
}

type VideoFacts = { readonly usedBytes: number | null; readonly uploadTime: string | null }
const NO_VIDEOS: VideoFacts = { usedBytes: null, uploadTime: null }

/** Adds the videos of an entitlement, and the last upload of the channel to the row that represents the channel. */
async function withVideos<R extends { id: number }>(db: Db, rows: readonly R[]) {
  const facts = await videoFacts(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({ ...row, ...(facts.get(row.id) ?? NO_VIDEOS) }))
}

/**
 * Returns the bytes of the retained videos by entitlement, and the last upload by the entitlement that represents the
 * channel. That entitlement also has the videos of days without an entitlement.
 */
async function videoFacts(db: Db, ids: readonly number[]) {
  const { rows: found } = await db.execute<VideoFacts & { id: number }>(sql`
    select ${ossEntitlements.id} as id,
      case when f.shown then coalesce(d.bytes, 0) else d.bytes end::float8 as "usedBytes",
      case when f.shown then to_char(s.upload_time, 'YYYY-MM-DD HH24:MI:SS') end as "uploadTime"
    from ${ossEntitlements}
    cross join lateral (select ${representsChannel} as shown) f
    left join lateral (select sum(bytes - removed_bytes) as bytes from oss_device_days d
      where d.device_id = ${ossEntitlements.deviceId}
      and d.channel = ${ossEntitlements.channel} and d.tenant_id = ${ossEntitlements.tenantId}
      and current_date < any(d.expire_days)
      and (d.entitlement_id = ${ossEntitlements.id} or (d.entitlement_id = 0 and f.shown))) d on true
    left join oss_device_status s on s.device_id = ${ossEntitlements.deviceId}
      and s.channel = ${ossEntitlements.channel} and s.tenant_id = ${ossEntitlements.tenantId}
    where ${among(ossEntitlements.id, ids)}`)
  return new Map(found.map(({ id, ...facts }) => [id, facts]))
}

export async function getEntitlement(ctx: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const { db, user } = ctx
  const [row] = await selectEntitlements(db).where(and(eq(ossEntitlements.id, id), visibleEntitlements(user)))
  if (!row) throw notFound('开通记录')
  const ledger = await db
    .select()
    .from(ossLedger)
    .where(and(eq(ossLedger.entitlementId, id), scoped(user, { tenant: ossLedger.tenantId })))
    .orderBy(asc(ossLedger.id))
    .limit(MAX_LINES)
  return { row: presentEntitlement(row, nowTextOf(ctx)), ledger }
}

/** A line of the file: bytes are shown in gigabytes, which a spreadsheet can add up. */
export const EntitlementExportRow = EntitlementListRow.extend({
  usedBytes: z.number().nullable().meta({ title: '已用空间（GB）' }),
})

export const exportEntitlements = defineExport({
  kind: 'storage-entitlement',
  endpoint: contract.export,
  sheet: '云存开通记录',
  schema: EntitlementExportRow,
  columns: [
    ['entNo', { width: 20 }],
    ['sn', { width: 22 }],
    ['channel', { type: 'number', width: 8 }],
    ['modelName', { width: 20 }],
    ['tenantName', { width: 28 }],
    ['packageName', { width: 24 }],
    ['recordType', { width: 14 }],
    ['storageDays', { type: 'number', width: 10 }],
    ['period', { width: 10 }],
    ['source', { width: 8 }],
    ['state', { width: 10 }],
    ['startTime', { type: 'dateTime' }],
    ['endTime', { type: 'dateTime' }],
    ['usedBytes', { type: 'number', width: 14 }],
    ['uploadTime', { type: 'dateTime' }],
    'amount',
    ['createName', { width: 14 }],
    ['createTime', { type: 'dateTime' }],
    ['reason', { width: 40 }],
  ],
  key: ossEntitlements.id,
  where: buildEntitlementFilter,
  order: entitlementOrder,
  load: async (db, _user, where) => {
    const rows = await selectEntitlements(db).where(where)
    return withVideos(
      db,
      rows.map((row) => ({ ...row, period: formatPeriod(row.periodType, row.periodCount) })),
    )
  },
  line: ({ usedBytes }) => ({ usedBytes: usedBytes === null ? null : Math.round(usedBytes / 1e7) / 100 }),
  keyOf: ({ id }) => id,
})

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
