import type { GrantLine } from '@oms/contract/storage/grant-file.ts'
import type * as z from 'zod'
import type { QueueEffect } from '../queue.ts'
import { reserveIds } from '../queue-save.ts'
import { assertAllowanceCovers, chargeAllowances } from '../allowances/allowance-charge.ts'
import type { GrantState } from './grant-file-import.ts'
import { buildOpenOrder, createIdSource, listSerialsWithTrial, storePreparedEntitlements } from './open.ts'
import {
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
} from './open-prepare.ts'

type Line = z.output<typeof GrantLine>
/** Reason why a line is refused, with the column that causes it. */
interface LineProblem {
  readonly msg: string
  readonly field: 'sn' | 'channel' | 'copies'
}
/** Maximum number of entitlements that are prepared at once. */
const MAX_PREPARED_ENTITLEMENTS = 5000

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
export async function openGrantLines(
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
