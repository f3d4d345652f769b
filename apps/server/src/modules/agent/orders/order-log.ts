import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { ORDER_STATE, PAYMENT_METHOD } from '@oms/contract/agent/orders/order-entities.ts'
import { and, eq } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { forbidden, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { findOrderStepProblem, ORDER_STEP } from './order-steps.ts'
import { visibleOrders } from './visible-orders.ts'
import { agentOrders } from '../schema/agent-orders.ts'

export type StoredOrder = typeof agentOrders.$inferSelect
type Step = Parameters<typeof findOrderStepProblem>[1]

const TITLES = {
  tenantId: '客户',
  packageName: '套餐',
  targetCount: '对象数',
  copies: '份数',
  discount: '优惠金额（元）',
  discountReason: '优惠原因',
  amount: '订单金额（元）',
  remark: '备注',
  state: '状态',
  payWay: '收款方式',
  voucherNo: '凭证号',
  voucherFiles: '凭证文件',
  refunded: '已退款（元）',
  closeReason: '关闭原因',
}

export const publishOrders = ({ services, db }: Ctx, tenantId: number) =>
  services.events.publish(db, 'changed', { resource: 'agent', tenantId })

/** Refuses staff of tenants: only the vendor records payments, gives packages away and refunds. */
export function assertVendor({ user }: Pick<Ctx, 'user'>) {
  if (!user.isPlatform) throw forbidden()
}

/** Returns the order, locked. */
export async function lockOrder({ db, user }: Ctx, id: number): Promise<StoredOrder> {
  const [found] = await db
    .select()
    .from(agentOrders)
    .where(and(eq(agentOrders.id, id), visibleOrders(user)))
    .for('update')
  if (!found) throw notFound('订单')
  return found
}

/**
 * Refuses a step from a wrong state or an old revision. Only an edit reports a conflict that a person may overwrite: a
 * payment or refund may not go through for an amount that the person has not seen.
 */
export async function assertOrderStepAllowed({ db }: Ctx, order: StoredOrder, rev: number, step: Step) {
  const problem = findOrderStepProblem(order.state, step)
  if (problem) throw refused(problem)
  if (step !== ORDER_STEP.edit && order.rev !== rev) throw refused('订单已被他人修改，请关闭后重新打开')
  await checkRevision(db, order, rev)
}

const AMOUNTS = ['discount', 'amount', 'refunded'] as const

const inWords = (order: Partial<StoredOrder>) => ({
  ...order,
  ...Object.fromEntries(
    AMOUNTS.flatMap((key) => (order[key] === undefined ? [] : [[key, formatFenAsYuan(order[key])]])),
  ),
  ...(order.state === undefined ? {} : { state: ORDER_STATE[order.state as keyof typeof ORDER_STATE] }),
  ...(order.voucherFiles === undefined ? {} : { voucherFiles: order.voucherFiles.map(({ name }) => name).join('、') }),
  ...(order.payWay === undefined ? {} : { payWay: PAYMENT_METHOD[order.payWay as keyof typeof PAYMENT_METHOD] ?? '' }),
})

/** Saves a step with its line of the operation log, and publishes the change. Returns the new revision. */
export async function saveStep(ctx: Ctx, order: StoredOrder, next: Partial<StoredOrder>, action: string) {
  const revised = updateColumns(order, ctx.user.uid, ctx.now)
  await ctx.db
    .update(agentOrders)
    .set({ ...next, ...revised })
    .where(eq(agentOrders.id, order.id))
  ctx.audit({
    bizType: 'agentOrder',
    bizId: order.id,
    action: `${action} ${order.orderNo}`,
    diff: listChanges(inWords(order), inWords(next), TITLES),
  })
  await publishOrders(ctx, order.tenantId)
  return { rev: revised.rev }
}
