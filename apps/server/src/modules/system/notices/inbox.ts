import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { inbox as calls } from '@oms/contract/system/notice.ts'
import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { accounts } from '#core/schema/account.ts'
import { noticeReads, notices } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { isInInbox, isUnreadBy, countUnread } from './unread.ts'
import { notFound } from '#core/http/api-error.ts'
import { paginate } from '#core/database/lists/list-query.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

/** Time at which the notice entered the inbox: publication or its start time. */
const appeared = sql<string>`greatest(${notices.publishTime}, ${notices.startTime})`
const ROW = {
  noticeId: notices.noticeId,
  title: notices.title,
  type: notices.type,
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
export function listInbox(ctx: Ctx, { read, type, ...page }: ParsedOf<typeof calls.mine>) {
  const filter = and(
    isInInbox(ctx.user),
    type === undefined ? undefined : eq(notices.type, type),
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
