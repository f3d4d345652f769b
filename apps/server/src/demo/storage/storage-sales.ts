import { storageAllowances } from '@oms/contract/storage/allowance.ts'
import { storageCards } from '@oms/contract/storage/card.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { HookEvent } from '@oms/contract/storage/hook-event.ts'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { eq, sql } from 'drizzle-orm'
import { type Actor, runAsActor, createPlatformUser } from '#core/auth/system-actor.ts'
import { decrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { createAllowance } from '#modules/storage/allowance.ts'
import { redeemCard, createCards, voidCards } from '#modules/storage/orders/card.ts'
import { receiveEvent } from '#modules/storage/orders/hook-events.ts'
import { createHook } from '#modules/storage/orders/hook.ts'
import { openPackage } from '#modules/storage/entitlements/open.ts'
import { requestRefund } from '#modules/storage/orders/refund.ts'
import { recordDueEntitlements } from '#modules/storage/clock.ts'
import { ossHooks } from '#modules/storage/schema-sales.ts'

const DAY_MS = 86_400_000
const ORDERS = 42
const SHOP_ADDRESS = '203.0.113.20'
/** Code and price in fen of the packages that the shop sells. */
const SOLD = [
  ['YC30M1', 2900],
  ['YC7M1', 900],
  ['YC30M3', 7900],
] as const

interface Demo {
  readonly services: Services
  readonly db: Db
  readonly actor: Actor
}

const daysAgo = ({ services }: Demo, days: number): Services => {
  const at = new Date(services.now().getTime() - days * DAY_MS)
  return { ...services, now: () => at }
}

/**
 * Returns the id of the tenant at a place in the order of creation, beginning with 1. The ids are not consecutive
 * after a first start that was interrupted, because sequences do not roll back.
 */
async function customerId({ db }: Demo, place: number): Promise<number> {
  const { rows } = await db.execute<{ id: number }>(
    sql`select id from tenants where id > 1 and deleted_at is null order by id offset ${place - 1} limit 1`,
  )
  return rows[0]!.id
}

/**
 * Returns cameras of the tenant that have no cloud-storage queue. Back-dated demo events therefore change no existing
 * queue.
 */
async function freeCameras({ db }: Demo, tenantId: number, count: number): Promise<string[]> {
  const { rows } = await db.execute<{ sn: string }>(sql`select d.sn from devices d
    join device_models m on m.id = d.model_id and m.model_code in ('C10', 'C20', 'C30')
    where d.deleted_at is null and d.tenant_id = ${tenantId} and not exists (
      select from oss_queues q where q.device_id = d.id)
    order by d.id limit ${count}`)
  return rows.map(({ sn }) => sn)
}

const packageId = async ({ db }: Demo, code: string) =>
  (await db.execute<{ id: number }>(sql`select id from oss_packages where package_code = ${code}`)).rows[0]!.id

type Types = readonly (readonly [type: HookEvent['type'], refund?: { amount: number; stops: 0 | 1 }])[]

/** Events of the order with this number: most are paid; some are refunded, closed or left unpaid. */
function typesOf(n: number, price: number): Types {
  if (n % 9 === 3) return n < 30 ? [['order.created'], ['order.closed']] : [['order.created']]
  if (n % 9 === 5) return [['order.paid'], ['order.refunded', { amount: Math.floor(price / 3), stops: 0 }]]
  if (n % 9 === 7) return [['order.paid'], ['order.refunded', { amount: price, stops: 1 }]]
  return [['order.paid']]
}

/** Sends the events of one order, as the shop did some days ago. */
async function sendOrder(demo: Demo, hookId: number, n: number, sn: string) {
  const [hook] = await demo.db.select().from(ossHooks).where(eq(ossHooks.id, hookId))
  const [packageCode, price] = SOLD[n % SOLD.length]!
  const services = daysAgo(demo, 63 - n * 1.5)
  const time = Math.floor(services.now().getTime() / 1000)
  const outOrderNo = `SC${String(20_260_000 + n * 37)}`
  for (const [at, [type, refund]] of typesOf(n, price).entries()) {
    const refunds = refund ? [{ ...refund, line: 1, outRefundNo: `TK${outOrderNo.slice(2)}` }] : []
    const items = [{ line: 1, sn, packageCode, copies: 1, amount: price, effectMode: 1 }]
    const data = { outOrderNo, amount: price, items, refunds }
    const event = HookEvent.parse({ id: `evt-${n}-${at}`, type, time, data })
    await receiveEvent(services, hook!, event, JSON.stringify(event), SHOP_ADDRESS)
  }
}

/** Creates orders of a shop, one event that a rule refuses, and one pending refund request. */
async function seedDemoOrders(demo: Demo) {
  const input = storageHooks.create.input.parse({ hookName: '官方商城', remark: '公司官网与小程序' })
  const { id } = await runAsActor(
    daysAgo(demo, 64),
    demo.actor,
    { name: 'create', ...storageHooks.create, input },
    (ctx) => createHook(ctx, input),
  )
  const cameras = await freeCameras(demo, await customerId(demo, 1), ORDERS - 1)
  for (const [n, sn] of cameras.entries()) await sendOrder(demo, id, n, sn)
  await sendOrder(demo, id, ORDERS - 1, 'CAM-NOT-DELIVERED')
  const { rows } = await demo.db.execute<{ id: number }>(
    sql`select i.id from oss_order_items i join oss_orders o on o.id = i.order_id where o.pay_status = 1 order by i.id desc limit 1`,
  )
  const refund = { itemId: rows[0]!.id, amount: 600, stops: 0 as const, reason: '活动差价补偿' }
  await runAsActor(
    demo.services,
    demo.actor,
    { name: 'requestRefund', ...storageOrders.requestRefund, input: refund },
    (ctx) => requestRefund(ctx, refund),
  )
}

async function createBatch(demo: Demo, days: number, facts: { code: string; count: number; unitAmount: number }) {
  const { code, ...rest } = facts
  const validTo = new Date(demo.services.now().getTime() + 300 * DAY_MS).toISOString().slice(0, 10)
  const input = storageCards.create.input.parse({ ...rest, packageId: await packageId(demo, code), validTo })
  const services = daysAgo(demo, days)
  return runAsActor(services, demo.actor, { name: 'create', ...storageCards.create, input }, (ctx) =>
    createCards(ctx, input),
  )
}

/** Creates an older batch with used and void cards, and a new batch whose file the demo account can download. */
async function seedDemoCards(demo: Demo) {
  const { id } = await createBatch(demo, 40, { code: 'YC30M1', count: 200, unitAmount: 1900 })
  const { rows } = await demo.db.execute<{ encrypted: string }>(
    sql`select file_encrypted as encrypted from oss_card_batches where id = ${id}`,
  )
  const codes = decrypt(demo.services.config.secretKey, rows[0]!.encrypted).split('\n')
  const cameras = await freeCameras(demo, await customerId(demo, 2), 18)
  for (const [n, sn] of cameras.entries()) {
    const input = storageCards.redeem.input.parse({ code: codes[n], sn })
    await runAsActor(daysAgo(demo, 38 - n * 2), demo.actor, { name: 'redeem', ...storageCards.redeem, input }, (ctx) =>
      redeemCard(ctx, input),
    )
  }
  const { rows: lost } = await demo.db.execute<{ id: number }>(
    sql`select id from oss_cards where batch_id = ${id} and state = 0 order by id desc limit 20`,
  )
  const input = { batchId: id, ids: lost.map((card) => card.id), reason: '代理商遗失' }
  await runAsActor(daysAgo(demo, 5), demo.actor, { name: 'void', ...storageCards.void, input }, (ctx) =>
    voidCards(ctx, input),
  )
  await createBatch(demo, 0, { code: 'YC7M1', count: 500, unitAmount: 500 })
}

/** Place of the tenant in the order of creation, package code and copies of each allowance. */
const ALLOWANCES = [
  [1, 'YC30M1', 200],
  [1, 'YC7M1', 100],
  [2, 'YC30M1', 80],
  [3, 'SJ7M1', 50],
] as const

/** Creates allowances of tenants, and an entitlement that the staff of one tenant opened. */
async function seedDemoAllowances(demo: Demo) {
  for (const [place, code, quota] of ALLOWANCES) {
    const input = {
      tenantId: await customerId(demo, place),
      packageId: await packageId(demo, code),
      quota,
      remark: '年度框架合同',
    }
    await runAsActor(daysAgo(demo, 30), demo.actor, { name: 'create', ...storageAllowances.create, input }, (ctx) =>
      createAllowance(ctx, input),
    )
  }
  const tenantId = await customerId(demo, 2)
  const { rows } = await demo.db.execute<{ uid: number; account: string; realname: string }>(
    sql`select uid, account, realname from accounts where tenant_id = ${tenantId} and deleted_at is null order by uid limit 1`,
  )
  const user = {
    ...createPlatformUser({ ...rows[0]!, tenantId }),
    homeTenantId: tenantId,
    isPlatform: false,
    isSuper: false,
  }
  const staff: Actor = { ...demo.actor, user: { ...user, scope: { tenants: [tenantId], ownOnly: false } } }
  const input = storageEntitlements.open.input.parse({
    sns: await freeCameras(demo, tenantId, 12),
    packageId: await packageId(demo, 'YC30M1'),
    reason: '门店统一开通',
  })
  await runAsActor(daysAgo(demo, 6), staff, { name: 'open', ...storageEntitlements.open, input }, (ctx) =>
    openPackage(ctx, input),
  )
}

/** Creates orders, refunds, cards and allowances through the services, with the clock set back. */
export async function seedDemoStorageSales(services: Services, db: Db, actor: Actor) {
  const demo = { services, db, actor }
  await seedDemoOrders(demo)
  await seedDemoCards(demo)
  await seedDemoAllowances(demo)
  await recordDueEntitlements(services)
}
