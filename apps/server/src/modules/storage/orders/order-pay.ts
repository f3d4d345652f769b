import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { ossOrders } from '../schema-sales.ts'
import { ossEntitlements } from '../schema.ts'
import { conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import type { QueueEffect } from '../queue.ts'
import { reserveIds } from '../queue-save.ts'
import { loadQueues } from '../queue-store.ts'
import {
  readDevicesBySn,
  prepareEntitlements,
  type TargetDevice,
  findTargetProblem,
  findTenantProblems,
  type Terms,
} from '../entitlements/open-prepare.ts'
import { storePreparedEntitlements } from '../entitlements/open.ts'
import { type Order, type OrderItem, readTermsByVersion } from './order-record.ts'

interface Place {
  readonly item: OrderItem
  readonly target: TargetDevice
  readonly terms: Terms
}

/** Returns the device and the terms of each item. Refuses the whole order when one item cannot be opened. */
async function placesOf(ctx: Ctx, items: readonly OrderItem[]): Promise<Place[]> {
  const devices = await readDevicesBySn(
    ctx,
    items.map(({ sn }) => sn),
  )
  const terms = await readTermsByVersion(
    ctx,
    items.map(({ packageVersionId }) => packageVersionId),
  )
  const tenants = await findTenantProblems(ctx, [...devices.values()])
  return items.map((item) => {
    const [target, found] = [devices.get(item.sn), terms.get(item.packageVersionId)!]
    const problem = findTargetProblem(target, item.channels, found) ?? tenants.get(target!.tenantId)
    if (problem) throw conflict(`第${item.line}行 ${item.sn}：${problem}`)
    return { item, target: target!, terms: found }
  })
}

/** Returns 1 when the channels already had a package that was not a trial: the sale is a renewal. */
async function renewalFlag({ db }: Ctx, { item, target }: Place) {
  const count = await db.$count(
    ossEntitlements,
    and(
      eq(ossEntitlements.deviceId, target.id),
      inArray(ossEntitlements.channel, item.channels),
      ne(ossEntitlements.source, 4),
    ),
  )
  return count > 0 ? 1 : 0
}

async function openItem(ctx: Ctx, place: Place, reason: string): Promise<number[]> {
  const { item, target, terms } = place
  const { channels, copies } = item
  const ids = (await reserveIds(ctx.db, channels.length * (copies + 1))).values()
  const order = {
    terms,
    copies,
    effect: item.effectMode as QueueEffect,
    source: 1,
    isRenewal: await renewalFlag(ctx, place),
    amount: 0,
    total: item.amount,
    orderItemId: item.id,
  }
  const nextId = () => ids.next().value as number
  const prepared = await prepareEntitlements(ctx, [{ target, channels }], order, { locked: true, ids: nextId })
  const [failed] = prepared.failed
  if (failed) throw conflict(`第${item.line}行 ${item.sn}：${failed.msg}`)
  await storePreparedEntitlements(ctx, prepared, [terms], reason)
  return prepared.created.map(({ id }) => id)
}

/** Marks an order as paid and opens its items. The queues of all items are locked first, in one order. */
export async function payOrder(ctx: Ctx, order: Order, items: readonly OrderItem[], paidAt: number) {
  const { db, now } = ctx
  const places = await placesOf(ctx, items)
  const keys = places.flatMap(({ item, target }) =>
    item.channels.map((channel) => ({ deviceId: target.id, channel, tenantId: target.tenantId })),
  )
  await loadQueues(db, [...new Map(keys.map((key) => [`${key.deviceId}:${key.channel}`, key])).values()], true)
  const created: number[] = []
  for (const place of places) created.push(...(await openItem(ctx, place, `订单 ${order.outOrderNo}`)))
  await db
    .update(ossOrders)
    .set({
      payStatus: 1,
      payTime: sql`to_timestamp(${Math.min(paidAt, now.getTime() / 1000)}::float8)`,
      updateTime: now.toISOString(),
    })
    .where(eq(ossOrders.id, order.id))
  return created
}
