import { GIFT_PAY_WAY, NOT_CREATOR } from '@oms/contract/agent/orders/order-entities.ts'
import type { agentOrders as calls } from '@oms/contract/agent/orders/order.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { eq } from 'drizzle-orm'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { ORDER_STEP } from './order-steps.ts'
import { agentOrderTargets } from '../schema/agent-orders.ts'
import { assertDiscountReason, formatTargetNames, storeTargets, prepareOrder } from './order-create.ts'
import { assertOrderStepAllowed, lockOrder, publishOrders, saveStep } from './order-log.ts'

type Input = ParsedOf<typeof calls.update>

/** Throws for a gift without a reason, and for a sale with an invalid discount. */
function assertMoney(ctx: Ctx, isGift: boolean, input: Input) {
  if (!isGift) return assertDiscountReason(ctx, input)
  if (input.remark === '') throw invalid('请输入赠送原因', 'remark')
}

/**
 * Changes buyer, package, targets, copies and discount of a pending order. The order then refers to the version of the
 * package that is sold now. A confirmation dialog that was opened before the change is refused, because its revision is
 * old.
 */
export async function editOrder(ctx: Ctx, input: Input) {
  const order = await lockOrder(ctx, input.id)
  await assertOrderStepAllowed(ctx, order, input.rev, ORDER_STEP.edit)
  if (order.createBy !== ctx.user.uid) throw refused(NOT_CREATOR.edit)
  const isGift = order.payWay === GIFT_PAY_WAY
  const sale = { discount: input.discount, isGift }
  const { terms, buyer, targets, quote } = await prepareOrder(ctx, input, sale, () => assertMoney(ctx, isGift, input))
  await ctx.db.delete(agentOrderTargets).where(eq(agentOrderTargets.orderId, order.id))
  await storeTargets(ctx, order.id, buyer, targets)
  if (buyer.id !== order.tenantId) await publishOrders(ctx, buyer.id)
  const next = {
    tenantId: buyer.id,
    packageId: terms.packageId,
    packageVersionId: terms.id,
    packageName: terms.packageName,
    targetCount: targets.length,
    copies: input.copies,
    unitPrice: terms.price,
    discount: quote.discount,
    discountReason: isGift ? '' : input.discountReason,
    amount: quote.amount,
    remark: input.remark,
  }
  return saveStep(ctx, order, next, `编辑订单（${formatTargetNames(targets)}，${formatFenAsYuan(quote.amount)}元）`)
}
