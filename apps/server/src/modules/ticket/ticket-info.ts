import type { feedback } from '@oms/contract/ticket/ticket.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, eq, inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { ticketFiles, ticketRecords, tickets } from './schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { formatFileUrl } from '#core/storage/save-upload.ts'
import { buildSafeHeaders } from '#core/storage/send.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import { type ZipEntry, writeZip } from '#core/spreadsheet/formats/zip-writer.ts'
import { canHandleTicket, HANDLE_PERMISSION } from './ticket-change.ts'
import { assertTicketReader, ticketColumns, visibleTickets } from './ticket-rows.ts'

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
  const [found] = await db
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(eq(tickets.id, id), visibleTickets(user)))
  if (!found) throw notFound('工单')
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
  const [ticket] = await db
    .select({ feedbackNo: tickets.feedbackNo })
    .from(tickets)
    .where(and(eq(tickets.id, id), visibleTickets(user)))
  if (!ticket) throw notFound('工单')
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
