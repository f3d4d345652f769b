import { and, eq, inArray, sql } from 'drizzle-orm'
import { ossRefunds } from '#schema/storage-sales.ts'
import { ossEntitlements } from '#schema/storage.ts'
import type { Ctx } from '#core/http/context.ts'
import { projectSpans, QUEUE_STATE } from '#domain/storage/queue.ts'
import { formatQueueKey, loadQueues, type QueueWork } from '#domain/storage/queue-store.ts'
import { toSeconds } from '../entitlements/open-prepare.ts'
import type { OrderItem } from './order-record.ts'

/** Amounts of refund requests that are not decided, by item. */
async function pendingByItem({ db }: Ctx, itemIds: readonly number[]) {
  const rows = await db
    .select({ itemId: ossRefunds.itemId, amount: sql<number>`sum(${ossRefunds.amount})::int` })
    .from(ossRefunds)
    .where(and(inArray(ossRefunds.itemId, [...itemIds]), eq(ossRefunds.state, 0)))
    .groupBy(ossRefunds.itemId)
  return new Map(rows.map(({ itemId, amount }) => [itemId, amount]))
}

/** Seconds that remain of an entitlement now, however late the scheduled job is. */
function leftOf(work: QueueWork | undefined, id: number, now: number, zone: string) {
  const item = work?.queue.find((each) => each.id === id)
  if (!work || !item) return 0
  if (item.state === QUEUE_STATE.suspended) return item.left ?? 0
  const span = projectSpans(work.queue, now, zone).find(({ entitlementId }) => entitlementId === id)
  return span ? span.to - Math.max(span.from, now) : (item.left ?? 0)
}

/** Returns remaining and granted seconds of the entitlements of items. Transferred seconds count once. */
async function secondsByItem({ db, now, services }: Ctx, itemIds: readonly number[]) {
  const rows = await db
    .select()
    .from(ossEntitlements)
    .where(inArray(ossEntitlements.orderItemId, [...itemIds]))
  const works = await loadQueues(db, [...new Map(rows.map((row) => [formatQueueKey(row), row])).values()], false)
  const [at, zone] = [toSeconds(now), services.config.timeZone]
  const seconds = new Map<number, { left: bigint; total: bigint }>()
  for (const row of rows) {
    const sum = seconds.get(row.orderItemId!) ?? { left: 0n, total: 0n }
    const isGranted = row.source !== 5
    seconds.set(row.orderItemId!, {
      left: sum.left + BigInt(leftOf(works.get(formatQueueKey(row)), row.id, at, zone)),
      total: sum.total + (isGranted ? BigInt(row.totalSeconds) : 0n),
    })
  }
  return seconds
}

/**
 * Returns for each item the amount that can still be refunded, and the proposal: the item's amount in proportion to the
 * remaining seconds, rounded down, without refunds that were paid or requested.
 */
export async function buildRefundProposals(ctx: Ctx, payStatus: number, items: readonly OrderItem[]) {
  const ids = items.map(({ id }) => id)
  const pending = await pendingByItem(ctx, ids)
  const seconds = await secondsByItem(ctx, ids)
  const isPaid = payStatus !== 0 && payStatus !== 4
  return new Map(
    items.map(({ id, amount, refunded }) => {
      const refundable = isPaid ? Math.max(amount - refunded - (pending.get(id) ?? 0), 0) : 0
      const { left, total } = seconds.get(id) ?? { left: 0n, total: 0n }
      const worth = total === 0n ? 0 : Number((BigInt(amount) * left) / total)
      return [id, { refundable, proposal: Math.max(Math.min(worth, refundable), 0) }]
    }),
  )
}
