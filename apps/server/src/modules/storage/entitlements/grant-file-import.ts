import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type ImportReport, MAX_JOB_REPORTED_ROWS } from '@oms/contract/core/transfer.ts'
import { type GrantPlan, storageGrantFiles as calls, GrantLine } from '@oms/contract/storage/grant-file.ts'
import { and, eq, ne } from 'drizzle-orm'
import type * as z from 'zod'
import { type ApiError, conflict, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { EXAMPLE_MARK, type ImportCtx } from '#core/spreadsheet/import/lines.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { keepReportFile } from '#core/spreadsheet/transfer-jobs.ts'
import { PLATFORM_TENANT_ID, transact } from '#core/tenancy/tenancy.ts'
import { ossGrantFiles } from '../schema-grant.ts'
import { openGrantLines } from './grant-file-open.ts'
import { addToSums, buildPlan, createGrantSums, type GrantSums } from './grant-file-plan.ts'
import { buildGrantFileRow, type GrantInput, rethrowDuplicateFile, SAME_FILE } from './grant-file-row.ts'
import { loadSubmitter } from './grant-file-scope.ts'
import { notifyEntitlementLists } from './open.ts'
import { readTermsOnSale, type Terms } from './open-prepare.ts'
import { EntitlementExportRow } from './entitlement-rows.ts'

export interface GrantState extends GrantSums {
  readonly input: GrantInput
  readonly terms: Terms
  /** A dry run neither locks nor writes rows. */
  readonly isDryRun: boolean
  /** Row of the file; undefined in a dry run. */
  readonly grantFileId: number | undefined
  /** Account whose data scope limits the devices: the account that sent the file. */
  readonly submitter: User
  /** Row number of the first line of each channel. */
  readonly seen: Map<string, number>
  /** Serial numbers that have received a trial, before or by an earlier line. */
  readonly trials: Set<string>
  plan?: GrantPlan
}
export type GrantLines = readonly { readonly row: number; readonly input: z.output<typeof GrantLine> }[]

export const importGrantFile = defineImport({
  kind: 'storage-grant',
  endpoint: calls.import,
  name: '云存开通',
  schema: GrantLine,
  columns: [
    ['sn', { width: 24 }],
    ['channel', { width: 10 }],
    ['copies', { width: 10 }],
  ],
  tables: ['oss_entitlements', 'oss_queues', 'oss_ledger'],
  required: ['sn'],
  exportedRow: EntitlementExportRow,
  example: { sn: EXAMPLE_MARK, channel: '0', copies: '1' },
  prepare,
  takeMany,
  finish,
  isAnswerStored: true,
  storeReport,
  recordOf: ({ done, grantFileId }) =>
    done > 0 && grantFileId ? { bizType: 'storageGrantFile', bizId: grantFileId } : undefined,
  answer: ({ plan }: GrantState) => (plan ? { plan } : {}),
})

async function prepare(ctx: ImportCtx, given: ParsedOf<typeof calls.import>): Promise<GrantState> {
  const input: GrantInput = given
  const isDryRun = Number(input.dryRun) === 1
  const terms = await readTermsOnSale(ctx, input.packageId, !isDryRun)
  const known = { seen: new Map(), trials: new Set<string>() }
  return { input, terms, isDryRun, ...(await openFile(ctx, input, terms)), ...known, ...createGrantSums() }
}

/** Returns the row of the file, and the account whose data scope limits the devices. */
async function openFile(ctx: ImportCtx, input: GrantInput, terms: Terms) {
  if (input.grantFileId) return lockApproved(ctx, input.grantFileId)
  const isDryRun = Number(input.dryRun) === 1
  if (isDryRun) await assertNewFile(ctx)
  return { grantFileId: isDryRun ? undefined : await addFile(ctx, input, terms), submitter: ctx.user }
}

/** Throws when the insertion of the file would violate the unique index of the hash. */
async function assertNewFile({ db, user, file }: ImportCtx) {
  const { tenantId, fileHash, state } = ossGrantFiles
  const isOwn = eq(tenantId, user.tenantId ?? PLATFORM_TENANT_ID)
  const count = await db.$count(ossGrantFiles, and(isOwn, eq(fileHash, file.sha256), ne(state, 3)))
  if (count > 0) throw conflict(...SAME_FILE.oss_grant_files_hash)
}

async function addFile(ctx: ImportCtx, input: GrantInput, terms: Terms) {
  const [made] = await ctx.db
    .insert(ossGrantFiles)
    .values({ ...buildGrantFileRow(ctx, input, terms, ctx.file), state: 1 })
    .returning({ id: ossGrantFiles.id })
    .catch(rethrowDuplicateFile)
  return made!.id
}

/** Locks an approved file and returns its submitter. A second job of the same file is refused. */
async function lockApproved({ db, user }: ImportCtx, grantFileId: number) {
  const { state, createBy, tenantId } = ossGrantFiles
  const [found] = await db
    .select({ state, createBy, tenantId })
    .from(ossGrantFiles)
    .where(eq(ossGrantFiles.id, grantFileId))
    .for('update')
  if (found?.state !== 1) throw refused('该批次已执行或未通过审批')
  return { grantFileId, submitter: await loadSubmitter({ db, user }, found) }
}

async function takeMany(ctx: ImportCtx, lines: GrantLines, state: GrantState) {
  const outcomes: ('created' | ApiError | readonly ApiError[])[] = []
  const fresh: { at: number; line: GrantLines[number] }[] = []
  for (const [at, line] of lines.entries()) {
    const key = `${line.input.sn}:${line.input.channel ?? 0}`
    const earlier = state.seen.get(key)
    if (earlier === undefined) {
      state.seen.set(key, line.row)
      fresh.push({ at, line })
    } else outcomes[at] = conflict(`与第${earlier}行的序列号和通道重复`, 'sn')
  }
  const opened = await openGrantLines(
    ctx,
    fresh.map(({ line }) => line.input),
    state,
    (prepared) => addToSums(ctx, prepared, state),
  )
  for (const [index, { at }] of fresh.entries()) {
    const problems = (opened[index] ?? []).map(({ msg, field }) => invalid(msg, field))
    outcomes[at] = problems.length === 0 ? 'created' : problems
  }
  state.done += outcomes.filter((outcome) => outcome === 'created').length
  return outcomes
}

async function finish(ctx: ImportCtx, state: GrantState) {
  if (state.isDryRun) state.plan = await buildPlan(ctx, state)
  else await closeFile(ctx, state)
}

async function closeFile(ctx: ImportCtx, state: GrantState) {
  const { db } = ctx
  const { input, terms, done, grantFileId, entitlements, opened } = state
  const isRow = eq(ossGrantFiles.id, grantFileId ?? 0)
  const counts = { devices: opened.size, copies: entitlements, listPrice: entitlements * terms.price }
  const failed = Math.max(0, (input.totals?.lines ?? done) - done)
  // A file that opened nothing may be sent again when its devices are ready.
  if (done === 0 && !input.grantFileId) await db.delete(ossGrantFiles).where(isRow)
  else
    await db
      .update(ossGrantFiles)
      .set({ ...counts, state: 2, done, failed })
      .where(isRow)
  if (done > 0) await notifyEntitlementLists(ctx)
}

/** Stores the report with the batch. A batch that opened nothing has no row, so that its file may be sent again. */
async function storeReport(ctx: Pick<Ctx, 'services' | 'user'>, { grantFileId }: GrantState, report: ImportReport) {
  await transact(ctx, async (db) => {
    const [stored] = await db
      .update(ossGrantFiles)
      .set({ problems: report.rows.slice(0, MAX_JOB_REPORTED_ROWS), failedFileId: report.file?.id ?? null })
      .where(eq(ossGrantFiles.id, grantFileId ?? 0))
      .returning({ id: ossGrantFiles.id })
    if (stored) await keepReportFile(db, report)
  })
}
