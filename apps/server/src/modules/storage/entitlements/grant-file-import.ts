import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type ImportReport, MAX_JOB_REPORTED_ROWS } from '@oms/contract/core/transfer.ts'
import {
  type GrantPlan,
  storageGrantFiles as calls,
  GrantLine,
  type GrantCheck,
  MAX_PLAN_TENANTS,
} from '@oms/contract/storage/grant-file.ts'
import { and, eq, ne, inArray } from 'drizzle-orm'
import type * as z from 'zod'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { type ApiError, conflict, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineImport } from '#core/spreadsheet/import/import.ts'
import { EXAMPLE_MARK, type ImportCtx, type TableCheck } from '#core/spreadsheet/import/lines.ts'
import { keepReportFile } from '#core/spreadsheet/transfer-jobs.ts'
import { PLATFORM_TENANT_ID, transact } from '#core/tenancy/tenancy.ts'
import { assertAllowanceCovers, chargeAllowances, readRemainingAllowance } from '../allowance.ts'
import { reserveIds } from '../queue-save.ts'
import { notifyEntitlementLists } from '../queue-store.ts'
import type { QueueEffect } from '../queue.ts'
import { ossGrantFiles } from '../schema-sales.ts'
import { readStorageSettings } from '../settings.ts'
import { EntitlementExportRow } from './entitlement.ts'
import { GRANT_FILE_STATE, loadSubmitter } from './grant-file-scope.ts'
import {
  readTermsOnSale,
  type Terms,
  findChannelProblem,
  findDeviceProblem,
  findTenantProblems,
  type OpenOrder,
  type PreparedEntitlements,
  prepareEntitlements,
  type QueueCtx,
  type QueuePlace,
  readDevicesBySn,
  type TargetDevice,
  computeQueueLoss,
} from './open-prepare.ts'
import {
  buildOpenOrder,
  createIdSource,
  listSerialsWithTrial,
  storePreparedEntitlements,
  buildQueuePlan,
} from './open.ts'

/** Maximum number of entitlements that are prepared at once. */
const MAX_PREPARED_ENTITLEMENTS = 5000
/** Maximum number of channels whose queues the plan shows. */
const SHOWN_QUEUES = 20

interface GrantState extends GrantSums {
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

type GrantLines = readonly { readonly row: number; readonly input: z.output<typeof GrantLine> }[]

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
  const count = await db.$count(
    ossGrantFiles,
    and(isOwn, eq(fileHash, file.sha256), ne(state, GRANT_FILE_STATE.rejected)),
  )
  if (count > 0) throw conflict(...SAME_FILE.oss_grant_files_hash)
}

async function addFile(ctx: ImportCtx, input: GrantInput, terms: Terms) {
  const [made] = await ctx.db
    .insert(ossGrantFiles)
    .values({ ...buildGrantFileRow(ctx, input, terms, ctx.file), state: GRANT_FILE_STATE.running })
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
  if (found?.state !== GRANT_FILE_STATE.running) throw refused('该批次已执行或未通过审批')
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
      .set({ ...counts, state: GRANT_FILE_STATE.done, done, failed })
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

/** Input of a run: the totals of the whole file, and the row of a file that a second person approved. */
export type GrantInput = ParsedOf<typeof calls.import> & {
  readonly totals?: GrantTotals
  readonly grantFileId?: number
}
export interface GrantTotals {
  readonly lines: number
  /** Number of different serial numbers, with and without a device. */
  readonly devices: number
  /** Tenants of the devices; 0 for serial numbers without a device. */
  readonly tenantIds: readonly number[]
}

const SAME_FILE = { oss_grant_files_hash: ['文件已导入过', 'file'] } as const

/** Values of a new row for a file. The run sets the figures of its opened lines. */
export const buildGrantFileRow = (
  { user, now }: Pick<Ctx, 'user' | 'now'>,
  input: GrantInput,
  terms: Pick<Terms, 'packageName'>,
  file: { readonly name: string; readonly sha256: string },
) => ({
  tenantId: user.tenantId ?? PLATFORM_TENANT_ID,
  fileName: file.name.slice(0, 255),
  fileHash: file.sha256,
  packageId: input.packageId,
  packageName: terms.packageName,
  effectMode: input.effectMode,
  source: input.source,
  amount: input.source === 1 ? input.amount : 0,
  reason: input.reason,
  lines: input.totals?.lines ?? 0,
  tenantIds: [...(input.totals?.tenantIds ?? [0])],
  createBy: user.uid,
  updateBy: user.uid,
  createTime: now.toISOString(),
})

export const rethrowDuplicateFile = (error: unknown): never => {
  throw toUniqueViolation(error, SAME_FILE) ?? error
}

type Line = z.output<typeof GrantLine>
/** Reason why a line is refused, with the column that causes it. */
interface LineProblem {
  readonly msg: string
  readonly field: 'sn' | 'channel' | 'copies'
}

/** A line whose device can receive the package. */
interface Ready {
  readonly at: number
  readonly target: TargetDevice
  readonly channel: number
  readonly copies: number
}

/**
 * Opens the package of a file on the channel of each line. Returns the problems of each line, none for an opened line.
 * A dry run neither locks nor writes rows.
 */
async function openGrantLines(
  ctx: QueueCtx,
  lines: readonly Line[],
  state: GrantState,
  onOpened: (prepared: PreparedEntitlements) => void,
): Promise<readonly (readonly LineProblem[])[]> {
  const { problems, ready } = await checkedLines(ctx, lines, state)
  for (const { copies, part } of parts(ready)) {
    const order: OpenOrder = {
      ...buildOpenOrder(state.terms, { ...state.input, copies, channels: 1 }),
      effect: state.input.effectMode as QueueEffect,
      isRenewal: 0,
    }
    // oxlint-disable-next-line no-await-in-loop -- all parts use one transaction
    const prepared = await openPart(ctx, part, order, state)
    const failed = new Map(prepared.failed.map(({ id, msg }) => [id, msg]))
    for (const { at, target } of part) {
      const msg = failed.get(target.id)
      problems[at] = msg === undefined ? [] : [{ msg, field: 'sn' }]
    }
    onOpened(prepared)
  }
  return problems
}

async function openPart(ctx: QueueCtx, part: readonly Ready[], order: OpenOrder, state: GrantState) {
  const { terms, input, isDryRun } = state
  const places = part.map(({ target, channel }): QueuePlace => ({ target, channels: [channel] }))
  const ids = createIdSource(isDryRun ? undefined : await reserveIds(ctx.db, places.length * order.copies))
  const prepared = await prepareEntitlements(ctx, places, order, { locked: !isDryRun, ids })
  const copies = prepared.done * order.copies
  if (isDryRun) await assertAllowanceCovers(ctx, terms.packageId, state.entitlements + copies)
  else {
    await chargeAllowances(ctx, new Map([[terms.packageId, copies]]), input.reason)
    await storePreparedEntitlements(ctx, prepared, [terms], input.reason)
  }
  return prepared
}

/** Checks each line against its device, its tenant and the package. */
async function checkedLines(ctx: QueueCtx, lines: readonly Line[], { terms, submitter, trials }: GrantState) {
  const sns = [...new Set(lines.map(({ sn }) => sn))]
  const found = await readDevicesBySn({ db: ctx.db, user: submitter }, sns)
  const tenants = await findTenantProblems(ctx, [...found.values()])
  const isTrial = terms.isTrial === 1
  if (isTrial) for (const sn of await listSerialsWithTrial(ctx, sns)) trials.add(sn)
  const problems: LineProblem[][] = []
  const ready: Ready[] = []
  for (const [at, { sn, channel = 0, copies = 1 }] of lines.entries()) {
    const target = found.get(sn)
    const bySn =
      findDeviceProblem(target, terms) ??
      tenants.get(target!.tenantId) ??
      (trials.has(sn) ? '该设备已领取过试用' : undefined)
    const byChannel = target && findChannelProblem(target, [channel])
    problems[at] = [
      ...(bySn ? [{ msg: bySn, field: 'sn' } as const] : []),
      ...(byChannel ? [{ msg: byChannel, field: 'channel' } as const] : []),
      ...(isTrial && copies > 1 ? [{ msg: '试用套餐每台设备只能开通1份、1个通道', field: 'copies' } as const] : []),
    ]
    if (problems[at].length > 0) continue
    ready.push({ at, target: target!, channel, copies })
    // A serial number receives at most one trial, also within one file.
    if (isTrial) trials.add(sn)
  }
  return { problems, ready }
}

/** Splits lines into parts of the same number of copies, each with a device at most once. */
function parts(ready: readonly Ready[]) {
  const made: { readonly copies: number; readonly part: Ready[] }[] = []
  const openParts = new Map<string, (typeof made)[number]>()
  const turns = new Map<number, number>()
  for (const line of ready) {
    const turn = turns.get(line.target.id) ?? 0
    turns.set(line.target.id, turn + 1)
    const key = `${line.copies}:${turn}`
    let open = openParts.get(key)
    if (!open || (open.part.length + 1) * line.copies > MAX_PREPARED_ENTITLEMENTS) {
      open = { copies: line.copies, part: [] }
      openParts.set(key, open)
      made.push(open)
    }
    open.part.push(line)
  }
  return made
}

/** Sums of the lines that a run or a dry run opened. */
interface GrantSums {
  /** Number of opened lines. */
  done: number
  entitlements: number
  amount: number
  readonly opened: Set<number>
  /** Opened devices and copies of each tenant. */
  readonly tenants: Map<number, { readonly devices: Set<number>; copies: number }>
  queues: GrantPlan['queues']
  /** What the devices of `losing` lose by an override. */
  readonly loss: { lostSeconds: number; lostAmount: number }
  readonly losing: Set<number>
}

const createGrantSums = (): GrantSums => ({
  done: 0,
  entitlements: 0,
  amount: 0,
  opened: new Set(),
  tenants: new Map(),
  queues: [],
  loss: { lostSeconds: 0, lostAmount: 0 },
  losing: new Set(),
})

/** Adds opened entitlements to the sums. */
function addToSums(ctx: QueueCtx, { created, works, before }: PreparedEntitlements, sums: GrantSums) {
  const snOf = new Map(created.map(({ deviceId, sn }) => [deviceId, sn]))
  for (const { deviceId, tenantId, amount } of created) {
    sums.opened.add(deviceId)
    sums.amount += amount
    const ofTenant = sums.tenants.get(tenantId) ?? { devices: new Set<number>(), copies: 0 }
    sums.tenants.set(tenantId, ofTenant)
    ofTenant.devices.add(deviceId)
    ofTenant.copies += 1
  }
  sums.entitlements += created.length
  for (const work of works) {
    const { lostSeconds, lostAmount } = computeQueueLoss(work)
    sums.loss.lostSeconds += lostSeconds
    sums.loss.lostAmount += lostAmount
    if (lostSeconds > 0) sums.losing.add(work.deviceId)
  }
  const shown = works.slice(0, SHOWN_QUEUES - sums.queues.length)
  const plans = shown.map((work) =>
    buildQueuePlan(work, before.get(`${work.deviceId}:${work.channel}`) ?? [], snOf, ctx),
  )
  sums.queues.push(...plans)
}

async function buildPlan(ctx: ImportCtx, state: GrantState): Promise<GrantPlan> {
  const { input, terms, opened, entitlements, amount, queues, loss, losing } = state
  const { twoPersonAbove } = await readStorageSettings(ctx.db)
  const left = await readRemainingAllowance(ctx, input.packageId)
  return {
    devices: opened.size,
    entitlements,
    listPrice: entitlements * terms.price,
    amount,
    ...loss,
    ...(await listPlanTenants(ctx, state)),
    lostDevices: losing.size,
    queues,
    allowance: left === null ? null : left - entitlements,
    fileDevices: input.totals?.devices ?? 0,
    approvalAbove: twoPersonAbove,
  }
}

/** Returns the tenants with the most opened devices, by name, and the number of all. */
async function listPlanTenants({ db }: ImportCtx, sums: GrantSums) {
  const shown = [...sums.tenants].toSorted(([, a], [, b]) => b.devices.size - a.devices.size).slice(0, MAX_PLAN_TENANTS)
  const ids = shown.map(([id]) => id)
  const found = await db.select({ id: tenants.id, name: tenants.name }).from(tenants).where(inArray(tenants.id, ids))
  const nameOf = new Map(found.map(({ id, name }) => [id, name]))
  const named = shown.map(([id, { devices, copies }]) => ({
    name: nameOf.get(id) ?? '',
    devices: devices.size,
    copies,
  }))
  return { tenants: named, tenantCount: sums.tenants.size }
}

/** Returns the figures of a check that a second person approves. */
export function buildGrantCheck({ report, answer }: TableCheck): GrantCheck {
  const { plan } = answer as { readonly plan: GrantPlan }
  const { entitlements, queues: _, fileDevices: _devices, approvalAbove: _above, ...figures } = plan
  return { ...figures, ...countLines(report), copies: entitlements }
}

const countLines = ({ created, failed, reasons = [] }: ImportReport) => ({ lines: created, failed, reasons })
