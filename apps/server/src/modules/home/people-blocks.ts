import { NOTICE_TYPE } from '@oms/contract/system/notice.ts'
import { and, eq, sql, desc } from 'drizzle-orm'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts, sessions } from '#core/schema/account.ts'
import { loginLogs, notices, operLogs } from '#core/schema/system.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { isOpenAccountSession, isLoggedRecordInScope } from '#modules/account/index.ts'
import { isInInbox, countUnread } from '#modules/system/index.ts'
import type { BlockSource } from './block.ts'
import { firstDay, readByDay } from './growth.ts'

const DAYS = 7

/**
 * Counts open consoles and the logins of a week. An account with the scope "own records" sees only sessions of accounts
 * that it created: the block would show 0 without its own session, so the block is hidden.
 */
export const sessionsBlock: BlockSource = {
  title: '在线会话',
  resources: ['sys'],
  may: (user) => user.can('system:online:list') && !user.scope.ownOnly,
  async load(ctx) {
    const [open] = await ctx.db
      .select({ value: sql<number>`count(*)::int` })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.uid, sessions.uid))
      .where(isOpenAccountSession(ctx))
    const trend = await loginsByDay(ctx)
    const [yesterday, today] = trend.slice(-2)
    return {
      value: open?.value ?? 0,
      detail: `今日登录 ${today?.value ?? 0} 次，昨日 ${yesterday?.value ?? 0} 次`,
      url: '/system/loginLog?view=online',
      trend,
    }
  },
}

async function loginsByDay({ db, user }: Ctx) {
  const where = and(
    sql`${loginLogs.loginTime} >= ${firstDay(DAYS)}`,
    sql`${loginLogs.status} = 1 and ${loginLogs.loginType} in (1, 2)`,
    scoped(user, { tenant: loginLogs.tenantId, creator: loginLogs.uid }),
  )
  const logins = sql`select date_trunc('day', login_time) as at, count(*) as n from login_logs where ${where} group by 1`
  return readByDay<number>(db, DAYS, logins, sql`0`)
}

/** Counts the accounts of the linked list, accounts added today and disabled accounts. */
export const accountsBlock: BlockSource = {
  title: '账号',
  resources: ['tenant'],
  may: (user) => user.can('system:userList:list') || user.can('system:manager:list'),
  async load({ db, user }) {
    const seesAll = user.can('system:userList:list')
    const url = seesAll ? '/system/userList' : '/system/manager'
    // The list of staff contains only the session's tenant.
    const listed = seesAll ? undefined : sql`${accounts.tenantId} = ${user.tenantId}`
    const [sums] = await db
      .select({
        value: sql<number>`count(*)::int`,
        today: sql<number>`count(*) filter (where create_time >= date_trunc('day', now()))::int`,
        off: sql<number>`count(*) filter (where status = 0)::int`,
      })
      .from(accounts)
      .where(and(notDeleted(accounts), listed, scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy })))
    return {
      value: sums?.value ?? 0,
      delta: sums?.today ?? 0,
      ...(sums?.off
        ? { figures: [{ title: '停用', value: sums.off, url: `${url}?status=0` }] }
        : { detail: '全部启用' }),
      url,
    }
  },
}

const SHOWN_NOTICES = 6
const SHOWN_OPERATIONS = 8

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
        isTop: notices.isTop,
        time: appeared.mapWith(notices.publishTime),
      })
      .from(notices)
      .where(isInInbox(user))
      .orderBy(desc(notices.isTop), desc(appeared))
      .limit(SHOWN_NOTICES)
    return {
      value: await countUnread(db, user),
      detail: '条未读',
      url: '',
      items: newest.map(({ noticeId, title, type, isTop, time }) => ({
        id: String(noticeId),
        title,
        detail: `${isTop ? '置顶 · ' : ''}${NOTICE_TYPE[type as keyof typeof NOTICE_TYPE] ?? ''}`,
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
      .limit(SHOWN_OPERATIONS)
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
