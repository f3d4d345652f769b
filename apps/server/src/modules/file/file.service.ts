import { randomBytes } from 'node:crypto'
import { deviceModels as deviceModelCalls } from '@oms/contract/device-model.ts'
import type { files as contract } from '@oms/contract/file.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { deviceModels } from '#db/schema/device.ts'
import { otaComponents, otaVersions } from '#db/schema/ota.ts'
import { files, uploads } from '#db/schema/system.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { FileMismatch } from '#kernel/files/store.ts'
import { UploadUnknown } from '#kernel/files/resumable.ts'
import { demandAcceptable, recordFile, ruleOf, saveUpload } from '#kernel/files/save-upload.ts'
import { sendFile } from '#kernel/files/send.ts'
import type { StreamAnswer } from '#kernel/implement.ts'
import { forbidden, notFound } from '#kernel/problem.ts'
import { alive, reaches, scoped, transact } from '#kernel/tenancy.ts'

/** Purposes beyond one's own affairs need a right; `undefined`: everyone logged in. */
const RIGHTS_FOR: Readonly<Record<string, readonly string[] | undefined>> = {
  notice: ['system:noticeManage:add'],
  component: ['upgrade:ota:uploadComp', 'upgrade:GeneralSoftware:uploadComp'],
  ticket: ['AfterService:Questions:add'],
  ticketImage: ['AfterService:Questions:add'],
}
/** Who may open a ticket may fetch what is attached to it. */
const TICKET_READERS = ['AfterService:Questions:query', 'AfterService:PendingList:query'] as const
/** Who may fetch a component besides the account that sent it, by the kind of version that consists of it. */
const COMPONENT_READERS: Readonly<Record<number, string>> = {
  1: 'upgrade:ota:query',
  2: 'upgrade:GeneralSoftware:query',
}

/** A list of people must not stay in a browser's cache on a shared machine. */
const NOT_KEPT = { 'cache-control': 'no-store' }

function demandRight({ user }: Ctx, purpose: string) {
  const needed = RIGHTS_FOR[purpose]
  if (needed && !needed.some((right) => user.can(right))) throw forbidden()
}

export async function upload(ctx: Ctx, { purpose }: ParsedOf<typeof contract.upload>) {
  demandRight(ctx, purpose)
  const row = await saveUpload(ctx, purpose)
  ctx.say(row.url)
  return row
}

/** Sends a file that the caller may see. Pictures of colleagues (avatars) are seen by everyone of the installation. */
export async function download(
  { user, kernel }: Ctx,
  { id }: ParsedOf<typeof contract.download>,
): Promise<StreamAnswer> {
  // In front of the wall: a customer's own rows may show a file of the vendor's. `mayRead` asks whose everything is.
  const { db } = kernel.database
  const [file] = await db.select().from(files).where(eq(files.id, id))
  if (!file || !(await mayRead(db, user, file))) throw notFound('文件')
  return (request, reply) => sendFile(request, reply, kernel.files, file, isTransfer(file) ? NOT_KEPT : {})
}

/** Made for one account by a background job, within what it may see: nobody else's, also not a colleague's. */
const isTransfer = ({ purpose }: { purpose: string }) => purpose === 'export' || purpose === 'import'

async function mayRead(db: Db, user: Ctx['user'], file: typeof files.$inferSelect) {
  if (isTransfer(file)) return file.uid === user.uid && (user.isPlatform || file.tenantId === user.tenantId)
  if (file.uid === user.uid || file.purpose === 'avatar' || file.purpose === 'notice') return true
  if (file.purpose === 'image' && (await readsImage(db, user, file.id))) return true
  if (!reaches(user, file.tenantId)) return false
  if (file.purpose === 'ticket' || file.purpose === 'ticketImage')
    return TICKET_READERS.some((right) => user.can(right))
  return file.purpose !== 'component' || readsComponent(db, user, file.id)
}

/**
 * A picture is open to those who may see a row that shows it, whoever sent it: a model, which is the vendor's and which
 * customers read, and the customer whose logo it is.
 */
async function readsImage(db: Db, user: Ctx['user'], fileId: string) {
  const address = `/api/v1/file/${fileId}`
  const model = and(alive(deviceModels), eq(deviceModels.picture, address))
  if (user.can(deviceModelCalls.list.access) && (await db.$count(deviceModels, model)) > 0) return true
  const logo = and(alive(tenants), eq(tenants.logo, address), scoped(user, { tenant: tenants.id }))
  return (await db.$count(tenants, logo)) > 0
}

/** A component is open to those who may read a version that consists of it; one in no version to either kind's readers. */
async function readsComponent(db: Db, user: Ctx['user'], fileId: string) {
  const used = await db
    .selectDistinct({ kind: otaVersions.kind })
    .from(otaComponents)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaComponents.otaId))
    .where(eq(otaComponents.fileId, fileId))
  const kinds = used.length > 0 ? used.map(({ kind }) => kind) : [1, 2]
  return kinds.some((kind) => user.can(COMPONENT_READERS[kind] ?? ''))
}

export async function begin(ctx: Ctx, input: ParsedOf<typeof contract.begin>) {
  demandRight(ctx, input.purpose)
  demandAcceptable(ruleOf(input.purpose), input.name, input.size)
  const { uid, tenantId } = ctx.user
  const key = and(eq(uploads.uid, uid), eq(uploads.fingerprint, input.fingerprint))
  const [open] = await ctx.db.select().from(uploads).where(key)
  if (open && open.size === input.size) {
    const state = await ctx.kernel.uploads.state(open.id).catch(missing)
    if (state) return { uploadId: open.id, partBytes: state.partBytes, received: state.parts.map(({ index }) => index) }
  }
  const id = randomBytes(16).toString('hex')
  const { partBytes } = await ctx.kernel.uploads.create({ id, size: input.size })
  await transact(ctx, async (db) => {
    await db.delete(uploads).where(key)
    await db
      .insert(uploads)
      .values({ ...input, id, uid, tenantId })
      .onConflictDoNothing()
  })
  return { uploadId: id, partBytes, received: [] }
}

const missing = (error: unknown) => {
  if (error instanceof UploadUnknown) return null
  throw error
}

export async function putPart(ctx: Ctx, { uploadId, index, sha256 }: ParsedOf<typeof contract.putPart>) {
  const open = await ownUpload(ctx, uploadId)
  if (!ctx.incoming) throw notFound('分片')
  await ctx.kernel.uploads.putPart(open.id, index, ctx.incoming.stream, sha256 ? { sha256 } : {})
  await ctx.db.update(uploads).set({ updateTime: ctx.now.toISOString() }).where(eq(uploads.id, open.id))
  const { parts } = await ctx.kernel.uploads.state(open.id)
  return { received: parts.map((part) => part.index) }
}

/** The row is written before the parts go: a crash in between leaves an upload that can be finished again. */
export async function finish(ctx: Ctx, { uploadId, sha256 }: ParsedOf<typeof contract.finish>) {
  const open = await ownUpload(ctx, uploadId)
  const stored = await ctx.kernel.uploads.finish(open.id)
  if (sha256 && stored.sha256 !== sha256) throw new FileMismatch('digest differs from the announced one')
  const row = await recordFile(ctx, { purpose: 'component', name: open.name, stored })
  await ctx.db.delete(uploads).where(eq(uploads.id, open.id))
  await ctx.kernel.uploads.discard(open.id)
  return row
}

export async function abort(ctx: Ctx, { uploadId }: ParsedOf<typeof contract.abort>) {
  const open = await ownUpload(ctx, uploadId)
  await ctx.db.delete(uploads).where(eq(uploads.id, open.id))
  await ctx.kernel.uploads.discard(open.id)
  return null
}

async function ownUpload({ db, user }: Ctx, uploadId: string) {
  const [open] = await db
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, uploadId), eq(uploads.uid, user.uid)))
  if (!open) throw new UploadUnknown('not an upload of this account')
  return open
}
