import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { agentProducts } from '@oms/contract/agent/packages/product.ts'
import { sql } from 'drizzle-orm'
import { createPlatformUser } from '#core/auth/system-actor.ts'
import { closeDueGrants } from '#modules/agent/orders/grant-clock.ts'
import { mergeUsage } from '#modules/agent/usage/usage-merge.ts'
import { confirmOrder } from '#modules/agent/orders/order-confirm.ts'
import { createGiftOrder, createOrder } from '#modules/agent/orders/order-save.ts'
import { closeOrder, requestRefund, reviewRefund } from '#modules/agent/orders/order-refund.ts'
import { createProduct, disableProduct } from '#modules/agent/product.ts'
import { type Demo, runCall } from './call.ts'

interface DemoPackage {
  readonly name: string
  readonly code: string
  /** Unit and amount of each allowance; amount 0 is unlimited. */
  readonly allowances: readonly (readonly [unit: number, amount: number])[]
  readonly scope: 1 | 2 | 3
  readonly activateDays: number
  readonly validDays: number
  readonly price: number
  readonly originPrice?: number
  readonly isTrial?: 1
}

const DAYS = 1
const TURNS = 2
const MINUTES = 3
const CHARACTERS = 4
const TOKENS = 5

const PACKAGES: readonly DemoPackage[] = [
  {
    name: '新机体验·7 天',
    code: 'ZNTRY7',
    allowances: [
      [DAYS, 7],
      [TURNS, 200],
    ],
    scope: 1,
    activateDays: 90,
    validDays: 7,
    price: 0,
    isTrial: 1,
  },
  {
    name: '语音基础·月卡',
    code: 'ZN30',
    allowances: [
      [DAYS, 30],
      [TURNS, 2000],
    ],
    scope: 1,
    activateDays: 180,
    validDays: 30,
    price: 990,
    originPrice: 1290,
  },
  {
    name: '语音畅聊·年卡',
    code: 'ZN365',
    allowances: [
      [DAYS, 365],
      [TURNS, 0],
    ],
    scope: 1,
    activateDays: 365,
    validDays: 365,
    price: 8800,
    originPrice: 11_800,
  },
  {
    name: '对话分钟包·600分钟',
    code: 'ZNM600',
    allowances: [[MINUTES, 600]],
    scope: 2,
    activateDays: 180,
    validDays: 180,
    price: 12_800,
  },
  {
    name: '播报字数包·100万字',
    code: 'ZNC100',
    allowances: [[CHARACTERS, 1_000_000]],
    scope: 2,
    activateDays: 365,
    validDays: 365,
    price: 19_800,
  },
  {
    name: '企业Token包·1亿',
    code: 'ZNT1Y',
    allowances: [[TOKENS, 100_000_000]],
    scope: 3,
    activateDays: 365,
    validDays: 365,
    price: 128_000,
    originPrice: 158_000,
  },
  { name: '展会体验包', code: 'ZNEXPO', allowances: [[DAYS, 3]], scope: 1, activateDays: 30, validDays: 3, price: 100 },
]
/** Code of the package that is no longer sold. */
const DISABLED = 'ZNEXPO'

/** Days since the packages were created. The first order is later. */
const DAYS_ON_SALE = 45

/** Creates packages of voice services, one for each unit and scope. */
export async function seedDemoAgentPackages(demo: Demo) {
  for (const [sort, { name, code, allowances, ...terms }] of PACKAGES.entries()) {
    const input = agentProducts.create.input.parse({
      packageName: name,
      packageCode: code,
      allowances: allowances.map(([unit, amount]) => ({ unit, amount })),
      sort,
      ...terms,
    })
    const { id } = await runCall(demo, { name: 'create', ...agentProducts.create }, input, createProduct)
    if (code === DISABLED) await runCall(demo, { name: 'disable', ...agentProducts.disable }, { id }, disableProduct)
  }
  const created = sql`now() - make_interval(days => ${DAYS_ON_SALE}::int)`
  await demo.db.execute(sql`update agent_products set create_time = ${created}, update_time = ${created}`)
  await demo.db.execute(sql`update agent_product_versions set create_time = ${created}`)
}

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

/** The demo account sells; the accountant confirms payments. */
interface Sale {
  readonly seller: Demo
  readonly accountant: Demo
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

async function placeOrder({ seller, accountant }: Sale, order: DemoOrder) {
  const { days, copies = 1, discount = 0, isGift } = order
  const goods = { ...(await goodsOf(seller, order)), copies }
  if (isGift) {
    const gift = agentOrders.gift.input.parse({ ...goods, remark: '展会赠送' })
    return runCall(seller, { name: 'gift', ...agentOrders.gift }, gift, createGiftOrder, days)
  }
  const discountReason = discount > 0 ? '批量采购优惠' : ''
  const input = agentOrders.create.input.parse({ ...goods, discount, discountReason })
  const maker = order.isOfColleague ? accountant : seller
  return runCall(maker, { name: 'create', ...agentOrders.create }, input, createOrder, days)
}

async function addOrder(sale: Sale, order: DemoOrder) {
  const { id, orderNo } = await placeOrder(sale, order)
  if (order.end === 'pending') return
  const days = order.days - 0.2
  if (order.end === 'closed') {
    const input = { id, rev: 0, reason: '客户改订其他套餐' }
    return runCall(sale.seller, { name: 'close', ...agentOrders.close }, input, closeOrder, days)
  }
  const payment = { id, rev: 0, payWay: 1 as const, voucherNo: `ZZ${orderNo.slice(2)}`, voucherFiles: [] }
  await runCall(sale.accountant, { name: 'confirm', ...agentOrders.confirm }, payment, confirmOrder, days)
  return undefined
}

/** Requests the refunds. Must run after the usage was spent. */
async function addRefund({ seller, accountant }: Sale, { end, days, agent, code }: DemoOrder) {
  const { rows } = await seller.db.execute<{ id: number; rev: number }>(sql`
    select o.id, o.rev from agent_orders o join agent_products p on p.id = o.package_id
      join (select tenant_id from agents where deleted_at is null order by id limit 1 offset ${agent}) a using (tenant_id)
    where p.package_code = ${code} and o.state = 1 order by o.id desc limit 1`)
  const input = { ...rows[0]!, reason: '设备停用，不再使用' }
  // The accountant requests the open refund, so that the demo account may decide it.
  const asker = end === 'refunding' ? accountant : seller
  const { rev } = await runCall(asker, { name: 'refund', ...agentOrders.refund }, input, requestRefund, days - 4)
  if (end === 'refunding') return
  const decision = { id: input.id, rev, pass: 1 as const, auditRemark: '同意' }
  await runCall(accountant, { name: 'refundAudit', ...agentOrders.refundAudit }, decision, reviewRefund, days - 5)
}

/**
 * Creates orders of voice packages in every state. Merges the usage of the demo conversations again, so that the orders
 * spend it. Must run after the packages and the conversations exist.
 */
export async function seedDemoAgentOrders(seller: Demo) {
  const { services, db, actor } = seller
  const { rows } = await db.execute<{ uid: number; account: string; realname: string }>(sql`
    select uid, account, realname from accounts where tenant_id = 1 and uid <> ${actor.user.uid} order by uid limit 1`)
  const accountant = { ...seller, actor: { ...actor, user: createPlatformUser(rows[0]!) } }
  const sale = { seller, accountant }
  for (const order of ORDERS) await addOrder(sale, order)
  await db.execute(sql`
    update agent_usage set folded = 0, used_time = least(day::timestamptz + interval '12 hours', now()) where source = 1`)
  // Without statistics, the merge compares every pair of rows.
  await db.execute(sql`analyze agent_usage`)
  await mergeUsage(db)
  for (const order of ORDERS.filter(({ end }) => end.startsWith('refund'))) await addRefund(sale, order)
  await closeDueGrants(services)
}
