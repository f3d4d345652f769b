import { ENTITLEMENT_STATE, type storageEntitlements as calls } from '@oms/contract/storage/entitlement.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq } from 'drizzle-orm'
import { ossEntitlements, ossPackageVersions } from '#schema/storage.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { among } from '#core/database/lists/list-query.ts'
import {
  advanceQueue,
  type QueueChange,
  QUEUE_EFFECT,
  addItems,
  type Queue,
  QUEUE_STATE,
  type QueueItem,
  resumeItem,
  suspendItem,
  removeItem,
} from '#domain/storage/queue.ts'
import { insertEntitlements, reserveIds, saveQueues } from '#domain/storage/queue-save.ts'
import {
  recordQueueChange,
  formatQueueKey,
  loadQueues,
  type QueueKey,
  type QueueWork,
} from '#domain/storage/queue-store.ts'
import { readDevicesBySn, type FailedDevice, findEndProblem, findQueueProblem, toSeconds } from './open-prepare.ts'
import { createQueueActor, publishEntitlements, buildOpeningReport } from './open.service.ts'
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
const stateProblem = (state: number, { verb, states }: Pick<Step, 'verb' | 'states'>) =>
  states.includes(state) ? undefined : `套餐${words([state])}，只有${words(states)}的套餐可以${verb}`

/** Returns visible entitlements by id. `loadQueues` locks their queues. */
export const readEntitlements = ({ db, user }: Ctx, ids: readonly number[]): Promise<Stored[]> =>
  db
    .select()
    .from(ossEntitlements)
    .where(and(among(ossEntitlements.id, ids), visibleEntitlements(user)))
    .orderBy(asc(ossEntitlements.id))

const keysOf = (list: readonly Stored[]): QueueKey[] => [
  ...new Map(list.map((row) => [formatQueueKey(row), row])).values(),
]

/** State of an entitlement in an advanced queue: items that ended meanwhile are expired. */
function stateIn(work: QueueWork, stored: Stored): number {
  const item = work.queue.find(({ id }) => id === stored.id)
  return item?.state ?? (stored.state === 0 || stored.state === 1 || stored.state === 3 ? 2 : stored.state)
}

/** Locks the queues of these entitlements and records what time has decided. */
async function lockedQueues(ctx: Ctx, list: readonly Stored[]) {
  const works = await loadQueues(ctx.db, keysOf(list), true)
  for (const work of works.values())
    recordQueueChange(work, advanceQueue(work.queue, toSeconds(ctx.now), ctx.services.config.timeZone))
  return works
}

/** Formats an entitlement for the operation log. */
export const nameOf = ({ sn, packageName }: Pick<Stored, 'sn' | 'packageName'>) => `「${sn}」的「${packageName}」`

/** Applies a step to the entitlements that permit it, and reports the reason of the others. */
async function each(ctx: Ctx, step: Step, { ids, reason }: { ids: number[]; reason: string }) {
  const found = await readEntitlements(ctx, ids)
  const works = await lockedQueues(ctx, found)
  const failed: FailedDevice[] = ids
    .filter((id) => !found.some((row) => row.id === id))
    .map((id) => ({ id, name: String(id), msg: '开通记录不存在' }))
  const good: Stored[] = []
  for (const stored of found) {
    const work = works.get(formatQueueKey(stored))!
    const problem = stateProblem(stateIn(work, stored), step)
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
    records: good.map((row) => ({ id: row.id, action: `${step.verb}云存储${nameOf(row)}，原因：${reason}` })),
  })
  await publishEntitlements(ctx)
  return report
}

export const suspendEntitlements = (ctx: Ctx, input: ParsedOf<typeof calls.suspend>) => each(ctx, STEPS.suspend, input)
export const resumeEntitlements = (ctx: Ctx, input: ParsedOf<typeof calls.resume>) => each(ctx, STEPS.resume, input)
export const cancelEntitlements = (ctx: Ctx, input: ParsedOf<typeof calls.cancel>) => each(ctx, STEPS.cancel, input)

/** Returns the target device of a transfer, or throws at its field. */
async function transferTarget(ctx: Ctx, stored: Stored, { targetSn, targetChannel }: ParsedOf<typeof calls.transfer>) {
  const target = (await readDevicesBySn(ctx, [targetSn])).get(targetSn)
  if (!target) throw invalid('设备不存在', 'targetSn')
  if (target.id === stored.deviceId && targetChannel === stored.channel) throw invalid('不能转移到同一设备', 'targetSn')
  if (target.tenantId !== stored.tenantId) throw invalid('目标设备与原设备属于不同客户', 'targetSn')
  const [terms] = await ctx.db
    .select({ modelIds: ossPackageVersions.modelIds })
    .from(ossPackageVersions)
    .where(eq(ossPackageVersions.id, stored.packageVersionId))
  const isOtherModel = terms && terms.modelIds.length > 0 && !terms.modelIds.includes(target.modelId)
  if (target.cloudChannels === 0 || isOtherModel) throw invalid('目标设备型号不支持该套餐', 'targetSn')
  if (targetChannel >= target.cloudChannels) throw invalid(`通道号应为0～${target.cloudChannels - 1}`, 'targetChannel')
  return target
}

const itemFrom = (stored: Stored, id: number, left: number): QueueItem => ({
  id,
  state: QUEUE_STATE.waiting,
  recordType: stored.recordType,
  storageDays: stored.storageDays,
  period: { type: stored.periodType, count: stored.periodCount },
  left,
  from: null,
  to: null,
})

/** Takes an entitlement out of its queue for a transfer. Returns its remaining seconds. */
function takeForTransfer(ctx: Ctx, from: QueueWork, stored: Stored) {
  const [now, zone] = [toSeconds(ctx.now), ctx.services.config.timeZone]
  recordQueueChange(from, advanceQueue(from.queue, now, zone))
  const problem = stateProblem(stateIn(from, stored), { verb: '转移', states: [0, 1] })
  if (problem) throw refused(problem)
  recordQueueChange(from, removeItem(from.queue, stored.id, 'transfer', now, zone))
  return from.events.find(({ id, kind }) => id === stored.id && kind === 'transfer')!.left
}

/** Adds the remaining seconds to the end of the target's queue. */
function joinQueue(ctx: Ctx, to: QueueWork, row: Stored, left: number) {
  const [now, zone] = [toSeconds(ctx.now), ctx.services.config.timeZone]
  const problem = findQueueProblem(to, { effect: QUEUE_EFFECT.end, copies: 1 }, now, zone)
  if (problem) throw invalid(problem, 'targetSn')
  recordQueueChange(to, addItems(to.queue, [itemFrom(row, row.id, left)], QUEUE_EFFECT.end, now, zone))
  const tooLate = findEndProblem(to, now, zone)
  if (tooLate) throw invalid(tooLate, 'targetSn')
  to.entries.set(row.id, { ...row, isNew: true, totalSeconds: 0, usedSeconds: 0, startedAt: null })
}

/** Moves the remaining seconds of an entitlement to another device of the same tenant. */
export async function transferEntitlement(ctx: Ctx, input: ParsedOf<typeof calls.transfer>) {
  const { db } = ctx
  const [stored] = await readEntitlements(ctx, [input.id])
  if (!stored) throw notFound('开通记录')
  const target = await transferTarget(ctx, stored, input)
  const channel = input.targetChannel
  const targetKey = { deviceId: target.id, channel, tenantId: target.tenantId }
  const works = await loadQueues(db, [stored, targetKey], true)
  const [from, to] = [works.get(formatQueueKey(stored))!, works.get(formatQueueKey(targetKey))!]
  const left = takeForTransfer(ctx, from, stored)
  const [id] = await reserveIds(db, 1)
  const moved = { id: id!, deviceId: target.id, sn: target.sn, channel, source: 5, fromId: stored.id }
  const row = { ...stored, ...moved, amount: 0, isRenewal: 0 }
  joinQueue(ctx, to, row, left)
  const actor = createQueueActor(ctx, input.reason)
  await insertEntitlements(db, [row], actor)
  await saveQueues(db, [from, to], actor)
  ctx.audit({
    bizType: 'entitlement',
    bizIds: [stored.id, row.id],
    action: `转移云存储${nameOf(stored)}到设备「${target.sn}」，原因：${input.reason}`,
  })
  await publishEntitlements(ctx)
  return { id: row.id }
}
