import { GIFT_PAY_WAY, MAX_GRANTS, type PreviewInput, NOT_CREATOR } from '@oms/contract/agent/orders/order-entities.ts'
import type { agentOrders as calls } from '@oms/contract/agent/orders/order.ts'
import { previewPacks } from '@oms/contract/agent/packages/pack-clock.ts'
import { formatAllowance } from '@oms/contract/agent/packages/package-terms.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { sql, eq } from 'drizzle-orm'
import type * as z from 'zod'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import { agentOrders, agentOrderTargets } from '../schema/agent-orders.ts'
import { assertVendor, publishOrders, ORDER_STEP, assertOrderStepAllowed, lockOrder, saveStep } from './order-steps.ts'
import {
  findTargetField,
  type Target,
  type Targets,
  resolveTargets,
  type OrderTerms,
  lockPackageTerms,
  readTermsOnSale,
} from './order-targets.ts'

type Goods = Omit<z.output<typeof PreviewInput>, 'discount' | 'isGift'>
type Buyer = Awaited<ReturnType<typeof resolveOwningTenant>>

const MAX_PROBLEMS = 200
const MAX_FEN = 2_147_483_647
const SHOWN_NAMES = 3
const PLATFORM_DISCOUNT = '优惠金额由平台填写'

interface Sale {
  readonly discount: number
  readonly isGift: boolean
}

interface Quote {
  readonly listAmount: number
  readonly discount: number
  readonly amount: number
  readonly grantCount: number
}

/**
 * Calculates the amount of an order. Throws for too many grants, a too large amount or discount, and several copies of
 * a trial.
 */
function quoteOf(terms: OrderTerms, targets: number, { copies }: Goods, { discount, isGift }: Sale): Quote {
  const problems = new FieldProblems()
  if (terms.isTrial === 1 && copies > 1) problems.add('copies', '试用套餐每台设备只能购买1份')
  if (terms.isTrial === 1 && terms.scope !== 1) problems.add('packageId', '试用套餐的使用范围应为单台设备')
  // Before this rule existed, an edit could leave a shared package with a limit to models, which shared grants ignore.
  if (terms.modelIds.length > 0 && terms.scope !== 1) problems.add('packageId', '限定型号的套餐，使用范围应为单台设备')
  const grantCount = targets * copies * terms.allowances.length
  if (grantCount > MAX_GRANTS) problems.add('copies', `一个订单最多${MAX_GRANTS}项权益，请减少使用对象或份数`)
  const listAmount = terms.price * copies * targets
  if (listAmount > MAX_FEN) problems.add('copies', `订单金额不能大于${formatFenAsYuan(MAX_FEN)}元`)
  if (!isGift && discount > listAmount) problems.add('discount', `优惠金额不能大于${formatFenAsYuan(listAmount)}元`)
  problems.throwIfAny()
  if (isGift) return { listAmount, discount: listAmount, amount: 0, grantCount }
  return { listAmount, discount, amount: listAmount - discount, grantCount }
}

/** Calculates the preview of an order. Stores nothing. */
export async function previewOrder(ctx: Ctx, input: ParsedOf<typeof calls.preview>) {
  const { now, services } = ctx
  const problems = new FieldProblems()
  await problems.collect(() => assertDiscount(ctx, input))
  const chosen = await problems.collect(async () => {
    const buyer = await resolveOwningTenant(ctx, input.tenantId, 'tenantId')
    return { buyer, terms: await readTermsOnSale(ctx, input.packageId, buyer.id) }
  })
  problems.throwIfAny()
  const { buyer, terms } = chosen!
  const { targets, problems: refused } = await resolveTargets(ctx, input, terms, buyer)
  const quote = quoteOf(terms, targets.length, input, { discount: input.discount, isGift: input.isGift === 1 })
  const text = (at: number) => formatLocalTime(at, services.config.timeZone)
  const packs = previewPacks(terms, now.getTime(), input.copies, 0).map((pack) => ({
    packNo: pack.packNo,
    activateUntil: text(pack.activateUntil),
    beginTime: text(pack.beginTime),
    validUntil: text(pack.validUntil),
  }))
  return {
    ...quote,
    targetCount: targets.length,
    content: terms.allowances.map(formatAllowance).join('、'),
    packs,
    problems: refused.slice(0, MAX_PROBLEMS),
  }
}

/** Throws when an account of a tenant sets a discount. Only accounts of the platform grant discounts. */
function assertDiscount({ user }: Ctx, { discount }: { readonly discount: number }) {
  if (discount > 0 && !user.isPlatform) throw invalid(PLATFORM_DISCOUNT, 'discount')
}

function assertTargets(input: Goods, { targets, problems }: Targets) {
  const [problem] = problems
  const more = problems.length > 1 ? `，共${problems.length}个` : ''
  if (problem) throw invalid(`「${problem.name}」${problem.msg}${more}`, findTargetField(input))
  if (targets.length === 0) throw invalid('请选择使用对象', findTargetField(input))
}

interface NewOrder {
  readonly terms: OrderTerms
  readonly buyer: Buyer
  readonly targets: readonly Target[]
  readonly quote: Quote
  readonly input: Goods & { readonly remark: string; readonly discountReason: string }
  readonly payWay: number
}

/**
 * Calculates an order that will be stored, and marks its terms as sold. Throws one error with the problems of targets,
 * quantities and money. `assertMoney` checks the discount or the reason of a gift.
 */
async function prepareOrder(ctx: Ctx, input: Goods, sale: Sale, assertMoney: () => void) {
  const problems = new FieldProblems()
  await problems.collect(assertMoney)
  const prepared = await problems.collect(async () => {
    const buyer = await resolveOwningTenant(ctx, input.tenantId, 'tenantId')
    const terms = await lockPackageTerms(ctx, input.packageId, buyer.id)
    const { targets, problems: refused } = await resolveTargets(ctx, input, terms, buyer)
    await problems.collect(() => assertTargets(input, { targets, problems: refused }))
    return { terms, buyer, targets, quote: quoteOf(terms, targets.length, input, sale) }
  })
  problems.throwIfAny()
  return prepared!
}

async function placeOrder(ctx: Ctx, input: NewOrder['input'], sale: Sale, assertMoney: () => void) {
  const prepared = await prepareOrder(ctx, input, sale, assertMoney)
  return storeOrder(ctx, { ...prepared, input, payWay: sale.isGift ? GIFT_PAY_WAY : 0 })
}

const storeTargets = ({ db }: Ctx, orderId: number, buyer: Buyer, targets: readonly Target[]) =>
  db
    .insert(agentOrderTargets)
    .values(targets.map(({ id, name }, line) => ({ tenantId: buyer.id, orderId, line: line + 1, targetId: id, name })))

/** Returns the names of the first targets, for the operation log. */
function formatTargetNames(targets: readonly Target[]) {
  const names = targets.slice(0, SHOWN_NAMES).map(({ name }) => `「${name}」`)
  return `${names.join('')}${targets.length > SHOWN_NAMES ? `等${targets.length}个` : ''}`
}

async function storeOrder(ctx: Ctx, { terms, buyer, targets, quote, input, payWay }: NewOrder) {
  const { db, user, now } = ctx
  const at = now.toISOString()
  const [made] = await db
    .insert(agentOrders)
    .values({
      orderNo: sql`'AO' || to_char(${at}::timestamptz, 'YYYYMMDD') || lpad((nextval('agent_order_no') % 100000)::text, 5, '0')`,
      tenantId: buyer.id,
      packageId: terms.packageId,
      packageVersionId: terms.id,
      packageName: terms.packageName,
      targetCount: targets.length,
      copies: input.copies,
      unitPrice: terms.price,
      discount: quote.discount,
      discountReason: input.discountReason,
      amount: quote.amount,
      payWay,
      remark: input.remark,
      createBy: user.uid,
      updateBy: user.uid,
      createTime: at,
      updateTime: at,
    })
    .returning({ id: agentOrders.id, orderNo: agentOrders.orderNo })
  const { id, orderNo } = made!
  await storeTargets(ctx, id, buyer, targets)
  ctx.audit({
    bizType: 'agentOrder',
    bizId: id,
    action: `${payWay === GIFT_PAY_WAY ? '赠送' : '新增'}订单 ${orderNo}：客户「${buyer.name}」，套餐「${terms.packageName}」${input.copies}份，${formatTargetNames(targets)}，${formatFenAsYuan(quote.amount)}元`,
  })
  await publishOrders(ctx, buyer.id)
  return { id, orderNo }
}

/** Throws when an account of a tenant gives a discount, or when a discount has no reason. */
function assertDiscountReason(ctx: Ctx, input: { readonly discount: number; readonly discountReason: string }) {
  const problems = new FieldProblems()
  if (input.discount > 0 && !ctx.user.isPlatform) problems.add('discount', PLATFORM_DISCOUNT)
  if (input.discount > 0 && input.discountReason === '') problems.add('discountReason', '请输入优惠原因')
  problems.throwIfAny()
}

/** Creates a pending order. Another person must confirm the payment. */
export function createOrder(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  return placeOrder(ctx, input, { discount: input.discount, isGift: false }, () => assertDiscountReason(ctx, input))
}

/** Creates a free order. Another person must confirm it. */
export function createGiftOrder(ctx: Ctx, input: ParsedOf<typeof calls.gift>) {
  assertVendor(ctx)
  return placeOrder(ctx, { ...input, discountReason: '' }, { discount: 0, isGift: true }, () => {})
}

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
