import { ORDER_STATE_CODE, ORDER_STATE, PAYMENT_METHOD } from '@oms/contract/agent/orders/order-entities.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { forbidden, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { buildStaffScope, scoped } from '#core/tenancy/tenancy.ts'
import { agentOrders, agentGrants } from '../schema/agent-orders.ts'

interface Step {
  readonly from: readonly number[]
  readonly to: number
  /** Name of the step in refusals. */
  readonly name: string
}

/** Steps of an order. No other change of state exists. */
export const ORDER_STEP = {
  confirm: { from: [ORDER_STATE_CODE.pending], to: ORDER_STATE_CODE.paid, name: '确认收款' },
  edit: { from: [ORDER_STATE_CODE.pending], to: ORDER_STATE_CODE.pending, name: '编辑' },
  close: { from: [ORDER_STATE_CODE.pending], to: ORDER_STATE_CODE.closed, name: '关闭' },
  refund: { from: [ORDER_STATE_CODE.paid], to: ORDER_STATE_CODE.refunding, name: '退款' },
  approve: { from: [ORDER_STATE_CODE.refunding], to: ORDER_STATE_CODE.refunded, name: '审批退款' },
  reject: { from: [ORDER_STATE_CODE.refunding], to: ORDER_STATE_CODE.paid, name: '审批退款' },
  finish: { from: [ORDER_STATE_CODE.paid], to: ORDER_STATE_CODE.finished, name: '完成' },
} as const satisfies Record<string, Step>

const nameOf = (state: number) => ORDER_STATE[state as keyof typeof ORDER_STATE]

/** Returns why an order in this state cannot take the step, or undefined. */
function findOrderStepProblem(state: number, { from, name }: Step): string | undefined {
  if (from.includes(state)) return undefined
  return `订单${nameOf(state)}，只有${from.map(nameOf).join('、')}的订单可以${name}`
}

export type StoredOrder = typeof agentOrders.$inferSelect

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

/**
 * Returns the condition that all grants of an order belong to tenants in the data scope of platform staff. A
 * transferred device keeps its grants, and a refund of the order would revoke grants of the other tenant.
 */
function hasGrantsInScope(user: User): SQL | undefined {
  const inside = buildStaffScope(user)
  return (
    inside &&
    sql`not exists (select from agent_grants g where g.order_id = ${agentOrders.id} and g.tenant_id <> all(${inside}))`
  )
}

/** Returns the condition for the orders of voice packages in the data scope of an account. */
export const visibleOrders = (user: User) =>
  and(scoped(user, { tenant: agentOrders.tenantId, creator: agentOrders.createBy }), hasGrantsInScope(user))

/**
 * Returns the condition for the grants in the data scope of an account. The order of a transferred device's grant
 * belongs to the earlier tenant and is not visible.
 */
export const visibleGrants = (user: User) =>
  scoped(user, { tenant: agentGrants.tenantId, creator: agentOrders.createBy })

/** Returns the condition for pending orders that the account may confirm. Excludes orders that the account created. */
export const isAwaitingConfirmation = (user: User): SQL | undefined =>
  and(
    visibleOrders(user),
    eq(agentOrders.state, ORDER_STATE_CODE.pending),
    sql`${agentOrders.createBy} is distinct from ${user.uid}`,
  )

/** Returns the condition for orders whose undecided refund was requested by the account. */
export const isOwnRefund = (user: User) =>
  sql<boolean>`exists (select from agent_order_refunds r where r.order_id = ${agentOrders.id} and r.state = 0
    and r.create_by = ${user.uid})`

/**
 * Returns the condition for orders with a refund that the account may decide. Excludes refunds that the account
 * requested.
 */
export const isAwaitingRefundAudit = (user: User): SQL | undefined =>
  and(visibleOrders(user), eq(agentOrders.state, ORDER_STATE_CODE.refunding), sql`not ${isOwnRefund(user)}`)
