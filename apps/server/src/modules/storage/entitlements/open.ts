import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageEntitlements as calls } from '@oms/contract/storage/entitlement.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { chargeAllowances, readRemainingAllowance } from '../allowance.ts'
import { insertEntitlements, reserveIds, type QueueActor, saveQueues } from '../queue-save.ts'
import { formatQueueKey, type QueueWork, publishEntitlementsChanged } from '../queue-store.ts'
import { type QueueEffect, projectSpans } from '../queue.ts'
import {
  computeQueueLoss,
  computeTotalLoss,
  readDevicesBySn,
  type FailedDevice,
  type OpenOrder,
  type QueuePlace,
  type PreparedEntitlements,
  prepareEntitlements,
  type QueueCtx,
  toSeconds,
  type TargetDevice,
  type Terms,
  findTargetProblem,
  findTenantProblems,
  readTermsOnSale,
} from './open-prepare.ts'

type OpenInput = ParsedOf<typeof calls.open>

const TRIAL = 4
/** Maximum number of channels whose queues the plan shows. */
const SHOWN_QUEUES = 20

export const createQueueActor = ({ user, now, services }: QueueCtx, reason: string): QueueActor => ({
  uid: user.uid,
  operName: user.realname || user.account,
  reason,
  now: toSeconds(now),
  zone: services.config.timeZone,
})

/** Returns serial numbers that have already received a trial, in any tenant. */
export async function listSerialsWithTrial(
  { db }: Pick<Ctx, 'db'>,
  sns: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.execute<{ sn: string }>(
    sql`select oms_serials_with_trial(${sql.param([...sns])}::text[]) as sn`,
  )
  return new Set(rows.map(({ sn }) => sn))
}

/** Checks the order against the terms, and returns it with the source of a trial package. */
export function buildOpenOrder(
  terms: Terms,
  input: Pick<OpenInput, 'copies' | 'source' | 'amount'> & { channels: number },
): Omit<OpenOrder, 'effect' | 'isRenewal'> {
  const { copies, channels } = input
  const isTrial = terms.isTrial === 1
  const problems = new FieldProblems()
  if (channels > terms.channels) problems.add('channels', `该套餐一次最多开通${terms.channels}个通道`)
  if (isTrial && (copies > 1 || channels > 1)) problems.add('copies', '试用套餐每台设备只能开通1份、1个通道')
  problems.throwIfAny()
  const source = isTrial ? TRIAL : input.source
  return { terms, copies, source, amount: source === 1 ? input.amount : 0 }
}

/** Checks every device. Returns those that can receive the package, and the reasons of the others. */
async function placesOf(
  ctx: Ctx,
  { sns, channels }: Pick<OpenInput, 'sns' | 'channels'>,
  { terms, source }: Pick<OpenOrder, 'terms' | 'source'>,
) {
  const found = await readDevicesBySn(ctx, sns)
  const tenants = await findTenantProblems(ctx, [...found.values()])
  const trials = source === TRIAL ? await listSerialsWithTrial(ctx, sns) : new Set<string>()
  const failed: FailedDevice[] = []
  const places: QueuePlace[] = []
  for (const [at, sn] of [...new Set(sns)].entries()) {
    const target: TargetDevice | undefined = found.get(sn)
    const problem =
      findTargetProblem(target, channels, terms) ??
      tenants.get(target!.tenantId) ??
      (trials.has(sn) ? '该设备已领取过试用' : undefined)
    if (problem) failed.push({ id: target?.id ?? at + 1, name: sn, msg: problem })
    else places.push({ target: target!, channels: [...new Set(channels)] })
  }
  return { places, failed }
}

/** Creates a function that returns the reserved ids one by one, or negative ids for a plan. */
export function createIdSource(ids?: readonly number[]) {
  let at = 0
  return () => {
    at += 1
    return ids ? ids[at - 1]! : -at
  }
}

async function prepareOpen(ctx: Ctx, input: OpenInput | ParsedOf<typeof calls.plan>, isLocked: boolean) {
  const terms = await readTermsOnSale(ctx, input.packageId)
  const channels = [...new Set(input.channels)]
  const order: OpenOrder = {
    ...buildOpenOrder(terms, { ...input, channels: channels.length }),
    effect: input.effectMode as QueueEffect,
    isRenewal: 0,
  }
  const { places, failed } = await placesOf(ctx, { ...input, channels }, order)
  // One id for each copy, and one for the group number of each device.
  const count = places.length * (channels.length * order.copies + 1)
  const ids = createIdSource(isLocked ? await reserveIds(ctx.db, count) : undefined)
  const prepared = await prepareEntitlements(ctx, places, order, { locked: isLocked, ids })
  return { order, terms, prepared, failed: [...failed, ...prepared.failed] }
}

/** Marks terms as sold, which freezes them. */
export const markTermsSold = (db: Db, versionIds: readonly number[]) =>
  versionIds.length === 0
    ? undefined
    : db.execute(sql`select oms_mark_versions_sold(${sql.param([...versionIds])}::int[])`)

/** Stores prepared entitlements, and marks their terms as sold. */
export async function storePreparedEntitlements(
  ctx: QueueCtx,
  { created, works }: PreparedEntitlements,
  terms: readonly Terms[],
  reason: string,
) {
  const { db } = ctx
  const actor = createQueueActor(ctx, reason)
  const unsold = terms.filter(({ isSold }) => isSold === 0).map(({ id }) => id)
  if (created.length > 0) await markTermsSold(db, unsold)
  await insertEntitlements(db, created, actor)
  await saveQueues(db, works, actor)
}

/** Returns the report of a batch. Throws when the only device of a batch failed, so that the form shows the error. */
export function buildOpeningReport(total: number, done: number, failed: readonly FailedDevice[], field?: string) {
  if (total === 1 && failed[0]) throw invalid(failed[0].msg, field)
  return { done, failed: [...failed] }
}

/** Opens a package on devices. Devices that cannot receive it are reported; the others are opened. */
export async function openPackage(ctx: Ctx, input: ParsedOf<typeof calls.open>) {
  const { terms, prepared, failed, order } = await prepareOpen(ctx, input, true)
  const report = buildOpeningReport(new Set(input.sns).size, prepared.done, failed, 'sns')
  await chargeAllowances(ctx, new Map([[terms.packageId, prepared.done * order.copies]]), input.reason)
  await storePreparedEntitlements(ctx, prepared, [terms], input.reason)
  const words = `开通云存套餐「${terms.packageName}」${order.copies}份，原因：${input.reason}`
  ctx.audit({
    bizType: 'entitlement',
    action: words,
    records: prepared.created
      .slice(0, 1000)
      .map(({ id, sn }) => ({ id, action: `为「${sn}」${words}`, input: { sns: [sn] } })),
  })
  await publishEntitlementsChanged(ctx)
  return report
}

const textOf = (seconds: number, zone: string) => formatLocalTime(seconds * 1000, zone)

/** Returns the intervals of a queue as texts. */
export function listQueueIntervals(
  work: Pick<QueueWork, 'entries'>,
  queue: QueueWork['queue'],
  now: number,
  zone: string,
) {
  return projectSpans(queue, now, zone).map(({ entitlementId, from, to, recordType, storageDays }) => ({
    id: entitlementId,
    packageName: work.entries.get(entitlementId)?.packageName ?? '',
    recordType,
    storageDays,
    from: textOf(from, zone),
    to: textOf(to, zone),
  }))
}

export function buildQueuePlan(
  work: QueueWork,
  before: QueueWork['queue'],
  snOf: ReadonlyMap<number, string>,
  ctx: QueueCtx,
) {
  const [now, zone] = [toSeconds(ctx.now), ctx.services.config.timeZone]
  const after = listQueueIntervals(work, work.queue, now, zone)
  return {
    sn: snOf.get(work.deviceId) ?? '',
    channel: work.channel,
    before: listQueueIntervals(work, before, now, zone),
    after,
    endTime: after.at(-1)?.to ?? null,
    ...computeQueueLoss(work),
  }
}

/** Computes what opening would do, and changes nothing. */
export async function planOpening(ctx: Ctx, input: ParsedOf<typeof calls.plan>) {
  const { terms, prepared, failed } = await prepareOpen(ctx, input, false)
  const snOf = new Map(prepared.created.map(({ deviceId, sn }) => [deviceId, sn]))
  return {
    devices: prepared.done,
    entitlements: prepared.created.length,
    listPrice: prepared.done * input.copies * terms.price,
    amount: prepared.created.reduce((sum, { amount }) => sum + amount, 0),
    copies: prepared.done * input.copies,
    allowance: await readRemainingAllowance(ctx, terms.packageId),
    ...computeTotalLoss(prepared.works),
    queues: prepared.works
      .slice(0, SHOWN_QUEUES)
      .map((work) => buildQueuePlan(work, prepared.before.get(formatQueueKey(work)) ?? [], snOf, ctx)),
    failed,
  }
}
