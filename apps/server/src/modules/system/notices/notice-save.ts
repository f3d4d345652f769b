import { setImmediate } from 'node:timers/promises'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import { type notices as calls, NOTICE_PUBLISHED, NOTICE_REVOKED, NoticeInput } from '@oms/contract/system/notice.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, notFound, refused, tooMany } from '#core/http/api-error.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import type { Ctx } from '#core/http/context.ts'
import { markFilesUsed } from '#core/storage/save-upload.ts'
import { assertSeesAllTenants } from '#core/tenancy/tenancy.ts'
import { buildManagedNoticeCondition } from './managed-notices.ts'
import { files, noticeReads, notices } from '#core/schema/system.ts'
import { assertAddressable, isSharedNotice, publishNotice } from './notice-audience.ts'

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
