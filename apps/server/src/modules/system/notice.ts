import { setImmediate } from 'node:timers/promises'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import {
  type notices as calls,
  NOTICE_PUBLISHED,
  NOTICE_REVOKED,
  NoticeInput,
  NOTICE_DRAFT,
} from '@oms/contract/system/notice.ts'
import { and, type Column, desc, eq, inArray, sql, isNotNull, ne, or, type SQL } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound, invalid, refused, tooMany } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import { accounts } from '#core/schema/account.ts'
import { NOTICE_TARGET_KIND, selectNoticeTenants } from '#core/schema/notice-targets.ts'
import { noticeReads, notices, files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { markFilesUsed } from '#core/storage/save-upload.ts'
import { scoped, assertSeesAllTenants, notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { countAudiences, isSharedNotice, listTargetNames, assertAddressable, publishNotice } from './notice-audience.ts'

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

const BIZ = 'notice'
const TITLES = Object.fromEntries(
  Object.keys(NoticeInput.shape).map((field) => [field, about(NoticeInput, field).title as string]),
)
type Stored = typeof notices.$inferSelect

export async function createNotice(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const tenantId = user.tenantId
  if (tenantId === null) throw refused('您还没有加入客户，不能发布通知公告')
  const fields = await prepared(ctx, input, [tenantId], tenantId)
  const [made] = await db
    .insert(notices)
    .values({ ...fields, tenantId, createBy: user.uid, updateBy: user.uid })
    .returning({ noticeId: notices.noticeId })
  const noticeId = made!.noticeId
  ctx.audit({
    bizType: BIZ,
    bizId: noticeId,
    action: `新增通知公告「${input.title}」`,
    diff: listChanges({}, fields, TITLES),
  })
  return { noticeId }
}

/**
 * Updates a draft or withdrawn notice. A published notice must be withdrawn first, because people have read the
 * text.
 */
export async function updateNotice(ctx: Ctx, { noticeId, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await lock(ctx, noticeId)
  await checkRevision(db, stored, rev)
  if (stored.status === NOTICE_PUBLISHED) throw refused('已发布的通知公告不能修改，请先撤回')
  const fields = await prepared(ctx, input, [stored.tenantId, user.tenantId ?? stored.tenantId], stored.tenantId)
  const change = updateColumns(stored, user.uid, now)
  await db
    .update(notices)
    .set({ ...fields, ...change })
    .where(eq(notices.noticeId, noticeId))
  ctx.audit({
    bizType: BIZ,
    bizId: noticeId,
    action: `修改通知公告「${stored.title}」`,
    diff: listChanges(stored, fields, TITLES),
  })
  return { rev: change.rev }
}

export async function removeNotice(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const stored = await lock(ctx, id)
  if (stored.status === NOTICE_PUBLISHED) throw refused('已发布的通知公告不能删除，请先撤回')
  await ctx.db.update(notices).set({ deletedAt: ctx.now.toISOString() }).where(eq(notices.noticeId, id))
  ctx.audit({ bizType: BIZ, bizId: id, action: `删除通知公告「${stored.title}」` })
  return null
}

/** Publishes a notice. Publishing after a withdrawal deletes the read receipts of the old text. */
export async function publishDraft(ctx: Ctx, { id }: ParsedOf<typeof calls.publish>) {
  const { db, user, now, services } = ctx
  const stored = await lock(ctx, id)
  if (stored.status === NOTICE_PUBLISHED) throw refused('该通知公告已经发布')
  const standing = await standingOf(db, id)
  if (standing.ended) throw invalid('结束时间已过，请修改后再发布', 'endTime')
  await assertAddressable(db, user, stored)
  await db.delete(noticeReads).where(eq(noticeReads.noticeId, id))
  const published = { status: NOTICE_PUBLISHED, publishTime: now.toISOString(), publisher: user.uid }
  await db
    .update(notices)
    .set({ ...published, ...updateColumns(stored, user.uid, now) })
    .where(eq(notices.noticeId, id))
  if (!standing.waiting) await publishNotice(services, db, stored, { withTitle: true })
  ctx.audit({ bizType: BIZ, bizId: id, action: `发布通知公告「${stored.title}」` })
  return null
}

export async function revokeNotice(ctx: Ctx, { id }: ParsedOf<typeof calls.revoke>) {
  const { db, user, now, services } = ctx
  const stored = await lock(ctx, id)
  if (stored.status !== NOTICE_PUBLISHED) throw refused('该通知公告没有发布')
  await db
    .update(notices)
    .set({ status: NOTICE_REVOKED, ...updateColumns(stored, user.uid, now) })
    .where(eq(notices.noticeId, id))
  await publishNotice(services, db, stored, { withTitle: false })
  ctx.audit({ bizType: BIZ, bizId: id, action: `撤回通知公告「${stored.title}」` })
  return null
}

type Input = ParsedOf<typeof calls.create>

/** Sanitising a notice of maximum length takes about 100 ms of CPU time. */
const limitSanitizing = limitConcurrency(1, 100, () => tooMany(5))

/** Validates the targets, sanitises the content and marks the files as used. */
async function prepared({ db, user, now }: Ctx, input: Input, tenantIds: number[], tenantId: number) {
  const targetIds = input.target === 1 ? [] : [...new Set(input.targetIds)]
  await assertAddressable(db, user, { tenantId, target: input.target, targetIds })
  // Imported on first use, because the sanitiser is large and rarely used.
  const { sanitizeNotice, listPictureIds, summarizeHtml } = await import('./notice-html.ts')
  const { content, summary } = await limitSanitizing(async () => {
    // Other requests are served between two long notices.
    await setImmediate()
    const html = sanitizeNotice(input.content)
    return { content: html, summary: input.summary || summarizeHtml(html) }
  })
  const pictures = listPictureIds(content)
  const stored = await filesOf(db, [...input.attachments, ...pictures], tenantIds)
  if (pictures.some((id) => !stored.has(id))) throw invalid('图片不存在，请重新上传', 'content')
  const attachments = [...new Set(input.attachments)].map((id) => {
    const file = stored.get(id)
    if (!file) throw invalid('附件不存在，请重新上传', 'attachments')
    return { id, name: file.name, size: file.size }
  })
  await markFilesUsed(db, [...stored.keys()], now)
  return {
    ...input,
    targetIds,
    content,
    attachments,
    summary,
    startTime: input.startTime ?? null,
    endTime: input.endTime ?? null,
  }
}

async function filesOf(db: Db, ids: string[], tenantIds: number[]) {
  if (ids.length === 0) return new Map<string, { name: string; size: number }>()
  const rows = await db
    .select({ id: files.id, name: files.name, size: files.size })
    .from(files)
    .where(and(inArray(files.id, ids), inArray(files.tenantId, tenantIds), eq(files.purpose, 'notice')))
  return new Map(rows.map((row) => [row.id, row]))
}

async function lock({ db, user }: Ctx, noticeId: number): Promise<Stored> {
  const [row] = await db
    .select()
    .from(notices)
    .where(and(eq(notices.noticeId, noticeId), buildManagedNoticeCondition(user)))
    .for('update')
  if (!row) throw notFound('通知公告')
  if (isSharedNotice(row)) assertSeesAllTenants(user)
  return row
}

/** Returns the state of the notice by the database's clock, which the inboxes use too. */
async function standingOf(db: Db, noticeId: number) {
  const [row] = await db
    .select({
      waiting: sql<boolean>`coalesce(start_time > now(), false)`,
      ended: sql<boolean>`coalesce(end_time <= now(), false)`,
    })
    .from(notices)
    .where(eq(notices.noticeId, noticeId))
  return row ?? { waiting: false, ended: false }
}

const KEY = 'noticeClock'

interface Due extends Record<string, unknown> {
  noticeId: number
  tenantId: number
  title: string
  target: number
  targetIds: number[]
  begins: boolean
}

/** Registers the job that notifies open consoles every minute of notices that start or end. */
export function registerNoticeSchedule(services: Services) {
  services.jobs.schedule('notice-clock', () => publishDueNotices(services), {
    title: '公告生效与到期',
    cron: '0 * * * * *',
  })
}

/** Publishes the notices whose start or end is between the last run and now. */
export function publishDueNotices({ database, events, log }: Pick<Services, 'database' | 'events' | 'log'>) {
  return database.db.transaction(async (db) => {
    await db.execute(sql`insert into settings (key, value) values (${KEY}, to_jsonb(now())) on conflict do nothing`)
    const { rows } = await db.execute<Due>(sql`
      with last as (select (value #>> '{}')::timestamptz as at from settings where key = ${KEY} for update)
      select notice_id as "noticeId", tenant_id as "tenantId", title, target, target_ids as "targetIds",
        coalesce(start_time > last.at and start_time <= now(), false) as begins
      from notices, last where status = 1 and deleted_at is null
        and ((start_time > last.at and start_time <= now()) or (end_time > last.at and end_time <= now()))`)
    await db.execute(sql`update settings set value = to_jsonb(now()), update_time = now() where key = ${KEY}`)
    const isolation = { log, kind: 'notice-clock', name: ({ noticeId }: Due) => ({ noticeId }) }
    const { done, failed } = await forEachIsolated(rows, isolation, ({ begins, ...notice }) =>
      db.transaction((tx) => publishNotice({ events }, tx, notice, { withTitle: begins })),
    )
    return { announced: done, failedItems: failed.length }
  })
}

/**
 * Returns the condition for notices that the account manages: those of visible tenants. Limited staff manages only
 * notices whose targets lie in its data scope, and reads the published notices to all accounts. It manages no messages of
 * the system, which have no author and may name a record of any tenant.
 */
export function buildManagedNoticeCondition(user: User): SQL | undefined {
  const visible = and(notDeleted(notices), scoped(user, { tenant: notices.tenantId, creator: notices.createBy }))
  const inScope = buildTargetsInScopeCondition(user)
  if (!inScope || !user.isPlatform) return visible
  const isShared = and(eq(notices.target, NOTICE_TARGET_KIND.all), ne(notices.status, NOTICE_DRAFT))
  return and(visible, or(and(isNotNull(notices.createBy), inScope), isShared))
}

/**
 * Returns the condition for notices that the account manages and whose targets all lie in its data scope. A notice of
 * the platform to all accounts needs a data scope with all tenants.
 */
export const buildPublishableNoticeCondition = (user: User): SQL | undefined =>
  and(buildManagedNoticeCondition(user), buildTargetsInScopeCondition(user))

/** Returns the condition for notices that address nobody outside the account's data scope. */
function buildTargetsInScopeCondition({ scope: { tenants } }: Pick<User, 'scope'>): SQL | undefined {
  if (tenants === 'all') return undefined
  return sql`case when ${notices.target} = ${NOTICE_TARGET_KIND.all} then ${notices.tenantId} <> ${PLATFORM_TENANT_ID}
      else not exists (select from (${selectNoticeTenants()}) o(id)
        where o.id is null or o.id <> all(${sql.param([...tenants])}::int[])) end`
}
