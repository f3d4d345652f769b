import type { OrderDetail } from '@oms/contract/agent/orders/order-entities.ts'
import { balanceText } from '@oms/contract/agent/packages/package-terms.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { toAllowanceUnits } from './units.ts'

type UnitSum = OrderDetail['units'][number]
const AMOUNTS = ['total', 'left', 'spent', 'lapsed', 'refunded'] as const

/** Returns the sums of orders by unit, in the units of the package. Reads all orders by one statement. */
export async function readBalances(db: Db, orderIds: readonly number[]): Promise<ReadonlyMap<number, UnitSum[]>> {
  if (orderIds.length === 0) return new Map()
  const { rows } = await db.execute<UnitSum & { orderId: number }>(sql`
    select order_id as "orderId", unit, bool_and(is_unlimited = 1) as "isUnlimited", sum(total)::float8 as total,
      sum(remaining)::float8 as left, sum(spent)::float8 as spent,
      sum(lapsed)::float8 as lapsed, sum(refunded)::float8 as refunded
    from agent_grants where order_id = any(${sql.param([...orderIds])}::int[]) group by 1, 2 order by 1, 2`)
  return Map.groupBy(rows.map(presentSum), ({ orderId }) => orderId)
}

function presentSum<T extends UnitSum>(row: T): T {
  const amounts = AMOUNTS.map((key) => [key, toAllowanceUnits(row.unit, row[key])])
  return { ...row, ...Object.fromEntries(amounts) }
}

/** Returns the columns 剩余 of an order. */
export function summarizeBalances(units: readonly UnitSum[]) {
  const shares = units.flatMap(({ isUnlimited, left, total }) => (isUnlimited ? [] : total === 0 ? 0 : left / total))
  return { left: units.map(balanceText).join('、'), leftShare: shares.length > 0 ? Math.min(...shares) : null }
}

/**
 * Adds the columns 剩余 to a page of visible orders. Reads the grants without row-level security, because grants of
 * transferred devices belong to another tenant, and still belong to the order.
 */
export async function withBalances<T extends { readonly id: number }>(
  caller: Parameters<typeof withoutRowSecurity>[0],
  orders: readonly T[],
) {
  const ids = orders.map(({ id }) => id)
  const units = await withoutRowSecurity(caller, (db) => readBalances(db, ids))
  return orders.map((order) => ({ ...order, ...summarizeBalances(units.get(order.id) ?? []) }))
}
