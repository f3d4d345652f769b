import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { notices as calls } from '@oms/contract/system/notice.ts'
import { and, type Column, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { noticeReads, notices } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notFound } from '#core/http/api-error.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { buildManagedNoticeCondition } from './managed-notices.ts'
import { countAudiences, isSharedNotice } from './notice-audience.ts'
import { listTargetNames } from './notice-target.ts'

const ROW = {
  noticeId: notices.noticeId,
  tenantId: notices.tenantId,
  title: notices.title,
  type: notices.type,
  priority: notices.priority,
  target: notices.target,
  targetIds: notices.targetIds,
  isTop: notices.isTop,
  needConfirm: notices.needConfirm,
  status: notices.status,
  tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
  startTime: notices.startTime,
  endTime: notices.endTime,
  publishTime: notices.publishTime,
  publisherName: sql<string>`coalesce(${accounts.realname}, '')`.as('publisher_name'),
  createTime: notices.createTime,
  rev: notices.rev,
}
const DETAIL = {
  ...ROW,
  content: notices.content,
  summary: notices.summary,
  attachments: notices.attachments,
}

export async function listNotices({ db, user }: Ctx, input: ParsedOf<typeof calls.list>) {
  const filter = and(
    buildManagedNoticeCondition(user),
    contains(notices.title, input.title),
    is(notices.type, input.type),
    is(notices.status, input.status),
    is(notices.target, input.target),
    is(notices.priority, input.priority),
    ...within(notices.createTime, input.beginTime, input.endTime),
  )
  const rows = db
    .select(ROW)
    .from(notices)
    .leftJoin(tenants, eq(tenants.id, notices.tenantId))
    .leftJoin(accounts, eq(accounts.uid, notices.publisher))
    .where(filter)
    .$dynamic()
  const sorts = { noticeId: notices.noticeId, publishTime: notices.publishTime }
  const page = await paginate(db, rows, input, buildSort(input, sorts, notices.noticeId, [desc(notices.noticeId)]))
  return { ...page, list: await withCounts(db, user, page.list) }
}

const is = (column: Column, value: number | undefined) => (value === undefined ? undefined : eq(column, value))

export async function getNotice({ db, user }: Ctx, { id }: ParsedOf<typeof calls.get>) {
  const [row] = await db
    .select(DETAIL)
    .from(notices)
    .leftJoin(tenants, eq(tenants.id, notices.tenantId))
    .leftJoin(accounts, eq(accounts.uid, notices.publisher))
    .where(and(eq(notices.noticeId, id), buildManagedNoticeCondition(user)))
  if (!row) throw notFound('通知公告')
  const [counted] = await withCounts(db, user, [row])
  return { ...counted!, targets: await listTargetNames(db, user, row.target, row.targetIds) }
}

type Counted = { noticeId: number; tenantId: number; target: number; targetIds: number[] }

async function withCounts<R extends Counted>(db: Db, user: User, rows: R[]) {
  const targetCounts = await countAudiences(db, user, rows)
  const readCounts = await readsOf(
    db,
    user,
    rows.map(({ noticeId }) => noticeId),
  )
  return rows.map((row, at) => ({
    ...row,
    isEditable: !isSharedNotice(row) || user.scope.tenants === 'all',
    targetCount: targetCounts[at] ?? 0,
    readCount: readCounts.get(row.noticeId) ?? 0,
  }))
}

async function readsOf(db: Db, user: User, ids: number[]) {
  if (ids.length === 0) return new Map<number, number>()
  const counts = await db
    .select({ noticeId: noticeReads.noticeId, count: sql<number>`count(*)::int` })
    .from(noticeReads)
    .innerJoin(accounts, eq(accounts.uid, noticeReads.uid))
    .where(and(inArray(noticeReads.noticeId, ids), scoped(user, { tenant: accounts.tenantId })))
    .groupBy(noticeReads.noticeId)
  return new Map(counts.map(({ noticeId, count }) => [noticeId, count]))
}
