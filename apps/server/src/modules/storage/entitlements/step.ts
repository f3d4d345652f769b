import { ENTITLEMENT_STATE, type storageEntitlements as calls } from '@oms/contract/storage/entitlement.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc } from 'drizzle-orm'
import { ossEntitlements } from '../schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { among } from '#core/database/lists/list-query.ts'
import { advanceQueue, type QueueChange, type Queue, resumeItem, suspendItem, removeItem } from '../queue.ts'
import { saveQueues } from '../queue-save.ts'
import { recordQueueChange, formatQueueKey, loadQueues, type QueueKey, type QueueWork } from '../queue-store.ts'
import { type FailedDevice, toSeconds } from './open-prepare.ts'
import { createQueueActor, publishEntitlementsChanged, buildOpeningReport } from './open.ts'
import { visibleEntitlements } from './entitlement-rows.ts'

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
