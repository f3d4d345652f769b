import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { sql } from 'drizzle-orm'
import { type Actor, runAsActor, createPlatformUser } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { mergeUsage } from '#modules/agent/usage/fold-usage.ts'
import { closeDueGrants } from '#modules/agent/orders/grant-clock.ts'
import { confirmOrder } from '#modules/agent/orders/order-confirm.ts'
import { createOrder, createGiftOrder } from '#modules/agent/orders/order-create.ts'
import { reviewRefund, closeOrder, requestRefund } from '#modules/agent/orders/order-refund.ts'

const DAY_MS = 86_400_000

type End = 'pending' | 'paid' | 'closed' | 'refunding' | 'refunded'

interface DemoOrder {
  /** Code of the package. */
  readonly code: string
  /**
   * Index of the agent. The scope of the package decides whether its devices, the agent or its tenant are the targets.
   */
  readonly agent: number
  /** Range of the agent's devices, for packages of devices. */
  readonly devices?: readonly [from: number, to: number]
  readonly copies?: number
  readonly discount?: number
  readonly isGift?: true
  /** Days since the order. */
  readonly days: number
  readonly end: End
  /** True when another account creates the order, so that the demo account may confirm it. */
  readonly isOfColleague?: true
}

/**
 * Orders of the demo. The devices of the third agent have packages of their own, some of which end soon. The trial of
 * the last device is over, so the limit of its customer stops that device.
 */
const ORDERS: readonly DemoOrder[] = [
  { code: 'ZNTRY7', agent: 0, devices: [0, 6], days: 34, end: 'paid' },
  { code: 'ZN30', agent: 0, devices: [0, 8], copies: 3, days: 33, discount: 3000, end: 'paid' },
  { code: 'ZNM600', agent: 1, days: 30, end: 'paid' },
  { code: 'ZNC100', agent: 1, days: 29, end: 'paid' },
  { code: 'ZNT1Y', agent: 1, days: 28, end: 'paid' },
  { code: 'ZN30', agent: 2, devices: [0, 3], days: 28, isGift: true, end: 'paid' },
  { code: 'ZN365', agent: 2, devices: [3, 7], days: 24, end: 'paid' },
  { code: 'ZN365', agent: 2, devices: [7, 11], days: 20, end: 'paid' },
  { code: 'ZNTRY7', agent: 2, devices: [11, 12], days: 19, end: 'paid' },
  { code: 'ZN30', agent: 1, devices: [0, 3], days: 12, end: 'refunded' },
  { code: 'ZNM600', agent: 0, days: 9, end: 'refunding' },
  { code: 'ZN365', agent: 1, devices: [3, 5], days: 6, end: 'closed' },
  { code: 'ZN30', agent: 1, devices: [5, 9], days: 2, end: 'pending', isOfColleague: true },
  { code: 'ZNT1Y', agent: 0, days: 1, end: 'pending' },
]

interface Demo {
  readonly services: Services
  readonly db: Db
  readonly seller: Actor
  readonly accountant: Actor
}

type Call = Exclude<keyof typeof agentOrders, 'list'>

/** Runs an order call as an account, with a time some days ago. */
function run<T>(
  { services }: Demo,
  actor: Actor,
  { name, days, input }: { readonly name: Call; readonly days: number; readonly input: unknown },
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const now = new Date(services.now().getTime() - days * DAY_MS)
  return runAsActor(services, { ...actor, now }, { name, ...agentOrders[name], input }, work)
}

async function goodsOf({ db }: Demo, { code, agent, devices = [0, 0] }: DemoOrder) {
  const { rows } = await db.execute<{ packageId: number; tenantId: number; agentId: number; deviceIds: number[] }>(sql`
    select p.id as "packageId", a.tenant_id as "tenantId", a.id as "agentId", array(
      select device_id from agent_devices d where d.agent_id = a.id order by device_id
      limit ${devices[1] - devices[0]} offset ${devices[0]}) as "deviceIds"
    from agent_products p, (select id, tenant_id from agents where deleted_at is null order by id limit 1 offset ${agent}) a
    where p.package_code = ${code}`)
  const { agentId, ...goods } = rows[0]!
  return { ...goods, agentIds: [agentId] }
}

async function placeOrder(demo: Demo, order: DemoOrder) {
  const { days, copies = 1, discount = 0, isGift } = order
  const goods = { ...(await goodsOf(demo, order)), copies }
  if (isGift) {
    const gift = agentOrders.gift.input.parse({ ...goods, remark: '展会赠送' })
    return run(demo, demo.seller, { name: 'gift', days, input: gift }, (ctx) => createGiftOrder(ctx, gift))
  }
  const discountReason = discount > 0 ? '批量采购优惠' : ''
  const input = agentOrders.create.input.parse({ ...goods, discount, discountReason })
  const maker = order.isOfColleague ? demo.accountant : demo.seller
  return run(demo, maker, { name: 'create', days, input }, (ctx) => createOrder(ctx, input))
}

async function seedDemoOrder(demo: Demo, order: DemoOrder) {
  const { seller, accountant } = demo
  const { id, orderNo } = await placeOrder(demo, order)
  if (order.end === 'pending') return
  const days = order.days - 0.2
  if (order.end === 'closed') {
    const input = { id, rev: 0, reason: '客户改订其他套餐' }
    return run(demo, seller, { name: 'close', days, input }, (ctx) => closeOrder(ctx, input))
  }
  const payment = { id, rev: 0, payWay: 1 as const, voucherNo: `ZZ${orderNo.slice(2)}`, voucherFiles: [] }
  await run(demo, accountant, { name: 'confirm', days, input: payment }, (ctx) => confirmOrder(ctx, payment))
  return undefined
}

/** Requests the refunds. Must run after the usage was spent. */
async function seedDemoRefund(demo: Demo, { end, days, agent, code }: DemoOrder) {
  const { rows } = await demo.db.execute<{ id: number; rev: number }>(sql`
    select o.id, o.rev from agent_orders o join agent_products p on p.id = o.package_id
      join (select tenant_id from agents where deleted_at is null order by id limit 1 offset ${agent}) a using (tenant_id)
    where p.package_code = ${code} and o.state = 1 order by o.id desc limit 1`)
  const input = { ...rows[0]!, reason: '设备停用，不再使用' }
  const asked = { name: 'refund', days: days - 4, input } as const
  // The accountant requests the open refund, so that the demo account may decide it.
  const asker = end === 'refunding' ? demo.accountant : demo.seller
  const { rev } = await run(demo, asker, asked, (ctx) => requestRefund(ctx, input))
  if (end === 'refunding') return
  const decision = { id: input.id, rev, pass: 1 as const, auditRemark: '同意' }
  const decided = { name: 'refundAudit', days: days - 5, input: decision } as const
  await run(demo, demo.accountant, decided, (ctx) => reviewRefund(ctx, decision))
}

/**
 * Creates orders of voice packages in every state. Merges the usage of the demo conversations again, so that the orders
 * spend it. Must run after the packages and the conversations exist.
 */
export async function seedDemoAgentOrders(services: Services, db: Db, seller: Actor) {
  const { rows } = await db.execute<{ uid: number; account: string; realname: string }>(sql`
    select uid, account, realname from accounts where tenant_id = 1 and uid <> ${seller.user.uid} order by uid limit 1`)
  const demo = { services, db, seller, accountant: { ...seller, user: createPlatformUser(rows[0]!) } }
  for (const order of ORDERS) await seedDemoOrder(demo, order)
  await db.execute(sql`
    update agent_usage set folded = 0, used_time = least(day::timestamptz + interval '12 hours', now()) where source = 1`)
  await mergeUsage(db)
  for (const order of ORDERS.filter(({ end }) => end.startsWith('refund'))) await seedDemoRefund(demo, order)
  await closeDueGrants(services)
}
