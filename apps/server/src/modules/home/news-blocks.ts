import { NOTICE_TYPE } from '@oms/contract/system/notice.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { isInInbox, countUnread } from '#modules/system/inbox.ts'
import { isLoggedRecordInScope } from '#modules/account/logged-records.ts'
import { notices, operLogs } from '#core/schema/system.ts'
import type { BlockSource } from './block.ts'

const SHOWN = 6

/** Returns the number of unread messages and the newest messages. No page lists unread messages, so it has no URL. */
export const noticesBlock: BlockSource = {
  title: '通知公告',
  resources: ['sys'],
  may: () => true,
  async load({ db, user }) {
    const appeared = sql<string>`greatest(${notices.publishTime}, ${notices.startTime})`
    const newest = await db
      .select({
        noticeId: notices.noticeId,
        title: notices.title,
        type: notices.type,
        time: appeared.mapWith(notices.publishTime),
      })
      .from(notices)
      .where(isInInbox(user))
      .orderBy(desc(notices.isTop), desc(appeared))
      .limit(SHOWN)
    return {
      value: await countUnread(db, user),
      detail: '条未读',
      url: '',
      items: newest.map(({ noticeId, title, type, time }) => ({
        id: String(noticeId),
        title,
        detail: NOTICE_TYPE[type as keyof typeof NOTICE_TYPE] ?? '',
        time,
      })),
    }
  },
}

/** Lists recent operations: within the data scope with the log permission, otherwise the account's own. */
export const operationsBlock: BlockSource = {
  title: '最近操作',
  resources: [],
  may: () => true,
  async load({ db, user, now, services }) {
    const seen = seenBy(user)
    const day = formatLocalDay(now, services.config.timeZone)
    const rows = await db
      .select({
        operId: operLogs.operId,
        title: operLogs.title,
        action: operLogs.action,
        operName: operLogs.operName,
        status: operLogs.status,
        operTime: operLogs.operTime,
      })
      .from(operLogs)
      .where(seen)
      .orderBy(desc(operLogs.operTime), desc(operLogs.operId))
      .limit(SHOWN)
    const today = and(seen, sql`${operLogs.operTime} >= date_trunc('day', now())`)
    return {
      value: await db.$count(operLogs, today),
      detail: '次（今日）',
      url: user.can('system:operLog:list') ? `/system/operLog?beginTime=${day}&endTime=${day}` : '',
      items: rows.map(({ operId, title, action, operName, status, operTime }) => ({
        id: String(operId),
        title: action || title,
        detail: operName,
        time: operTime,
        state: status === 1 ? ('ok' as const) : ('bad' as const),
      })),
    }
  },
}

const seenBy = (user: User) =>
  user.can('system:operLog:list')
    ? and(scoped(user, { tenant: operLogs.tenantId, creator: operLogs.uid }), isLoggedRecordInScope(user))
    : eq(operLogs.uid, user.uid)
