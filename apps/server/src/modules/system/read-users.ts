import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { notices as calls } from '@oms/contract/system/notice.ts'
import { and, desc, eq, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { contains, paginate } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { noticeReads, notices } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { buildAudienceFilter } from './notice-audience.ts'
import { buildManagedNoticeCondition } from './notice.ts'

const ROW = {
  uid: accounts.uid,
  account: accounts.account,
  realname: accounts.realname,
  tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
  readTime: noticeReads.readTime,
  confirmTime: noticeReads.confirmTime,
}

/**
 * Lists the addressed accounts within the caller's data scope that have read the notice, with the time, or have not.
 */
export async function listNoticeReaders(ctx: Ctx, input: ParsedOf<typeof calls.readUsers>) {
  const { db, user } = ctx
  const { id, keyword, read, ...page } = input
  const [notice] = await db
    .select()
    .from(notices)
    .where(and(eq(notices.noticeId, id), buildManagedNoticeCondition(user)))
  if (!notice) throw notFound('通知公告')
  const addressed = and(buildAudienceFilter(notice), scoped(user, { tenant: accounts.tenantId }))
  const receipt = and(eq(noticeReads.uid, accounts.uid), eq(noticeReads.noticeId, id))
  const query = db
    .select(ROW)
    .from(accounts)
    .leftJoin(noticeReads, receipt)
    .leftJoin(tenants, eq(tenants.id, accounts.tenantId))
    .where(
      and(
        addressed,
        or(contains(accounts.account, keyword), contains(accounts.realname, keyword)),
        read === undefined ? undefined : read ? isNotNull(noticeReads.readTime) : isNull(noticeReads.readTime),
      ),
    )
    .$dynamic()
  const order = [sql`${noticeReads.readTime} desc nulls last`, desc(accounts.uid)]
  const [sums] = await db
    .select({
      targetCount: sql<number>`count(*)::int`,
      readCount: sql<number>`count(${noticeReads.readTime})::int`,
      confirmCount: sql<number>`count(${noticeReads.confirmTime})::int`,
    })
    .from(accounts)
    .leftJoin(noticeReads, receipt)
    .where(addressed)
  return { ...(await paginate(db, query, page, order)), ...sums! }
}
