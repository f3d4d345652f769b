import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { ENTITLEMENT_STATE, type storageEntitlements as calls } from '@oms/contract/storage/entitlement.ts'
import { and, asc } from 'drizzle-orm'
import { among } from '#core/database/lists/list-query.ts'
import { ApiError } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { chargeAllowances } from '../allowance.ts'
import { saveQueues, reserveIds } from '../queue-save.ts'
import {
  recordQueueChange,
  formatQueueKey,
  loadQueues,
  type QueueKey,
  type QueueWork,
  publishEntitlementsChanged,
} from '../queue-store.ts'
import {
  advanceQueue,
  type QueueChange,
  type Queue,
  resumeItem,
  suspendItem,
  removeItem,
  QUEUE_EFFECT,
} from '../queue.ts'
import { ossEntitlements } from '../schema.ts'
import { visibleEntitlements } from './entitlement.ts'
import {
  type FailedDevice,
  toSeconds,
  readDevicesBySn,
  type OpenOrder,
  prepareEntitlements,
  findTargetProblem,
  findTenantProblems,
  type Terms,
  readTermsOnSale,
} from './open-prepare.ts'
import { createQueueActor, buildOpeningReport, storePreparedEntitlements } from './open.ts'

type Stored = typeof ossEntitlements.$inferSelect
type StepFunction = (queue: Queue, id: number, now: number, zone: string) => QueueChange

interface Step {
  readonly verb: string
  /** States in which the step is allowed. */
  readonly states: readonly number[]
  readonly apply: StepFunction
}

const STEPS = {
  suspend: { verb: '暂停', states: [1], apply: suspendItem },
  resume: { verb: '恢复', states: [3], apply: resumeItem },
  cancel: {
    verb: '取消',
    states: [0, 1, 3],
    apply: (queue, id, now, zone) => removeItem(queue, id, 'cancel', now, zone),
  },
} as const satisfies Record<string, Step>

const words = (states: readonly number[]) =>
  states.map((state) => ENTITLEMENT_STATE[state as keyof typeof ENTITLEMENT_STATE]).join('、')

/** Returns why an entitlement in this state does not permit the step, or undefined. */
export const findStateProblem = (state: number, { verb, states }: Pick<Step, 'verb' | 'states'>) =>
  states.includes(state) ? undefined : `套餐${words([state])}，只有${words(states)}的套餐可以${verb}`

/** Returns the visible entitlements with these ids, unlocked. The caller locks their queues with `loadQueues`. */
export const readEntitlements = ({ db, user }: Ctx, ids: readonly number[]): Promise<Stored[]> =>
  db
    .select()
    .from(ossEntitlements)
    .where(and(among(ossEntitlements.id, ids), visibleEntitlements(user)))
    .orderBy(asc(ossEntitlements.id))

/** Reads the states again after the queues were locked: another call may have ended some entitlements meanwhile. */
export async function refreshStates({ db }: Ctx, list: readonly Stored[]): Promise<Stored[]> {
  const ids = list.map(({ id }) => id)
  const rows = await db
    .select({ id: ossEntitlements.id, state: ossEntitlements.state })
    .from(ossEntitlements)
    .where(among(ossEntitlements.id, ids))
  const stateById = new Map(rows.map(({ id, state }) => [id, state]))
  return list.map((row) => ({ ...row, state: stateById.get(row.id) ?? row.state }))
}

const keysOf = (list: readonly QueueKey[]): QueueKey[] => [
  ...new Map(list.map((row) => [formatQueueKey(row), row])).values(),
]

/** State of an entitlement in an advanced queue: items that ended meanwhile are expired. */
export function stateIn(work: QueueWork, stored: Stored): number {
  const item = work.queue.find(({ id }) => id === stored.id)
  return item?.state ?? (stored.state === 0 || stored.state === 1 || stored.state === 3 ? 2 : stored.state)
}

/** Locks queues and records what time has decided. */
export async function lockQueues(ctx: Ctx, list: readonly QueueKey[]) {
  const works = await loadQueues(ctx.db, keysOf(list), true)
  for (const work of works.values())
    recordQueueChange(work, advanceQueue(work.queue, toSeconds(ctx.now), ctx.services.config.timeZone))
  return works
}

/** Formats an entitlement for the operation log. */
export const formatEntitlementName = ({ sn, packageName }: Pick<Stored, 'sn' | 'packageName'>) =>
  `「${sn}」的「${packageName}」`

/** Report of an id without a visible entitlement. */
export const describeMissingEntitlement = (id: number): FailedDevice => ({
  id,
  name: String(id),
  msg: '开通记录不存在',
})

/** Applies a step to the entitlements that permit it, and reports the reason of the others. */
async function each(ctx: Ctx, step: Step, { ids, reason }: { ids: number[]; reason: string }) {
  const before = await readEntitlements(ctx, ids)
  const works = await lockQueues(ctx, before)
  const found = await refreshStates(ctx, before)
  const failed: FailedDevice[] = ids.filter((id) => !found.some((row) => row.id === id)).map(describeMissingEntitlement)
  const good: Stored[] = []
  for (const stored of found) {
    const work = works.get(formatQueueKey(stored))!
    const problem = findStateProblem(stateIn(work, stored), step)
    if (problem) failed.push({ id: stored.id, name: stored.sn, msg: problem })
    else {
      recordQueueChange(work, step.apply(work.queue, stored.id, toSeconds(ctx.now), ctx.services.config.timeZone))
      good.push(stored)
    }
  }
  const report = buildOpeningReport(new Set(ids).size, good.length, failed)
  await saveQueues(ctx.db, [...works.values()], createQueueActor(ctx, reason))
  ctx.audit({
    bizType: 'entitlement',
    action: `${step.verb}云存储，原因：${reason}`,
    records: good.map((row) => ({
      id: row.id,
      action: `${step.verb}云存储${formatEntitlementName(row)}，原因：${reason}`,
    })),
  })
  await publishEntitlementsChanged(ctx)
  return report
}

export const suspendEntitlements = (ctx: Ctx, input: ParsedOf<typeof calls.suspend>) => each(ctx, STEPS.suspend, input)
export const resumeEntitlements = (ctx: Ctx, input: ParsedOf<typeof calls.resume>) => each(ctx, STEPS.resume, input)
export const cancelEntitlements = (ctx: Ctx, input: ParsedOf<typeof calls.cancel>) => each(ctx, STEPS.cancel, input)

type Input = ParsedOf<typeof calls.renew>
type Created = Pick<Stored, 'id' | 'sn' | 'packageName' | 'deviceId' | 'channel'>
type Outcome = { readonly done: number; readonly failed: readonly FailedDevice[]; readonly created: readonly Created[] }

const failedAs = (rows: readonly Stored[], msg: string): Outcome => ({
  done: 0,
  created: [],
  failed: rows.map(({ id, sn }) => ({ id, name: sn, msg })),
})

/** Opens the terms that are sold now on the channels of these entitlements. */
async function renewWith(ctx: Ctx, rows: readonly Stored[], terms: Terms, input: Input): Promise<Outcome> {
  const targets = await readDevicesBySn(
    ctx,
    rows.map(({ sn }) => sn),
  )
  const tenants = await findTenantProblems(ctx, [...targets.values()])
  const failed: FailedDevice[] = []
  const places = rows.flatMap((row) => {
    const target = targets.get(row.sn)
    const problem = findTargetProblem(target, [row.channel], terms) ?? tenants.get(target!.tenantId)
    if (!problem) return [{ target: target!, channels: [row.channel] }]
    failed.push({ id: row.id, name: row.sn, msg: problem })
    return []
  })
  const { copies, source, amount, reason } = input
  const order: OpenOrder = {
    terms,
    copies,
    source,
    amount: source === 1 ? amount : 0,
    effect: QUEUE_EFFECT.end,
    isRenewal: 1,
  }
  const ids = (await reserveIds(ctx.db, places.length * (copies + 1))).values()
  const prepared = await prepareEntitlements(ctx, places, order, {
    locked: true,
    ids: () => ids.next().value as number,
  })
  await storePreparedEntitlements(ctx, prepared, [terms], reason)
  return { done: prepared.done, failed: [...failed, ...prepared.failed], created: prepared.created }
}

async function renewPackage(ctx: Ctx, rows: readonly Stored[], input: Input): Promise<Outcome> {
  try {
    const terms = await readTermsOnSale(ctx, rows[0]!.packageId)
    if (terms.isTrial === 1) return failedAs(rows, '试用套餐不能续期')
    return await renewWith(ctx, rows, terms, input)
  } catch (error) {
    // A package off sale refuses its own entitlements only.
    if (error instanceof ApiError) return failedAs(rows, error.message)
    throw error
  }
}

/** Opens the same packages again, behind the queues of these entitlements. */
export async function renewEntitlements(ctx: Ctx, input: Input) {
  const found = await readEntitlements(ctx, input.ids)
  const missing = input.ids.filter((id) => !found.some((row) => row.id === id))
  const failed: FailedDevice[] = missing.map(describeMissingEntitlement)
  // Two entitlements of one package on one channel are renewed once.
  const rows = [...new Map(found.map((row) => [`${formatQueueKey(row)}:${row.packageId}`, row])).values()]
  let done = 0
  const created: (Created & { readonly packageId: number })[] = []
  const copies = new Map<number, number>()
  for (const [packageId, group] of Map.groupBy(rows, (row) => row.packageId)) {
    const outcome = await renewPackage(ctx, group, input)
    done += outcome.done
    copies.set(packageId, outcome.done * input.copies)
    failed.push(...outcome.failed)
    created.push(...outcome.created.map((row) => ({ ...row, packageId })))
  }
  const report = buildOpeningReport(input.ids.length, done, failed)
  // After the queues: every call locks queues before allowances, which prevents deadlocks.
  await chargeAllowances(ctx, copies, input.reason)
  const renewedBy = new Map(rows.map((row) => [`${formatQueueKey(row)}:${row.packageId}`, row.id]))
  ctx.audit({
    bizType: 'entitlement',
    action: `续期云存储，原因：${input.reason}`,
    records: created.map((row) => ({
      id: row.id,
      action: `续期云存储${formatEntitlementName(row)}，原因：${input.reason}`,
      input: { ids: [renewedBy.get(`${formatQueueKey(row)}:${row.packageId}`)] },
    })),
  })
  await publishEntitlementsChanged(ctx)
  return report
}
