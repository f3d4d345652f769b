import { and, arrayOverlaps, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { noticeReads, notices } from '#core/schema/system.ts'
import type { User } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

const PUBLISHED = 1
const TARGET = { all: 1, tenants: 2, roles: 3, accounts: 4 } as const

/**
 * Returns the condition for notices in an account's inbox now: published, within their period and addressed to the
 * account.
 */
export function isInInbox(user: Pick<User, 'uid' | 'homeTenantId' | 'roleIds'>): SQL | undefined {
  const names = (ids: readonly number[]) => arrayOverlaps(notices.targetIds, [...ids])
  const tenantId = user.homeTenantId
  const addressed = or(
    eq(notices.target, TARGET.all),
    tenantId === null ? undefined : and(eq(notices.target, TARGET.tenants), names([tenantId])),
    user.roleIds.length === 0 ? undefined : and(eq(notices.target, TARGET.roles), names(user.roleIds)),
    and(eq(notices.target, TARGET.accounts), names([user.uid])),
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
export const isUnreadBy = (uid: number) =>
  sql`not exists (select from ${noticeReads} where ${noticeReads.noticeId} = ${notices.noticeId} and ${noticeReads.uid} = ${uid})`

/** Counts the unread messages for the badge in the top bar. */
export const countUnread = (db: Db, user: Pick<User, 'uid' | 'homeTenantId' | 'roleIds'>) =>
  db.$count(notices, and(isInInbox(user), isUnreadBy(user.uid)))
