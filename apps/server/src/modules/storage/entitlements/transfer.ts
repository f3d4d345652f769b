import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageEntitlements as calls } from '@oms/contract/storage/entitlement.ts'
import { inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { insertEntitlements, type NewEntitlement, reserveIds, saveQueues } from '../queue-save.ts'
import {
  recordQueueChange,
  formatQueueKey,
  type QueueKey,
  type QueueWork,
  publishEntitlementsChanged,
} from '../queue-store.ts'
import { QUEUE_EFFECT, addItems, type Queue, QUEUE_STATE, type QueueItem, removeItem } from '../queue.ts'
import { type ossEntitlements, ossPackageVersions } from '../schema.ts'
import {
  describeMissingEntitlement,
  findStateProblem,
  formatEntitlementName,
  lockQueues,
  readEntitlements,
  refreshStates,
  stateIn,
} from './entitlement-steps.ts'
import {
  type FailedDevice,
  findEndTimeProblem,
  findQueueProblem,
  readDevicesBySn,
  type TargetDevice,
  toSeconds,
} from './open-prepare.ts'
import { buildOpeningReport, createQueueActor } from './open.ts'

type Stored = typeof ossEntitlements.$inferSelect
type Item = ParsedOf<typeof calls.transfer>['items'][number]

/** One entitlement on its way to another channel. */
interface Move {
  /** Place in the request. */
  readonly at: number
  readonly stored: Stored
  readonly target: TargetDevice
  readonly channel: number
}
/** Why an entitlement cannot move; `field` is the field of the item that is wrong. */
interface Problem {
  readonly msg: string
  readonly field?: 'targetSn' | 'targetChannel'
}
interface Refusal extends Problem {
  readonly at: number
  readonly failed: FailedDevice
}
const STEP = { verb: '转移', states: [0, 1] } as const
const atTarget = (msg: string | undefined): Problem | undefined => (msg ? { msg, field: 'targetSn' } : undefined)

/** Returns the models of package versions; an empty list permits every model. */
async function readVersionModels(db: Db, versionIds: readonly number[]) {
  const rows = await db
    .select({ id: ossPackageVersions.id, modelIds: ossPackageVersions.modelIds })
    .from(ossPackageVersions)
    .where(inArray(ossPackageVersions.id, [...versionIds]))
  return new Map(rows.map(({ id, modelIds }) => [id, modelIds]))
}

/** Returns why the device cannot receive the entitlement on this channel, or undefined. */
function findTargetProblem(
  stored: Stored,
  target: TargetDevice | undefined,
  { channel, modelIds }: { readonly channel: number; readonly modelIds: readonly number[] },
): Problem | undefined {
  if (!target) return atTarget('设备不存在')
  if (target.id === stored.deviceId && channel === stored.channel) return atTarget('不能转移到同一设备')
  if (target.tenantId !== stored.tenantId) return atTarget('目标设备与原设备属于不同客户')
  const isOtherModel = modelIds.length > 0 && !modelIds.includes(target.modelId)
  if (target.cloudChannels === 0 || isOtherModel) return atTarget('目标设备型号不支持该套餐')
  if (channel >= target.cloudChannels)
    return { msg: `通道号应为0～${target.cloudChannels - 1}`, field: 'targetChannel' }
  return undefined
}

const refuse = (at: number, { id, sn }: Pick<Stored, 'id' | 'sn'>, problem: Problem): Refusal => ({
  at,
  ...problem,
  failed: { id, name: sn, msg: problem.msg },
})

/** Finds the entitlements and targets of the items. Returns the possible moves, and the reasons of the other items. */
async function readMoves(ctx: Ctx, items: readonly Item[]) {
  const list = await readEntitlements(
    ctx,
    items.map(({ id }) => id),
  )
  const storedById = new Map(list.map((row) => [row.id, row]))
  const targets = await readDevicesBySn(ctx, [...new Set(items.map(({ targetSn }) => targetSn))])
  const models = await readVersionModels(ctx.db, [...new Set(list.map((row) => row.packageVersionId))])
  const moves: Move[] = []
  const refusals: Refusal[] = []
  for (const [at, { id, targetSn, targetChannel }] of items.entries()) {
    const stored = storedById.get(id)
    if (!stored) {
      const failed = describeMissingEntitlement(id)
      refusals.push({ at, msg: failed.msg, failed })
      continue
    }
    const channel = targetChannel ?? stored.channel
    const target = targets.get(targetSn)
    const terms = { channel, modelIds: models.get(stored.packageVersionId) ?? [] }
    const problem = findTargetProblem(stored, target, terms)
    if (problem) refusals.push(refuse(at, stored, problem))
    else moves.push({ at, stored, target: target!, channel })
  }
  return { moves, refusals }
}

const targetKeyOf = ({ target, channel }: Move): QueueKey => ({
  deviceId: target.id,
  channel,
  tenantId: target.tenantId,
})

/** Orders the moves by their place in the queues, so that the target has the order of the source. */
function sortMoves(moves: readonly Move[], works: ReadonlyMap<string, QueueWork>) {
  const placeOf = ({ stored }: Move) => works.get(formatQueueKey(stored))!.queue.findIndex(({ id }) => id === stored.id)
  const queues = Map.groupBy(moves, ({ stored }) => formatQueueKey(stored))
  return [...queues.values()].flatMap((own) => own.toSorted((a, b) => placeOf(a) - placeOf(b)))
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

/** Adds an item to the end of a queue. Returns why the queue refuses the item, and then changes nothing. */
function joinQueue(to: QueueWork, item: QueueItem, now: number, zone: string) {
  const problem = findQueueProblem(to, { effect: QUEUE_EFFECT.end, copies: 1 }, now, zone)
  if (problem) return problem
  const change = addItems(to.queue, [item], QUEUE_EFFECT.end, now, zone)
  const tooLate = findEndTimeProblem(change, now, zone)
  if (tooLate) return tooLate
  recordQueueChange(to, change)
  return undefined
}

/** Returns the seconds that an item takes along when it leaves the queue now. */
function leftSecondsOf(queue: Queue, id: number, now: number, zone: string) {
  const { events } = removeItem(queue, id, 'transfer', now, zone)
  return events.find((event) => event.id === id && event.kind === 'transfer')!.left
}

/** Returns the row of a moved entitlement: the same package with the remaining seconds, without an amount. */
const rowOf = ({ stored, target, channel }: Move, id: number): Stored & NewEntitlement => ({
  ...stored,
  id,
  deviceId: target.id,
  sn: target.sn,
  channel,
  source: 5,
  fromId: stored.id,
  amount: 0,
  isRenewal: 0,
})

/**
 * Moves entitlements between locked queues. Computes all remaining seconds first, so that devices can exchange
 * entitlements. Adds to all targets before it removes from the sources. Removes the last entitlement of a queue first,
 * because the removal of the first would start the next.
 */
function moveAll(ctx: Ctx, moves: readonly Move[], works: ReadonlyMap<string, QueueWork>, ids: readonly number[]) {
  const [now, zone] = [toSeconds(ctx.now), ctx.services.config.timeZone]
  const refusals: Refusal[] = []
  const ready: { readonly move: Move; readonly left: number }[] = []
  for (const move of sortMoves(moves, works)) {
    const from = works.get(formatQueueKey(move.stored))!
    const msg = findStateProblem(stateIn(from, move.stored), STEP)
    if (msg) refusals.push(refuse(move.at, move.stored, { msg }))
    else ready.push({ move, left: leftSecondsOf(from.queue, move.stored.id, now, zone) })
  }
  const moved: { readonly move: Move; readonly row: Stored & NewEntitlement }[] = []
  for (const { move, left } of ready) {
    const to = works.get(formatQueueKey(targetKeyOf(move)))!
    const row = rowOf(move, ids[moved.length]!)
    const problem = atTarget(joinQueue(to, itemFrom(move.stored, row.id, left), now, zone))
    if (problem) refusals.push(refuse(move.at, move.stored, problem))
    else {
      to.entries.set(row.id, { ...row, isNew: true, totalSeconds: 0, usedSeconds: 0, startedAt: null })
      moved.push({ move, row })
    }
  }
  for (const { move } of moved.toReversed()) {
    const from = works.get(formatQueueKey(move.stored))!
    recordQueueChange(from, removeItem(from.queue, move.stored.id, 'transfer', now, zone))
  }
  return { moved, refusals }
}

/** Moves the remaining seconds of entitlements to other devices. Entitlements that cannot move are reported. */
export async function transferEntitlements(ctx: Ctx, { items, reason }: ParsedOf<typeof calls.transfer>) {
  const { db } = ctx
  const { moves: wanted, refusals } = await readMoves(ctx, items)
  const works = await lockQueues(
    ctx,
    wanted.flatMap((move) => [move.stored, targetKeyOf(move)]),
  )
  const stored = await refreshStates(
    ctx,
    wanted.map((move) => move.stored),
  )
  const moves = wanted.map((move, at) => ({ ...move, stored: stored[at]! }))
  const result = moveAll(ctx, moves, works, await reserveIds(db, moves.length))
  const { moved } = result
  const all = [...refusals, ...result.refusals].toSorted((a, b) => a.at - b.at)
  const field = all[0]?.field && `items.0.${all[0].field}`
  const report = buildOpeningReport(
    items.length,
    moved.length,
    all.map(({ failed }) => failed),
    field,
  )
  const actor = createQueueActor(ctx, reason)
  const changed = new Set(moved.flatMap(({ move }) => [move.stored, targetKeyOf(move)].map(formatQueueKey)))
  await insertEntitlements(
    db,
    moved.map(({ row }) => row),
    actor,
  )
  await saveQueues(
    db,
    [...changed].map((key) => works.get(key)!),
    actor,
  )
  auditMoves(ctx, moved, reason)
  await publishEntitlementsChanged(ctx)
  return report
}

/** Records each move in the history of both entitlements. */
function auditMoves(
  ctx: Ctx,
  moved: readonly { readonly move: Move; readonly row: Stored & NewEntitlement }[],
  reason: string,
) {
  ctx.audit({
    bizType: 'entitlement',
    action: `转移云存储，原因：${reason}`,
    records: moved.flatMap(({ move: { stored, target }, row }) => {
      const action = `转移云存储${formatEntitlementName(stored)}到设备「${target.sn}」，原因：${reason}`
      const input = { items: [{ id: stored.id, targetSn: target.sn, targetChannel: row.channel }] }
      return [
        { id: stored.id, action, input },
        { id: row.id, action, input },
      ]
    }),
  })
}
