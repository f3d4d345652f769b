import { NOTICE_TYPE } from '@oms/contract/notice.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { notices, operLogs } from '#db/schema/system.ts'
import type { User } from '#kernel/context.ts'
import { inboxOf, unreadCount } from '#kernel/inbox.ts'
import { scoped } from '#kernel/tenancy.ts'
import type { Block } from './block.ts'

const SHOWN = 6

/** Unread messages, and the newest ones. */
export const noticesBlock: Block = {
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
      .where(inboxOf(user))
      .orderBy(desc(notices.isTop), desc(appeared))
      .limit(SHOWN)
    return {
      value: await unreadCount(db, user),
      detail: '条未读',
      url: user.can('system:noticeManage:list') ? '/system/noticeManage' : '',
      items: newest.map(({ noticeId, title, type, time }) => ({
        id: String(noticeId),
        title,
        detail: NOTICE_TYPE[type as keyof typeof NOTICE_TYPE] ?? '',
        time,
      })),
    }
  },
}

/** What was done lately: within the data scope for those who read the operation log, one's own for everybody else. */
export const operationsBlock: Block = {
  title: '最近操作',
  resources: [],
  may: () => true,
  async load({ db, user }) {
    const seen = seenBy(user)
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
      url: user.can('system:operLog:list') ? '/system/operLog' : '',
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
    ? scoped(user, { tenant: operLogs.tenantId, creator: operLogs.uid })
    : eq(operLogs.uid, user.uid)
