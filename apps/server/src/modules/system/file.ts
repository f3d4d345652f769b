import { randomBytes } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { EXPORT_DAYS } from '@oms/contract/core/transfer.ts'
import { IMAGE_EXTENSIONS, readFileType } from '@oms/contract/core/upload.ts'
import { deviceModels as deviceModelCalls } from '@oms/contract/device/device-model.ts'
import type { FilePurpose, files as contract } from '@oms/contract/system/file.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forbidden, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import { files, jobs, uploads } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { findTransferAccess } from '#core/spreadsheet/import/import.ts'
import { KEPT_REPORT_PURPOSE } from '#core/spreadsheet/transfer-jobs.ts'
import { removeUnusedContents } from '#core/storage/local/local-files.ts'
import { UnknownUploadError } from '#core/storage/resumable.ts'
import { assertAcceptableUpload, insertFileRow, findFileRule, saveUpload } from '#core/storage/save-upload.ts'
import { sendFile } from '#core/storage/send.ts'
import { FileMismatch } from '#core/storage/store.ts'
import { notDeleted, isTenantInScope, PLATFORM_TENANT_ID, scoped, transact } from '#core/tenancy/tenancy.ts'
import { isAdMaterial, recordMaterial } from '#modules/advertise/ads/materials.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { otaComponents, otaVersions } from '#modules/upgrade/schema.ts'

const AD_UPLOADERS = ['advertiseManage:adList:upload']
/** Permissions for upload purposes; `undefined` permits every logged-in account. */
const RIGHTS_FOR: Readonly<Record<string, readonly string[] | undefined>> = {
  notice: ['system:noticeManage:add'],
  component: ['upgrade:ota:uploadComp', 'upgrade:GeneralSoftware:uploadComp'],
  ticket: ['AfterService:Questions:add'],
  ticketImage: ['AfterService:Questions:add'],
  consent: ['ossManage:deviceList:consent'],
  adImage: AD_UPLOADERS,
  adVideo: AD_UPLOADERS,
  adAudio: AD_UPLOADERS,
  adPackage: AD_UPLOADERS,
  adProof: ['advertiseManage:adList:add', 'advertiseManage:adList:edit'],
  agentDemo: ['agent:voice:add', 'agent:voice:edit'],
  agentAudio: ['agent:voice:clone'],
  agentVoucher: ['agent:order:confirm'],
}
/** Permissions to open tickets, which include downloading their attachments. */
const TICKET_READERS = ['AfterService:Questions:query', 'AfterService:PendingList:query'] as const
/** Files of ads: uploads, proofs, thumbnails, and pages made from packages. */
const AD_PURPOSES = /^ad[A-Z]/
/** Editors of programs see the pictures and previews of the ads that they use. */
const AD_READERS = ['advertiseManage:adList:query', 'advertiseManage:ProgramList:query'] as const
/** Permissions to download a component, by the kind of version. The uploader may download in any case. */
const COMPONENT_READERS: Readonly<Record<number, string>> = {
  1: 'upgrade:ota:query',
  2: 'upgrade:GeneralSoftware:query',
}

/**
 * Purposes of files that a record assigns to its own tenant. An unused file still has the tenant of the uploader,
 * although the record may belong to another tenant.
 */
const ASSIGNED_PURPOSES = new Set(['ticket', 'ticketImage', 'consent', 'agentVoucher', 'adProof'])

/** Personal data must not stay in the browser cache of a shared computer. */
const NOT_KEPT = { 'cache-control': 'no-store' }

function assertUploadPermission({ user }: Ctx, purpose: string) {
  const needed = RIGHTS_FOR[purpose]
  if (needed && !needed.some((right) => user.can(right))) throw forbidden()
}

/** Returns the purpose of an upload without a purpose, as the specification sends avatars. */
const purposeOf = (name: string) =>
  (IMAGE_EXTENSIONS as readonly string[]).includes(readFileType(name)) ? 'avatar' : 'file'

export async function uploadFile(ctx: Ctx, input: ParsedOf<typeof contract.upload>) {
  const purpose = input.purpose ?? purposeOf(ctx.incoming?.name ?? '')
  assertUploadPermission(ctx, purpose)
  const row = await saveUpload(ctx, purpose)
  ctx.say(row.url)
  return row
}

/** Sends a file that the caller may see. Avatars are visible to every account. */
export async function downloadFile(
  { user, services }: Ctx,
  { id }: ParsedOf<typeof contract.download>,
): Promise<StreamResponse> {
  // Bypasses row-level security, because a tenant's row may show a file of the vendor. `mayRead` checks the
  // permission.
  const { db } = services.database
  const [file] = await db.select().from(files).where(eq(files.id, id))
  if (!file || !(await mayRead(db, user, file))) throw notFound('文件')
  return (request, reply) => sendFile(request, reply, services.files, file, isTransfer(file) ? NOT_KEPT : {})
}

/** True for files of background exports and imports, which only their account may download. */
const isTransfer = ({ purpose }: { purpose: string }) =>
  purpose === 'export' || purpose === 'import' || purpose === KEPT_REPORT_PURPOSE

/** Rights of which one is needed to read a file of its tenant, by purpose. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  ticket: TICKET_READERS,
  ticketImage: TICKET_READERS,
  agentDemo: [],
  agentAudio: ['agent:voice:clone'],
  agentVoucher: ['agent:order:query'],
  consent: ['ossManage:deviceList:consent'],
}

async function mayRead(db: Db, user: Ctx['user'], file: typeof files.$inferSelect) {
  if (isTransfer(file)) return mayReadTransfer(db, user, file)
  // Only the calls of conversations and voiceprints send recordings of turns, because they log each playback.
  if (file.purpose === 'agentTurn') return false
  if (file.uid === user.uid || file.purpose === 'avatar') return true
  if (file.purpose === 'notice') return file.usedTime !== null
  if (file.purpose === 'agentDemo' && readsSample(user, file.tenantId)) return true
  if (file.purpose === 'image' && (await readsImage(db, user, file.id))) return true
  if (file.usedTime === null && ASSIGNED_PURPOSES.has(file.purpose)) return false
  if (!isTenantInScope(user, file.tenantId)) return false
  const rights = AD_PURPOSES.test(file.purpose) ? AD_READERS : READERS[file.purpose]
  if (rights) return rights.some((right) => user.can(right))
  return file.purpose !== 'component' || readsComponent(db, user, file.id)
}

/**
 * True for the account of an export or import that still has the permission of the call. Only files of jobs are checked
 * again, because other files are downloaded at once.
 */
async function mayReadTransfer(db: Db, user: Ctx['user'], { id, uid, tenantId }: typeof files.$inferSelect) {
  if (uid !== user.uid || !(user.isPlatform || tenantId === user.tenantId)) return false
  const [job] = await db
    .select({ of: sql<string>`${jobs.payload} ->> 'of'` })
    .from(jobs)
    .where(and(eq(jobs.uid, uid), sql`${jobs.result} -> 'file' ->> 'id' = ${id}`))
  const access = job && findTransferAccess(job.of)
  return !access || access === 'session' || user.can(access)
}

/** True when the account sees voices of the tenant: samples of the platform's voices are for all tenants. */
const readsSample = (user: Ctx['user'], tenantId: number | null) =>
  user.can('agent:voice:list') && (tenantId === PLATFORM_TENANT_ID || isTenantInScope(user, tenantId))

/**
 * True when the account sees a row that shows the picture, whoever uploaded it: a device model or the logo of a
 * tenant.
 */
async function readsImage(db: Db, user: Ctx['user'], fileId: string) {
  const address = `/api/v1/file/${fileId}`
  const model = and(notDeleted(deviceModels), eq(deviceModels.picture, address))
  if (user.can(deviceModelCalls.list.access) && (await db.$count(deviceModels, model)) > 0) return true
  const logo = and(notDeleted(tenants), eq(tenants.logo, address), scoped(user, { tenant: tenants.id }))
  return (await db.$count(tenants, logo)) > 0
}

/**
 * True when the account may read a version with this component. An unused component is visible to the readers of
 * either kind.
 */
async function readsComponent(db: Db, user: Ctx['user'], fileId: string) {
  const used = await db
    .selectDistinct({ kind: otaVersions.kind })
    .from(otaComponents)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaComponents.otaId))
    .where(eq(otaComponents.fileId, fileId))
  const kinds = used.length > 0 ? used.map(({ kind }) => kind) : [1, 2]
  return kinds.some((kind) => user.can(COMPONENT_READERS[kind] ?? ''))
}

export async function beginUpload(ctx: Ctx, input: ParsedOf<typeof contract.begin>) {
  assertUploadPermission(ctx, input.purpose)
  assertAcceptableUpload(findFileRule(input.purpose), input.name, input.size)
  const { uid, tenantId } = ctx.user
  const key = and(eq(uploads.uid, uid), eq(uploads.fingerprint, input.fingerprint))
  const [open] = await ctx.db.select().from(uploads).where(key)
  if (open && open.size === input.size) {
    const state = await ctx.services.uploads.state(open.id).catch(missing)
    if (state) return { uploadId: open.id, partBytes: state.partBytes, received: state.parts.map(({ index }) => index) }
  }
  const id = randomBytes(16).toString('hex')
  const { partBytes } = await ctx.services.uploads.create({ id, size: input.size })
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
  if (error instanceof UnknownUploadError) return null
  throw error
}

export async function putUploadPart(ctx: Ctx, { uploadId, index, sha256 }: ParsedOf<typeof contract.putPart>) {
  const open = await ownUpload(ctx, uploadId)
  if (!ctx.incoming) throw notFound('分片')
  await ctx.services.uploads.putPart(open.id, index, ctx.incoming.stream, sha256 ? { sha256 } : {})
  await ctx.db.update(uploads).set({ updateTime: ctx.now.toISOString() }).where(eq(uploads.id, open.id))
  const { parts } = await ctx.services.uploads.state(open.id)
  return { received: parts.map((part) => part.index) }
}

/** Writes the row before deleting the parts, so that an upload can be finished again after a crash. */
export async function finishUpload(ctx: Ctx, { uploadId, sha256 }: ParsedOf<typeof contract.finish>) {
  const open = await ownUpload(ctx, uploadId)
  const stored = await ctx.services.uploads.finish(open.id)
  if (sha256 && stored.sha256 !== sha256) throw new FileMismatch('digest differs from the announced one')
  const purpose = open.purpose as FilePurpose
  assertUploadPermission(ctx, purpose)
  const row = await insertFileRow(ctx, { purpose, name: open.name, stored })
  if (isAdMaterial(purpose)) await recordMaterial(ctx, row)
  await ctx.db.delete(uploads).where(eq(uploads.id, open.id))
  await ctx.services.uploads.discard(open.id)
  return row
}

export async function abortUpload(ctx: Ctx, { uploadId }: ParsedOf<typeof contract.abort>) {
  const open = await ownUpload(ctx, uploadId)
  await ctx.db.delete(uploads).where(eq(uploads.id, open.id))
  await ctx.services.uploads.discard(open.id)
  return null
}

async function ownUpload({ db, user }: Ctx, uploadId: string) {
  const [open] = await db
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, uploadId), eq(uploads.uid, user.uid)))
  if (!open) throw new UnknownUploadError('not an upload of this account')
  return open
}

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Deletes temporary files of killed uploads from this process's directory every 15 minutes; opening the store deletes
 * older ones. The hourly job runs in one process only, and with a bucket every process has its own directory.
 */
export function startSpoolSweep({ files, log }: Pick<Services, 'files' | 'log'>, everyMs = 15 * 60 * 1000): () => void {
  const sweep = () => void files.sweep().catch((err: unknown) => log.warn({ err }, 'temporary files were not swept'))
  const timer = setInterval(sweep, everyMs).unref()
  return () => clearInterval(timer)
}

/** Registers the hourly clean-up of unused files: rows never used, bytes without a row, abandoned uploads. */
export function registerFileSweep(services: Services) {
  const options = { title: '无用文件清理', cron: '0 37 * * * *', timeLimitSeconds: 55 * 60 }
  services.jobs.schedule('file-sweep', () => sweepFiles(services), options)
}

/** Deletes unreferenced files older than a day. Returns the numbers of deleted files. */
export async function sweepFiles({ database: { pool }, files, uploads, log }: Services) {
  const rows = await pool.query(`delete from files where used_time is null and create_time < now() - interval '1 day'`)
  // Files of background exports and imports are kept for some days.
  const transfers = await pool.query(
    `delete from files where purpose in ('export', 'import') and create_time < now() - make_interval(days => $1)`,
    [EXPORT_DAYS],
  )
  await pool.query(`delete from uploads where update_time < now() - interval '1 day'`)
  const isolation = { log, kind: 'file-sweep', name: (sha256: string) => ({ sha256 }) }
  await pool.query(`delete from file_claims where claim_time < now() - interval '1 day'`)
  let bytes = 0
  let failedItems = 0
  for await (const { sha256, modified } of files.list()) {
    if (Date.now() - modified.getTime() < DAY_MS) continue
    const { failed } = await forEachIsolated([sha256], isolation, async () => {
      if (await removeUnusedContents(pool, files, sha256)) bytes += 1
    })
    failedItems += failed.length
  }
  return {
    rows: (rows.rowCount ?? 0) + (transfers.rowCount ?? 0),
    contents: bytes,
    uploads: await uploads.sweep(),
    temporary: await files.sweep(),
    failedItems,
  }
}
