import { and, asc, eq, gt, inArray, ne, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { queueMail } from '#core/mail.ts'
import type { Services } from '#core/services.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { ossNotices } from './schema-sales.ts'
import { settings } from '#core/schema/system.ts'
import { appAccounts } from '#core/schema/tenant.ts'
import { isOfCurrentOwner } from './notice-owner.ts'

/** Settings key of the last notice whose users were mailed. */
const MAILED_KEY = 'storageMailedNotice'
const NOTICES_AT_ONCE = 500
const MOST_PER_HOUR = 6
const VALID_MINUTES = 24 * 60
const DAY_MS = 86_400_000
/** Maximum number of devices that one mail lists. */
const MAX_LINES = 20

/** Queues mails to the users of new notices: one mail for all notices of an account. Returns the number of mails. */
export async function mailNotices(services: Services): Promise<number> {
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
  1: ({ days, endTime }) => `云存储将在${days}天内到期（${endTime}），到期后停止录像。`,
  2: ({ endTime }) => `云存储已于 ${endTime} 过期，录像已停止。`,
  3: ({ days }) => `云存储已过期，保留的录像将在${days}天内删除，续费后可继续查看。`,
}

function textOf(notices: readonly Addressed[]): string {
  const lines = notices
    .slice(0, MAX_LINES)
    .map((notice) => `设备 ${notice.sn} 通道${notice.channel}：${TEXT_BY_KIND[notice.kind]?.(notice) ?? ''}`)
  const rest = notices.length > MAX_LINES ? [`另有${notices.length - MAX_LINES}个通道，请在App中查看。`] : []
  return [...lines, ...rest].join('\n')
}
