import type { feedback } from '@oms/contract/ticket/ticket.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, eq, inArray, gte, or, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { ticketFiles, ticketRecords, tickets } from './schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { buildSafeHeaders } from '#core/storage/send.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { invalid, notFound, conflict } from '#core/http/api-error.ts'
import { type ZipEntry, writeZip } from '#core/spreadsheet/formats/zip.ts'
import {
  canHandleTicket,
  HANDLE_PERMISSION,
  applyTicketStep,
  TICKET_BIZ_TYPE,
  type TicketChange,
  assertTicketHandler,
  assertNotMerged,
  requireHandler,
  lockTicket,
  requireTicket,
  formatAccountName,
  formatTicketStatus,
} from './ticket-change.ts'
import { assertTicketReader, ticketColumns, visibleTickets } from './ticket.ts'
import { FEEDBACK_CLOSED, FEEDBACK_MESSAGES, FEEDBACK_SUSPENDED } from '@oms/contract/ticket/ticket-rows.ts'
import { describeMissingRevision } from '#core/database/optimistic-lock.ts'
import { TICKET_RECORD_KIND, insertTicket } from './create-ticket.ts'
import { parseLocalTime } from '#core/time/zone.ts'
import { devices } from '#modules/device/schema.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'

const INFO = {
  ...ticketColumns,
  contact: tickets.contact,
  devName: tickets.devName,
  devCreateTime: tickets.devCreateTime,
  modelId: tickets.modelId,
  verCode: tickets.verCode,
  problemAttr: tickets.problemAttr,
  satisfactionRemark: tickets.satisfactionRemark,
  updateBy: tickets.updateBy,
}
const IMAGE = 2

export async function getTicket(ctx: Ctx, { id }: ParsedOf<typeof feedback.info>) {
  const { db, user } = ctx
  assertTicketReader(user)
  const [row] = await db
    .select(INFO)
    .from(tickets)
    .leftJoin(tenants, eq(tenants.id, tickets.tenantId))
    .where(and(eq(tickets.id, id), visibleTickets(user)))
  if (!row) throw notFound('工单')
  const given = await filesOf(db, id)
  const images = given.filter(({ kind }) => kind === IMAGE)
  const { updateBy, ...shown } = row
  const { sn, devName, modelName, typeName, osVer, devCreateTime } = shown
  return {
    ...shown,
    devInfoVo: { sn, devName, modelName, typeName, osVer, createTime: devCreateTime },
    attachments: given.filter(({ kind }) => kind !== IMAGE),
    images: images.map(({ url }) => url).join(','),
    imageNames: images.map(({ name }) => name),
    ...(await linksOf(ctx, row)),
    mine: user.can(HANDLE_PERMISSION) && canHandleTicket(user, row),
    isOwnChange: updateBy === user.uid,
  }
}

const filesOf = async (db: Db, ticketId: number) => {
  const rows = await db
    .select()
    .from(ticketFiles)
    .where(eq(ticketFiles.ticketId, ticketId))
    .orderBy(asc(ticketFiles.kind), asc(ticketFiles.sort))
  return rows.map(({ fileId, kind, name, size }) => ({ id: fileId, kind, name, size, url: formatFileUrl(fileId) }))
}

const LINK = { id: tickets.id, feedbackNo: tickets.feedbackNo, status: tickets.status }

async function linksOf({ db, user }: Ctx, { id, mergedIntoId }: { id: number; mergedIntoId: number | null }) {
  const merged = await db
    .select(LINK)
    .from(tickets)
    .where(and(eq(tickets.mergedIntoId, id), visibleTickets(user)))
    .orderBy(asc(tickets.id))
    .limit(200)
  if (mergedIntoId === null) return { merged, mergedInto: null }
  const [into] = await db
    .select(LINK)
    .from(tickets)
    .where(and(eq(tickets.id, mergedIntoId), visibleTickets(user)))
  return { merged, mergedInto: into ?? null }
}

/** Lists the progress records of a ticket, newest first. */
export async function listTicketHistory({ db, user }: Ctx, { id }: ParsedOf<typeof feedback.records>) {
  assertTicketReader(user)
  await requireTicket({ db, user }, id)
  return db
    .select()
    .from(ticketRecords)
    .where(eq(ticketRecords.ticketId, id))
    .orderBy(desc(ticketRecords.id))
    .limit(500)
}

export const getTicketForPrinting = async (ctx: Ctx, { id }: ParsedOf<typeof feedback.print>) => ({
  info: await getTicket(ctx, { id }),
  records: await listTicketHistory(ctx, { id }),
})

/** Streams the files of a ticket as one archive and reads them one after another. */
export async function downloadTicketFiles(
  ctx: Ctx,
  { id, kind }: ParsedOf<typeof feedback.zip>,
): Promise<StreamResponse> {
  const { db, user, services } = ctx
  assertTicketReader(user)
  const ticket = await requireTicket(ctx, id)
  const wanted = (await filesOf(db, id)).filter(
    (file) => kind === 'all' || (file.kind === IMAGE) === (kind === 'image'),
  )
  if (wanted.length === 0) throw invalid(kind === 'image' ? '该工单没有图片' : '该工单没有附件')
  const ids = wanted.map((file) => file.id)
  const stored = await db.select({ id: files.id, sha256: files.sha256 }).from(files).where(inArray(files.id, ids))
  const contents = new Map(stored.map((file) => [file.id, file.sha256]))
  async function* entries(): AsyncGenerator<ZipEntry> {
    for (const { id, name, kind } of wanted) {
      const sha256 = contents.get(id)
      if (sha256)
        yield { name: `${kind === IMAGE ? '图片' : '附件'}/${name}`, source: await services.files.openRead(sha256) }
    }
  }
  const name = `工单${ticket.feedbackNo}.zip`
  return (_request, reply) =>
    reply
      .headers({ ...buildSafeHeaders({ name, mime: 'application/zip' }), 'cache-control': 'no-store' })
      .type('application/zip')
      .send(writeZip(entries()))
}

type Handling = ParsedOf<typeof feedback.dispose>

/** Milliseconds within which a call with the same content from the same account counts as a repetition. */
const REPEAT_MS = 5_000

/**
 * Processes a ticket. Refuses a call with an older version, and the second of two simultaneous calls without a version.
 */
export async function handleTicket(ctx: Ctx, input: Handling) {
  const { user } = ctx
  const before = await requireTicket(ctx, input.feedbackId)
  const stored = await lockTicket(ctx, input.feedbackId)
  if (stored.rev !== (input.version ?? before.rev)) throw conflict(FEEDBACK_MESSAGES.clash)
  if (input.version === undefined) await assertNotHandledMeanwhile(ctx, input)
  assertTicketHandler(user, stored)
  assertNotMerged(stored)
  const closes = input.status === FEEDBACK_CLOSED
  const change: TicketChange = {
    status: input.status,
    handler: closes ? null : await requireHandler(ctx, input.handlerId!, stored.tenantId),
    ...(input.problemAttr && { problemAttr: input.problemAttr }),
    ...(input.status === FEEDBACK_SUSPENDED && { suspendUntil: requireFutureTime(ctx, input.suspendUntil) }),
  }
  const step = { kind: TICKET_RECORD_KIND.handled, remark: input.remark, responds: true }
  const { version, diff } = await applyTicketStep(ctx, stored, change, step)
  const steps = `${formatTicketStatus(stored.status)} → ${formatTicketStatus(input.status)}`
  ctx.audit({
    bizType: TICKET_BIZ_TYPE,
    bizId: stored.id,
    action: `处理工单 ${stored.feedbackNo}：${steps}${describeMissingRevision(input.version)}`,
    diff,
  })
  return { version }
}

/**
 * Refuses a call without a version when another call handled the ticket meanwhile, or when the call repeats the last
 * handling. The revision does not show this, because a call that waited for a connection reads the new revision.
 */
async function assertNotHandledMeanwhile({ db, user, now, request }: Ctx, input: Handling) {
  const last = db
    .select()
    .from(ticketRecords)
    .where(and(eq(ticketRecords.ticketId, input.feedbackId), eq(ticketRecords.kind, TICKET_RECORD_KIND.handled)))
    .orderBy(desc(ticketRecords.id))
    .limit(1)
    .as('last')
  const handlerId = input.status === FEEDBACK_CLOSED ? null : input.handlerId
  const isRepeated = and(
    eq(last.uid, user.uid),
    eq(last.status, input.status),
    eq(last.remark, input.remark),
    sql`${last.handlerId} is not distinct from ${handlerId}`,
    gte(last.createTime, new Date(now.getTime() - REPEAT_MS).toISOString()),
  )
  const isNewer = request.receivedAt && gte(last.createTime, request.receivedAt.toISOString())
  const [found] = await db.select({ id: last.id }).from(last).where(or(isRepeated, isNewer))
  if (found) throw conflict(FEEDBACK_MESSAGES.clash)
}

/** Returns the reminder time, which must be in the future; undefined without a reminder. */
export function requireFutureTime({ now, services }: Ctx, until: string | undefined) {
  if (until === undefined) return null
  if (parseLocalTime(until, services.config.timeZone) <= now.getTime())
    throw invalid('提醒时间必须晚于当前时间', 'suspendUntil')
  return until
}

/** Assigns an unassigned ticket to the caller. The row lock decides between simultaneous claims. */
export async function claimTicket(ctx: Ctx, { id }: ParsedOf<typeof feedback.claim>) {
  const { user } = ctx
  const stored = await lockTicket(ctx, id)
  if (stored.handlerId !== null && stored.handlerId !== user.uid)
    throw conflict(`该工单已由${stored.handler || '他人'}处理，请刷新后重试`)
  if (stored.status === FEEDBACK_CLOSED) throw invalid('该工单已关闭，不能认领')
  if (stored.handlerId === user.uid) return { version: stored.rev }
  const change: TicketChange = {
    handler: { uid: user.uid, name: formatAccountName(user) },
    ...(stored.status === 0 && { status: 1 }),
  }
  const { version, diff } = await applyTicketStep(ctx, stored, change, {
    kind: TICKET_RECORD_KIND.claimed,
    responds: true,
  })
  ctx.audit({ bizType: TICKET_BIZ_TYPE, bizId: id, action: `认领工单 ${stored.feedbackNo}`, diff })
  return { version }
}

type NewTicket = ParsedOf<typeof feedback.create>

/**
 * Creates a ticket. A serial determines the tenant; without a serial, the chosen tenant or the session's tenant
 * applies.
 */
export async function createTicket(ctx: Ctx, input: NewTicket) {
  const { db, user, now, services } = ctx
  const { sn, tenantId: chosen, handlerId, ...fields } = input
  const device = sn === undefined ? undefined : await deviceOf(ctx, sn)
  const tenantId = await tenantFor(ctx, device, chosen)
  const handler = handlerId === undefined ? undefined : await requireHandler(ctx, handlerId, tenantId)
  const by = { uid: user.uid, name: formatAccountName(user) }
  const made = await insertTicket(services, db, now, { ...fields, tenantId, deviceId: device?.id, handler, by })
  ctx.audit({ bizType: TICKET_BIZ_TYPE, bizId: made.id, action: `新增工单 ${made.feedbackNo}` })
  return made
}

async function deviceOf({ db, user }: Ctx, sn: string) {
  const [found] = await db
    .select({ id: devices.id, tenantId: devices.tenantId })
    .from(devices)
    .where(and(eq(devices.sn, sn), notDeleted(devices), scoped(user, { tenant: devices.tenantId })))
  if (!found) throw invalid('没有找到该序列号的设备', 'sn')
  return found
}

async function tenantFor(ctx: Ctx, device: { readonly tenantId: number } | undefined, chosen: number | undefined) {
  return (await resolveOwningTenant(ctx, device?.tenantId ?? chosen, device ? 'sn' : 'tenantId')).id
}
