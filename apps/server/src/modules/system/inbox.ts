import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type inbox as calls, MUTED_TOPICS_KEY, type NoticeTopic } from '@oms/contract/system/notice.ts'
import { and, desc, eq, isNotNull, isNull, sql, arrayOverlaps, gt, inArray, lte, or, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts, preferences } from '#core/schema/account.ts'
import { NOTICE_TARGET_KIND } from '#core/schema/notice-targets.ts'
import { noticeReads, notices } from '#core/schema/system.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/** Time at which the notice entered the inbox: publication or its start time. */
const appeared = sql<string>`greatest(${notices.publishTime}, ${notices.startTime})`
const ROW = {
  noticeId: notices.noticeId,
  title: notices.title,
  type: notices.type,
  topic: notices.topic,
  summary: notices.summary,
  priority: notices.priority,
  isTop: notices.isTop,
  needConfirm: notices.needConfirm,
  attachmentCount: sql<number>`jsonb_array_length(${notices.attachments})`.as('attachment_count'),
  publishTime: appeared.mapWith(notices.publishTime).as('appeared'),
  // Accounts of tenants do not see the names of platform staff.
  publisherName: sql<string>`coalesce(${accounts.realname}, '平台')`.as('publisher_name'),
  readTime: noticeReads.readTime,
  confirmTime: noticeReads.confirmTime,
}

const rows = ({ db, user }: Ctx) => ({
  list: db
    .select(ROW)
    .from(notices)
    .leftJoin(noticeReads, mine(user.uid))
    .leftJoin(accounts, eq(accounts.uid, notices.publisher))
    .$dynamic(),
})
const mine = (uid: number) => and(eq(noticeReads.noticeId, notices.noticeId), eq(noticeReads.uid, uid))

/** Lists the caller's messages, pinned messages first, then newest first. */
export function listInbox(ctx: Ctx, { read, type, topic, ...page }: ParsedOf<typeof calls.mine>) {
  const filter = and(
    isInInbox(ctx.user),
    type === undefined ? undefined : eq(notices.type, type),
    topic === undefined ? undefined : eq(notices.topic, topic),
    read === undefined ? undefined : read ? isNotNull(noticeReads.readTime) : isNull(noticeReads.readTime),
  )
  const query = rows(ctx).list.where(filter)
  return paginate(ctx.db, query, page, [desc(notices.isTop), desc(appeared), desc(notices.noticeId)])
}

export async function readInboxNotice(ctx: Ctx, { id }: ParsedOf<typeof calls.view>) {
  const { db, user } = ctx
  const [row] = await db
    .select({ ...ROW, content: notices.content, attachments: notices.attachments })
    .from(notices)
    .leftJoin(noticeReads, mine(user.uid))
    .leftJoin(accounts, eq(accounts.uid, notices.publisher))
    .where(and(eq(notices.noticeId, id), isInInbox(user)))
  if (!row) throw notFound('消息')
  return row
}

export const countUnreadNotices = async ({ db, user }: Ctx) => ({ count: await countUnread(db, user) })

/** Marks a message as read. Repeating changes nothing; the time of the first confirmation is kept. */
export async function markNoticeRead(ctx: Ctx, { id, confirm }: ParsedOf<typeof calls.read>) {
  const { db, user, services } = ctx
  const [notice] = await db
    .select({ needConfirm: notices.needConfirm })
    .from(notices)
    .where(and(eq(notices.noticeId, id), notDeleted(notices), isInInbox(user)))
  if (!notice) throw notFound('消息')
  const confirmed = confirm === 1 && notice.needConfirm === 1
  await db
    .insert(noticeReads)
    .values({ noticeId: id, uid: user.uid, ...(confirmed && { confirmTime: sql`now()` as unknown as string }) })
    .onConflictDoUpdate({
      target: [noticeReads.noticeId, noticeReads.uid],
      set: { confirmTime: sql`coalesce(${noticeReads.confirmTime}, excluded.confirm_time)` },
    })
  await services.events.publish(db, 'notice', { uids: [user.uid] })
  return countUnreadNotices(ctx)
}

/** Marks all messages as read, except messages that require a confirmation. */
export async function markAllNoticesRead(ctx: Ctx) {
  const { db, user, services } = ctx
  const waiting = and(isInInbox(user), isUnreadBy(user.uid), eq(notices.needConfirm, 0))
  await db.execute(sql`insert into notice_reads (notice_id, uid)
    select notice_id, ${user.uid} from notices where ${waiting} on conflict do nothing`)
  await services.events.publish(db, 'notice', { uids: [user.uid] })
  return countUnreadNotices(ctx)
}

const PUBLISHED = 1

/**
 * Returns the condition for notices in an account's inbox now: published, within their period and addressed to the
 * account.
 */
export function isInInbox(user: Pick<User, 'uid' | 'homeTenantId' | 'roleIds'>): SQL | undefined {
  const names = (ids: readonly number[]) => arrayOverlaps(notices.targetIds, [...ids])
  const tenantId = user.homeTenantId
  const addressed = or(
    eq(notices.target, NOTICE_TARGET_KIND.all),
    tenantId === null ? undefined : and(eq(notices.target, NOTICE_TARGET_KIND.tenants), names([tenantId])),
    user.roleIds.length === 0 ? undefined : and(eq(notices.target, NOTICE_TARGET_KIND.roles), names(user.roleIds)),
    and(eq(notices.target, NOTICE_TARGET_KIND.accounts), names([user.uid])),
  )
  // A tenant's notices reach only that tenant's accounts. Platform notices reach every addressed account.
  const senders = tenantId === null ? [PLATFORM_TENANT_ID] : [PLATFORM_TENANT_ID, tenantId]
  return and(
    notDeleted(notices),
    eq(notices.status, PUBLISHED),
    inArray(notices.tenantId, senders),
    or(isNull(notices.startTime), lte(notices.startTime, sql`now()`)),
    or(isNull(notices.endTime), gt(notices.endTime, sql`now()`)),
    addressed,
  )
}

/** Returns the condition that the account has not read the notice of the surrounding query. */
const isUnreadBy = (uid: number) =>
  sql`not exists (select from ${noticeReads} where ${noticeReads.noticeId} = ${notices.noticeId} and ${noticeReads.uid} = ${uid})`

/** Counts the unread messages for the badge in the top bar. */
export const countUnread = (db: Db, user: Pick<User, 'uid' | 'homeTenantId' | 'roleIds'>) =>
  db.$count(notices, and(isInInbox(user), isUnreadBy(user.uid)))

/** A message that the system sends to individual accounts. */
interface InboxMessage {
  /** Accounts that muted the topic do not receive the message. */
  readonly topic: NoticeTopic
  readonly title: string
  /** Plain text. This module escapes the text for HTML. */
  readonly text: string
  /** Link below the text, to a path of the console. */
  readonly link?: { readonly path: string; readonly text: string }
  readonly uids: readonly number[]
  /** 1 low, 2 medium, 3 high. */
  readonly priority?: 1 | 2 | 3
}

const SYSTEM = 3
/** Maximum number of accounts in one NOTIFY, whose payload is limited to 8,000 bytes. */
const MAX_NOTIFIED_ACCOUNTS = 500
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)
const linkOf = ({ path, text }: NonNullable<InboxMessage['link']>) =>
  `<a href="${escapeHtml(path)}">${escapeHtml(text)}</a>`

/** Removes the accounts that do not want messages of a topic. */
async function omitMuted(db: Db, topic: NoticeTopic, uids: readonly number[]) {
  if (uids.length === 0) return []
  const muted = await db
    .select({ uid: preferences.uid })
    .from(preferences)
    .where(
      and(
        eq(preferences.key, MUTED_TOPICS_KEY),
        inArray(preferences.uid, [...uids]),
        sql`position(${`"${topic}"`} in ${preferences.value}) > 0`,
      ),
    )
  return uids.filter((each) => !muted.some(({ uid }) => uid === each))
}

/**
 * Writes a system message to the inboxes of accounts and notifies their open consoles. The platform owns the
 * message, so that accounts without a tenant receive it too. Must not run in a transaction with row-level security.
 */
export async function sendMessage({ events }: Pick<Services, 'events'>, db: Db, message: InboxMessage) {
  const { title, text, topic, priority = 2, link } = message
  const uids = await omitMuted(db, topic, [...new Set(message.uids)])
  if (uids.length === 0) return
  const at = new Date().toISOString()
  const [made] = await db
    .insert(notices)
    .values({
      tenantId: PLATFORM_TENANT_ID,
      title: title.slice(0, 50),
      type: SYSTEM,
      topic,
      priority,
      content: [...text.split('\n').map(escapeHtml), ...(link ? [linkOf(link)] : [])]
        .map((line) => `<p>${line}</p>`)
        .join(''),
      summary: text.slice(0, 200),
      target: NOTICE_TARGET_KIND.accounts,
      targetIds: uids,
      status: PUBLISHED,
      publishTime: at,
    })
    .returning({ noticeId: notices.noticeId })
  const noticeId = made!.noticeId
  for (let from = 0; from < uids.length; from += MAX_NOTIFIED_ACCOUNTS)
    await events.publish(db, 'notice', {
      noticeId,
      title: title.slice(0, 50),
      uids: uids.slice(from, from + MAX_NOTIFIED_ACCOUNTS),
    })
}
