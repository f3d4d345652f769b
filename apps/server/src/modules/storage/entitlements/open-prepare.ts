import { MAX_WAITING, MAX_YEARS } from '@oms/contract/storage/entitlement.ts'
import { PACKAGE_LABELS } from '@oms/contract/storage/package.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { findReceivingTenantProblem } from '#core/tenancy/tenant-state.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import type { NewEntitlement } from '../queue-save.ts'
import { formatQueueKey, loadQueues, type QueueKey, type QueueWork, recordQueueChange } from '../queue-store.ts'
import { addItems, projectEnd, QUEUE_EFFECT, QUEUE_STATE, type QueueEffect, type QueueItem } from '../queue.ts'
import { ossPackages, ossPackageVersions } from '../schema.ts'

const YEAR_SECONDS = 366 * 86_400
const MAX_ENTITLEMENTS = 5000

/** Fields of a call's context that changes of queues use. The context of an import has only these fields. */
export type QueueCtx = Pick<Ctx, 'db' | 'user' | 'now' | 'services'>

export type Terms = typeof ossPackageVersions.$inferSelect & {
  readonly packageName: string
  readonly packageCode: string
}
export interface FailedDevice {
  readonly id: number
  readonly name: string
  readonly msg: string
}

export const toSeconds = (at: Date) => Math.floor(at.getTime() / 1000)

/**
 * Returns the current terms of a package on sale. Share-locks the package unless `locked` is false, so that an edit
 * meanwhile creates a new version.
 */
export async function readTermsOnSale({ db }: Pick<Ctx, 'db'>, packageId: number, locked = true): Promise<Terms> {
  // Row-level security does not permit staff of a tenant to lock rows of the platform.
  if (locked) await db.execute(sql`select oms_share_package(${packageId})`)
  const [found] = await db
    .select({
      status: ossPackages.status,
      version: ossPackages.currentVersion,
      name: ossPackages.packageName,
      code: ossPackages.packageCode,
    })
    .from(ossPackages)
    .where(and(eq(ossPackages.id, packageId), notDeleted(ossPackages)))
  if (!found) throw invalid('云存套餐不存在或已被删除', 'packageId')
  if (found.status !== 1) throw invalid(`套餐${PACKAGE_LABELS.off}`, 'packageId')
  const [terms] = await db
    .select()
    .from(ossPackageVersions)
    .where(and(eq(ossPackageVersions.packageId, packageId), eq(ossPackageVersions.version, found.version)))
  return { ...terms!, packageName: found.name, packageCode: found.code }
}

/** One device that receives entitlements on some channels. */
export interface TargetDevice {
  readonly id: number
  readonly sn: string
  readonly tenantId: number
  readonly modelId: number
  readonly cloudChannels: number
}

/** Returns visible devices by serial number. */
export async function readDevicesBySn(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  sns: readonly string[],
): Promise<Map<string, TargetDevice>> {
  const rows = await db
    .select({
      id: devices.id,
      sn: devices.sn,
      tenantId: devices.tenantId,
      modelId: devices.modelId,
      cloudChannels: sql<number>`coalesce(${deviceModels.cloudChannels}, 0)`,
    })
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .where(and(visibleDevices(user), inArray(devices.sn, [...sns])))
  return new Map(rows.map((row) => [row.sn, row]))
}

/** Returns the error for channels that the device does not record to the cloud, or undefined. */
export function findChannelProblem({ cloudChannels }: TargetDevice, channels: readonly number[]) {
  if (cloudChannels === 0 || channels.every((channel) => channel < cloudChannels)) return undefined
  return cloudChannels === 1 ? '该型号只有通道0' : `通道号应为0～${cloudChannels - 1}`
}

/** Returns why the package cannot be opened on channels of a device, or undefined. */
export const findTargetProblem = (target: TargetDevice | undefined, channels: readonly number[], terms: Terms) =>
  findDeviceProblem(target, terms) ?? findChannelProblem(target!, channels)

/** Returns why a device cannot receive the package on any channel, or undefined. */
export function findDeviceProblem(target: TargetDevice | undefined, terms: Terms) {
  if (!target) return '设备不存在'
  if (target.cloudChannels === 0) return '该型号不支持云存储'
  if (terms.modelIds.length > 0 && !terms.modelIds.includes(target.modelId)) return '该套餐不适用于此型号'
  if (terms.tenantIds.length > 0 && !terms.tenantIds.includes(target.tenantId)) return '该套餐不适用于此客户'
  return undefined
}

export interface OpenOrder {
  readonly terms: Terms
  readonly copies: number
  readonly effect: QueueEffect
  readonly source: number
  readonly isRenewal: number
  /** Amount in fen of one copy, shared by the channels. */
  readonly amount: number
  /** Total amount in fen of all copies and channels. When set, it is divided among them and replaces `amount`. */
  readonly total?: number
  readonly orderItemId?: number
}
export interface QueuePlace {
  readonly target: TargetDevice
  readonly channels: readonly number[]
}
export interface PreparedEntitlements {
  readonly works: QueueWork[]
  readonly before: Map<string, QueueWork['queue']>
  readonly created: NewEntitlement[]
  readonly failed: FailedDevice[]
  readonly done: number
}

/** Splits an amount into whole fen; the first parts receive the remainder. */
const splitAmount = (amount: number, parts: number) =>
  Array.from({ length: parts }, (_, at) => Math.floor(amount / parts) + (at < amount % parts ? 1 : 0))

/** Returns why the queue cannot take the new items, or undefined. */
export function findQueueProblem(
  work: QueueWork,
  { effect, copies }: Pick<OpenOrder, 'effect' | 'copies'>,
  now: number,
  zone: string,
) {
  const isSuspended = work.queue[0]?.state === QUEUE_STATE.suspended
  if (isSuspended && effect !== QUEUE_EFFECT.end) return '当前套餐已暂停，请先恢复，或选择排到队尾'
  const waiting = work.queue.filter(({ state }) => state === QUEUE_STATE.waiting).length
  if (waiting + copies > MAX_WAITING) return `该通道待生效套餐已达${MAX_WAITING}个`
  return findEndTimeProblem(work, now, zone)
}

/** Returns the reason to refuse a queue that ends more than `MAX_YEARS` years from now; undefined for other queues. */
export const findEndTimeProblem = ({ queue }: Pick<QueueWork, 'queue'>, now: number, zone: string) =>
  (projectEnd(queue, now, zone) ?? now) > now + MAX_YEARS * YEAR_SECONDS ? `到期时间不能超过${MAX_YEARS}年` : undefined

interface NewItems {
  readonly ids: () => number
  readonly amounts: readonly number[]
  /** Number that the channels of a device have in common when they are opened together; empty for one channel. */
  readonly groupNo: string
}

function newItems(work: QueueWork, place: QueuePlace, order: OpenOrder, { ids, amounts, groupNo }: NewItems) {
  const { terms, source, isRenewal } = order
  const { target } = place
  return Array.from({ length: order.copies }, (_, copy): { item: QueueItem; row: NewEntitlement } => {
    const id = ids()
    const shared = { id, recordType: terms.recordType, storageDays: terms.storageDays }
    const amount = amounts[copy * place.channels.length + place.channels.indexOf(work.channel)] ?? 0
    return {
      item: {
        ...shared,
        state: QUEUE_STATE.waiting,
        period: { type: terms.periodType, count: terms.periodCount },
        left: null,
        from: null,
        to: null,
      },
      row: {
        ...shared,
        deviceId: target.id,
        sn: target.sn,
        channel: work.channel,
        tenantId: target.tenantId,
        packageId: terms.packageId,
        packageVersionId: terms.id,
        packageName: terms.packageName,
        packageCode: terms.packageCode,
        periodType: terms.periodType,
        periodCount: terms.periodCount,
        source,
        isRenewal,
        groupNo,
        fromId: null,
        orderItemId: order.orderItemId ?? null,
        amount,
      },
    }
  })
}

const amountsOf = ({ copies, amount, total }: OpenOrder, channels: number) =>
  total !== undefined
    ? splitAmount(total, copies * channels)
    : Array.from({ length: copies }, () => splitAmount(amount, channels)).flat()

/**
 * Adds new entitlements to the queues of one device. Returns the problem and changes nothing when one queue refuses.
 */
function openOn(
  works: readonly QueueWork[],
  place: QueuePlace,
  order: OpenOrder,
  ids: () => number,
  now: number,
  zone: string,
) {
  const created: NewEntitlement[] = []
  const amounts = amountsOf(order, place.channels.length)
  const groupNo = place.channels.length > 1 ? `G${ids()}` : ''
  for (const work of works) {
    const items = newItems(work, place, order, { ids, amounts, groupNo })
    const problem = findQueueProblem(work, order, now, zone)
    if (problem) return { problem, created: [] }
    recordQueueChange(
      work,
      addItems(
        work.queue,
        items.map(({ item }) => item),
        order.effect,
        now,
        zone,
      ),
    )
    for (const { row } of items)
      work.entries.set(row.id, { ...row, isNew: true, totalSeconds: 0, usedSeconds: 0, startedAt: null })
    const tooLate = findEndTimeProblem(work, now, zone)
    if (tooLate) return { problem: tooLate, created: [] }
    created.push(...items.map(({ row }) => row))
  }
  return { problem: undefined, created }
}

/** Loads the queues of the places and adds the order to each. Devices that refuse are reported and left unchanged. */
export async function prepareEntitlements(
  ctx: QueueCtx,
  places: readonly QueuePlace[],
  order: OpenOrder,
  { locked, ids }: { locked: boolean; ids: () => number },
): Promise<PreparedEntitlements> {
  const { db, now, services } = ctx
  const zone = services.config.timeZone
  const count = places.reduce((sum, { channels }) => sum + channels.length * order.copies, 0)
  if (count > MAX_ENTITLEMENTS) throw invalid(`一次最多开通${MAX_ENTITLEMENTS}份，请减少设备、通道或份数`, 'copies')
  const keys: QueueKey[] = places.flatMap(({ target, channels }) =>
    channels.map((channel) => ({ deviceId: target.id, channel, tenantId: target.tenantId })),
  )
  const loaded = await loadQueues(db, keys, locked)
  const prepared: PreparedEntitlements & { done: number } = {
    works: [],
    before: new Map(),
    created: [],
    failed: [],
    done: 0,
  }
  for (const place of places) {
    const works = place.channels.map((channel) => loaded.get(formatQueueKey({ deviceId: place.target.id, channel }))!)
    for (const work of works) prepared.before.set(formatQueueKey(work), work.queue)
    const { problem, created } = openOn(works, place, order, ids, toSeconds(now), zone)
    if (problem) prepared.failed.push({ id: place.target.id, name: place.target.sn, msg: problem })
    else {
      prepared.done += 1
      prepared.works.push(...works)
      prepared.created.push(...created)
    }
  }
  return prepared
}

/** Returns the reason for each tenant that receives nothing new. */
export async function findTenantProblems(
  { db }: Pick<Ctx, 'db'>,
  targets: readonly TargetDevice[],
): Promise<Map<number, string>> {
  const problems = new Map<number, string>()
  for (const tenantId of new Set(targets.map((target) => target.tenantId))) {
    const problem = await findReceivingTenantProblem(db, tenantId)
    if (problem) problems.set(tenantId, problem)
  }
  return problems
}

type Changed = Pick<QueueWork, 'deviceId' | 'events' | 'entries'>

/** Returns the share of an amount in fen that belongs to the remaining seconds, rounded down. */
const shareOf = (amount: number, left: number, total: number) =>
  total === 0 ? 0 : Number((BigInt(amount) * BigInt(left)) / BigInt(total))

/** Returns the seconds of the replaced entitlement that an override discards, and their value in fen. */
export function computeQueueLoss({ events, entries }: Changed) {
  const loss = { lostSeconds: 0, lostAmount: 0 }
  for (const { kind, id, left } of events) {
    if (kind !== 'replace') continue
    const { amount = 0, totalSeconds = 0 } = entries.get(id) ?? {}
    loss.lostSeconds += left
    loss.lostAmount += shareOf(amount, left, totalSeconds)
  }
  return loss
}

/** Adds up the losses of changed queues, with the number of devices that lose something. */
export function computeTotalLoss(works: readonly Changed[]) {
  const losses = works.map((work) => ({ deviceId: work.deviceId, ...computeQueueLoss(work) }))
  return {
    lostSeconds: losses.reduce((sum, { lostSeconds }) => sum + lostSeconds, 0),
    lostAmount: losses.reduce((sum, { lostAmount }) => sum + lostAmount, 0),
    lostDevices: new Set(losses.filter(({ lostSeconds }) => lostSeconds > 0).map(({ deviceId }) => deviceId)).size,
  }
}
