import { and, arrayOverlaps, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { noticeReads, notices } from '#db/schema/system.ts'
import type { User } from './context.ts'
import { alive, PLATFORM_TENANT_ID } from './tenancy.ts'

const PUBLISHED = 1
const TARGET = { all: 1, tenants: 2, roles: 3, accounts: 4 } as const

/** The notices an account finds in its inbox right now: published, within their time, and addressed to it. */
export function inboxOf(user: Pick<User, 'uid' | 'homeTenantId' | 'roleIds'>): SQL | undefined {
  const names = (ids: readonly number[]) => arrayOverlaps(notices.targetIds, [...ids])
  const tenantId = user.homeTenantId
  const addressed = or(
    eq(notices.target, TARGET.all),
    tenantId === null ? undefined : and(eq(notices.target, TARGET.tenants), names([tenantId])),
    user.roleIds.length === 0 ? undefined : and(eq(notices.target, TARGET.roles), names(user.roleIds)),
    and(eq(notices.target, TARGET.accounts), names([user.uid])),
  )
  // A customer's own notices stay inside it; the platform's reach everyone they are addressed to.
  const senders = tenantId === null ? [PLATFORM_TENANT_ID] : [PLATFORM_TENANT_ID, tenantId]
  return and(
    alive(notices),
    eq(notices.status, PUBLISHED),
    inArray(notices.tenantId, senders),
    or(isNull(notices.startTime), lte(notices.startTime, sql`now()`)),
    or(isNull(notices.endTime), gt(notices.endTime, sql`now()`)),
    addressed,
  )
}

/** Condition: this account has not read the notice of the surrounding query. */
export const unreadBy = (uid: number) =>
  sql`not exists (select from ${noticeReads} where ${noticeReads.noticeId} = ${notices.noticeId} and ${noticeReads.uid} = ${uid})`

/** How many messages wait unread: what the badge in the top bar shows. */
export const unreadCount = (db: Db, user: Pick<User, 'uid' | 'homeTenantId' | 'roleIds'>) =>
  db.$count(notices, and(inboxOf(user), unreadBy(user.uid)))
