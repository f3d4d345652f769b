import { CARD_FILE_HOURS } from '@oms/contract/storage/card.ts'
import { sql, and, asc, eq, gt, inArray, ne, gte, isNull, or } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated, runSteps } from '#core/jobs/isolated.ts'
import { queueMail } from '#core/mail.ts'
import { settings } from '#core/schema/system.ts'
import { appAccounts } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { listAccountsWithPermission } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { devices } from '#modules/device/schema.ts'
import { ossNotices } from './schema-sales.ts'
import { readStorageSettings } from './settings.ts'

const KIND = 'oss-notice'
/** State of an entitlement whose time is over. */
const EXPIRED = 2
/** Staff with this permission receive the messages of their tenant. */
const RENEW = 'ossManage:deviceList:renew'
/** Number of hours after the end of a service within which the end is announced. */
const ENDED_WITHIN_HOURS = 48
/** Number of days before the deletion of videos at which the deletion is announced. */
const DELETED_WITHIN_DAYS = 2
/** Settings key of the last notice whose users were mailed. */
const MAILED_KEY = 'storageMailedNotice'
const NOTICES_AT_ONCE = 500
const MOST_PER_HOUR = 6
const VALID_MINUTES = 24 * 60
const DAY_MS = 86_400_000
/** Maximum number of devices that one mail lists. */
const MAX_LINES = 20

export function registerStorageNotice(services: Services) {
  services.jobs.schedule(KIND, () => runStorageNotices(services), {
    title: '云存储到期提醒',
    cron: '15 */10 * * * *',
  })
}

/** Announces the ends of services and the deletion of their videos, and destroys card files that nobody downloaded in time. */
export async function runStorageNotices(services: Services) {
  const { db } = services.database
  const at = services.now().toISOString()
  const { noticeDays, keepDays } = await readStorageSettings(db)
  const done = { notices: 0, mails: 0 }
  const failedItems = await runSteps(
    { log: services.log, kind: KIND },
    {
      cardFiles: () => destroyOldFiles(db, at),
      ended: () => announceEnded(services, { at, keepDays }),
      ends: async () => {
        // Shortest first, so that a queue with a notice for 1 day gets no further notice for 7 days.
        for (const days of noticeDays.toSorted((a, b) => a - b)) done.notices += await announceEnds(services, days, at)
      },
      deletions: async () => {
        if (keepDays > 0) done.notices += await announceDeletions(services, { at, keepDays })
      },
      mails: async () => (done.mails = await mailNotices(services)),
    },
  )
  return { ...done, failedItems }
}

async function destroyOldFiles(db: Db, at: string) {
  await db.execute(sql`update oss_card_batches set file_encrypted = '' where file_encrypted <> ''
    and create_time <= ${at}::timestamptz - make_interval(hours => ${CARD_FILE_HOURS})`)
  await db.execute(sql`delete from oss_card_attempts where create_time < ${at}::timestamptz - interval '1 hour'`)
}

/**
 * Stores a notice for every service that has ended, once, and sends one message to the staff of each tenant. The message
 * counts only services whose time is over, because the staff itself cancels, refunds or transfers the other services.
 */
async function announceEnded(services: Services, { at, keepDays }: Deletion) {
  const hasEnded = sql`q.suspended = 0 and q.end_time <= ${at}::timestamptz
    and q.end_time > ${at}::timestamptz - make_interval(hours => ${ENDED_WITHIN_HOURS})`
  const { rows: tenants } = await services.database.db.execute<Tenant>(
    sql`select distinct q.tenant_id as "tenantId" from oss_queues q where ${hasEnded} order by 1`,
  )
  return forEachTenant(services, tenants, async (db, tenantId) => {
    const { rows } = await db.execute<{ n: number }>(sql`
      with made as (insert into oss_notices (tenant_id, device_id, sn, channel, kind, days, end_time, create_time)
        select q.tenant_id, q.device_id, e.sn, q.channel, 2, 0, q.end_time, ${at}::timestamptz
        from oss_queues q join lateral (select sn from oss_entitlements e
          where e.device_id = q.device_id and e.channel = q.channel order by e.id desc limit 1) e on true
        where q.tenant_id = ${tenantId} and ${hasEnded}
        on conflict do nothing returning device_id, channel, end_time)
      select count(*)::int as n from made m where exists (select from oss_entitlements e where e.device_id = m.device_id
        and e.channel = m.channel and e.state = ${EXPIRED} and e.end_time = m.end_time)`)
    const { n } = rows[0]!
    if (n > 0) await notifyOfEnded(services, db, { tenantId, n, keepDays })
    return n
  })
}

const notifyOfEnded = async (
  services: Services,
  db: Db,
  { tenantId, n, keepDays }: { tenantId: number; n: number; keepDays: number },
) =>
  sendMessage(services, db, {
    topic: 'storage',
    title: `${n}个通道的云存储已过期`,
    text: `有${n}个设备通道的云存储已过期，已停止录像，${keepDays > 0 ? `保留的录像将在 ${keepDays} 天后删除` : '录像将被删除'}。\n需要继续使用的，请在「云存开通」续期。`,
    uids: await listAccountsWithPermission(db, tenantId, RENEW),
    priority: 3,
  })

interface Ending extends Record<string, unknown> {
  readonly tenantId: number
  readonly n: number
  readonly first: string
}

/**
 * Stores a notice for every queue that ends within `days`, once, and sends one message to the staff of each tenant. A
 * service that was opened for less than this time is not announced.
 */
async function announceEnds(services: Services, days: number, at: string) {
  const { rows: tenants } = await services.database.db.execute<Tenant>(sql`
    select distinct q.tenant_id as "tenantId" from oss_queues q where q.suspended = 0
      and q.end_time > ${at}::timestamptz and q.end_time <= ${at}::timestamptz + make_interval(days => ${days}) order by 1`)
  return forEachTenant(services, tenants, async (tx, tenantId) => {
    const ending = await storeNotices(tx, tenantId, days, at)
    if (ending.n > 0) await notifyOfEnds(services, tx, ending, days)
    return ending.n
  })
}

interface Tenant extends Record<string, unknown> {
  readonly tenantId: number
}

/** Runs `work` in a transaction for each tenant. A failure of one tenant does not stop the others. Returns the sum. */
async function forEachTenant(
  services: Services,
  tenants: readonly Tenant[],
  work: (db: Db, tenantId: number) => Promise<number>,
) {
  const isolation = { log: services.log, kind: KIND, name: ({ tenantId }: Tenant) => ({ tenantId }) }
  let sum = 0
  await forEachIsolated(tenants, isolation, ({ tenantId }) =>
    services.database.db.transaction(async (db) => {
      sum += await work(db, tenantId)
    }),
  )
  return sum
}

interface Deletion {
  readonly at: string
  readonly keepDays: number
}

/**
 * Stores one notice for every ended service whose videos `oss-purge` deletes within two days. Sends one message to the
 * staff of each tenant.
 */
async function announceDeletions(services: Services, deletion: Deletion) {
  const { rows: tenants } = await services.database.db.execute<Tenant>(sql`
    select distinct q.tenant_id as "tenantId" from oss_queues q where ${endsWithin(deletion)} order by 1`)
  return forEachTenant(services, tenants, async (db, tenantId) => {
    const { rows } = await db.execute<{ n: number }>(sql`
      with made as (insert into oss_notices (tenant_id, device_id, sn, channel, kind, days, end_time, create_time)
        select q.tenant_id, q.device_id, d.sn, q.channel, 3, ${noticeDaysOf(deletion)}, q.end_time, ${deletion.at}::timestamptz
        from oss_queues q join devices d on d.id = q.device_id
        where q.tenant_id = ${tenantId} and ${endsWithin(deletion)}
          and exists (select from oss_device_days o where o.device_id = q.device_id and o.channel = q.channel
            and o.tenant_id = q.tenant_id and o.expire_days <> '{}')
        on conflict do nothing returning 1)
      select count(*)::int as n from made`)
    const { n } = rows[0]!
    if (n > 0) await notifyOfDeletions(services, db, { tenantId, n, days: noticeDaysOf(deletion) })
    return n
  })
}

const noticeDaysOf = ({ keepDays }: Deletion) => Math.min(DELETED_WITHIN_DAYS, keepDays)

/** Condition of queues whose videos are deleted within two days. */
const endsWithin = ({ at, keepDays }: Deletion) => sql`q.suspended = 0 and q.purged_end is distinct from q.end_time
  and q.end_time <= ${at}::timestamptz - make_interval(days => ${Math.max(0, keepDays - DELETED_WITHIN_DAYS)})
  and q.end_time > ${at}::timestamptz - make_interval(days => ${keepDays})`

const notifyOfDeletions = async (
  services: Services,
  db: Db,
  { tenantId, n, days }: { tenantId: number; n: number; days: number },
) =>
  sendMessage(services, db, {
    topic: 'storage',
    title: `${n}个通道的录像将在 ${days} 天内删除`,
    text: `有${n}个设备通道的云存储已过期，保留的录像将在 ${days} 天内删除，删除后不能恢复。\n需要保留的，请在「云存开通」续期。`,
    uids: await listAccountsWithPermission(db, tenantId, RENEW),
    priority: 3,
  })

async function storeNotices(db: Db, tenantId: number, days: number, at: string): Promise<Ending> {
  const { rows } = await db.execute<Ending>(sql`
    with made as (insert into oss_notices (tenant_id, device_id, sn, channel, kind, days, end_time, create_time)
      select q.tenant_id, q.device_id, e.sn, q.channel, 1, ${days}, q.end_time, ${at}::timestamptz
      from oss_queues q join lateral (select sn, create_time from oss_entitlements e where e.device_id = q.device_id
        and e.channel = q.channel and e.state in (0, 1) and e.end_time = q.end_time limit 1) e on true
      where q.tenant_id = ${tenantId} and q.suspended = 0 and q.end_time > ${at}::timestamptz
        and q.end_time <= ${at}::timestamptz + make_interval(days => ${days})
        and e.create_time < q.end_time - make_interval(days => ${days + 1})
        and not exists (select from oss_notices n where n.device_id = q.device_id and n.channel = q.channel
          and n.end_time = q.end_time and n.kind = 1 and n.days <= ${days})
      on conflict do nothing returning tenant_id, end_time)
    select ${tenantId}::int as "tenantId", count(*)::int as n,
      coalesce(to_char(min(end_time), 'YYYY-MM-DD HH24:MI'), '') as first from made`)
  return rows[0]!
}

const notifyOfEnds = async (services: Services, db: Db, { tenantId, n, first }: Ending, days: number) =>
  sendMessage(services, db, {
    topic: 'storage',
    title: `${n}个通道的云存储将在 ${days} 天内到期`,
    text: `有${n}个设备通道的云存储将在 ${days} 天内到期，最早于 ${first} 到期。\n到期后停止录像，请在「云存开通」续期。`,
    uids: await listAccountsWithPermission(db, tenantId, RENEW),
    priority: days <= 7 ? 3 : 2,
  })

/** Queues mails to the users of new notices: one mail for all notices of an account. Returns the number of mails. */
async function mailNotices(services: Services): Promise<number> {
  let mails = 0
  for (let read = NOTICES_AT_ONCE; read === NOTICES_AT_ONCE; ) {
    const done = await services.database.db.transaction((db) => mailSome(services, db))
    read = done.read
    mails += done.mails
  }
  return mails
}

async function mailSome(services: Services, db: Db) {
  const last = await lastMailed(db)
  const rows = await db
    .select({ id: ossNotices.id })
    .from(ossNotices)
    .where(gt(ossNotices.id, last))
    .orderBy(asc(ossNotices.id))
    .limit(NOTICES_AT_ONCE)
  const ids = rows.map(({ id }) => id)
  const newest = ids.at(-1)
  if (newest === undefined) return { read: 0, mails: 0 }
  await saveLast(db, newest)
  // Without a mail server the notices are skipped, so that users get no old mails when one is configured.
  if (!services.mail.configured) return { read: ids.length, mails: 0 }
  let mails = 0
  for (const [uid, own] of Map.groupBy(await addressed(db, ids, services.now()), (each) => each.uid)) {
    const mail = { to: own[0]!.email ?? '', subject: '云存储提醒', text: textOf(own) }
    const options = { ...mail, limitKey: `oss:${uid}`, validMinutes: VALID_MINUTES }
    if (await queueMail(services, db, options, MOST_PER_HOUR)) mails += 1
  }
  return { read: ids.length, mails }
}

async function lastMailed(db: Db): Promise<number> {
  const [row] = await db.select({ value: settings.value }).from(settings).where(eq(settings.key, MAILED_KEY))
  return typeof row?.value === 'number' ? row.value : 0
}

const saveLast = (db: Db, id: number) =>
  db
    .insert(settings)
    .values({ key: MAILED_KEY, value: id })
    .onConflictDoUpdate({ target: settings.key, set: { value: id } })

/** Selects notices of the last day whose device has an owner with an enabled account and a mail address. */
const addressed = (db: Db, ids: readonly number[], now: Date) =>
  db
    .select({
      uid: appAccounts.uid,
      email: appAccounts.email,
      sn: ossNotices.sn,
      channel: ossNotices.channel,
      kind: ossNotices.kind,
      days: ossNotices.days,
      endTime: sql<string>`to_char(${ossNotices.endTime}, 'YYYY-MM-DD HH24:MI')`,
    })
    .from(ossNotices)
    .innerJoin(devices, eq(devices.id, ossNotices.deviceId))
    .innerJoin(appAccounts, eq(appAccounts.uid, devices.appAccountId))
    .where(
      and(
        inArray(ossNotices.id, [...ids]),
        isOfCurrentOwner,
        gt(ossNotices.createTime, new Date(now.getTime() - DAY_MS).toISOString()),
        ne(sql`coalesce(${appAccounts.email}, '')`, ''),
        eq(appAccounts.status, 1),
        notDeleted(appAccounts),
      ),
    )
    .orderBy(asc(appAccounts.uid), asc(ossNotices.id))

type Addressed = Awaited<ReturnType<typeof addressed>>[number]

const TEXT_BY_KIND: Readonly<Record<number, (notice: Addressed) => string>> = {
  1: ({ days, endTime }) => `云存储将在 ${days} 天内到期（${endTime}），到期后停止录像。`,
  2: ({ endTime }) => `云存储已于 ${endTime} 过期，录像已停止。`,
  3: ({ days }) => `云存储已过期，保留的录像将在 ${days} 天内删除，续费后可继续查看。`,
}

function textOf(notices: readonly Addressed[]): string {
  const lines = notices
    .slice(0, MAX_LINES)
    .map((notice) => `设备 ${notice.sn} 通道${notice.channel}：${TEXT_BY_KIND[notice.kind]?.(notice) ?? ''}`)
  const rest = notices.length > MAX_LINES ? [`另有${notices.length - MAX_LINES}个通道，请在App中查看。`] : []
  return [...lines, ...rest].join('\n')
}

/**
 * Condition of the notices that were created after the App account or the tenant of the device last changed. Earlier
 * notices belong to a former owner.
 */
export const isOfCurrentOwner = and(
  eq(ossNotices.tenantId, devices.tenantId),
  or(isNull(devices.ownerTime), gte(ossNotices.createTime, devices.ownerTime)),
)
