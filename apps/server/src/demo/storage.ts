import { Readable } from 'node:stream'
import { storageAllowances } from '@oms/contract/storage/allowance.ts'
import { storageCards } from '@oms/contract/storage/card.ts'
import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { HookEvent } from '@oms/contract/storage/hook-event.ts'
import { storageHooks } from '@oms/contract/storage/hook.ts'
import { storageOrders } from '@oms/contract/storage/order.ts'
import { storagePackages } from '@oms/contract/storage/package.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import { type Actor, createPlatformUser } from '#core/auth/system-actor.ts'
import { decrypt } from '#core/crypto/keys.ts'
import { createAllowance } from '#modules/storage/allowance.ts'
import { createCards, redeemCard, voidCards } from '#modules/storage/orders/card.ts'
import { reviewGrantFile, uploadGrantFile } from '#modules/storage/entitlements/grant-file.ts'
import { openPackage } from '#modules/storage/entitlements/open.ts'
import {
  cancelEntitlements,
  renewEntitlements,
  suspendEntitlements,
} from '#modules/storage/entitlements/entitlement-steps.ts'
import { transferEntitlements } from '#modules/storage/entitlements/transfer.ts'
import { receiveEvent } from '#modules/storage/orders/hook-events.ts'
import { createHook } from '#modules/storage/orders/hook.ts'
import { requestRefund } from '#modules/storage/orders/refund.ts'
import { createPackage, disablePackage } from '#modules/storage/package.ts'
import { recordDueEntitlements } from '#modules/storage/clock.ts'
import { ossHooks } from '#modules/storage/schema-sales.ts'
import { DAY_MS, daysAgo, type Demo, runCall } from './call.ts'

/** Name, code, recording type, days of storage, period type and count, price and original price in fen. */
const PACKAGES = [
  ['7 天连续录像·月卡', 'YC7M1', 1, 7, 2, 1, 900, 1200],
  ['7 天连续录像·年卡', 'YC7Y1', 1, 7, 3, 1, 8800, 10800],
  ['30 天连续录像·月卡', 'YC30M1', 1, 30, 2, 1, 2900, 3500],
  ['30 天连续录像·季卡', 'YC30M3', 1, 30, 2, 3, 7900, 8700],
  ['30 天连续录像·年卡', 'YC30Y1', 1, 30, 3, 1, 28_800, 34_800],
  ['7 天事件录像·月卡', 'SJ7M1', 2, 7, 2, 1, 500, 600],
  ['7 天事件录像·年卡', 'SJ7Y1', 2, 7, 3, 1, 4800, 6000],
  ['30 天事件录像·年卡', 'SJ30Y1', 2, 30, 3, 1, 12_800, 15_800],
  ['低功耗门铃·月卡', 'DG7M1', 3, 7, 2, 1, 400, 0],
  ['低功耗门铃·年卡', 'DG30Y1', 3, 30, 3, 1, 6800, 9800],
  ['新机体验·7 天', 'TRY7', 2, 3, 1, 1, 0, 0],
  ['90 天连续录像·年卡', 'YC90Y1', 1, 90, 3, 1, 69_800, 79_800],
] as const
/** The last package was taken off sale. */
const OFF_SALE = 'YC90Y1'
const TRIAL = 'TRY7'

/** Creates twelve packages, and marks cameras and doorbells as models with cloud storage. */
export async function seedDemoStoragePackages(demo: Demo) {
  await demo.db.execute(sql`update device_models set cloud_channels = case when model_code = 'C30' then 2 else 1 end
    where model_code in ('C10', 'C20', 'C30', 'D5', 'D7')`)
  for (const [
    sort,
    [packageName, packageCode, recordType, storageDays, periodType, periodCount, price, originPrice],
  ] of PACKAGES.entries()) {
    const isEvent = recordType !== 1
    const input = storagePackages.create.input.parse({
      packageName,
      packageCode,
      recordType,
      storageDays,
      periodType,
      periodCount,
      price,
      originPrice,
      sort,
      ...(packageCode === TRIAL && { isTrial: 1, dayLimitMb: 500 }),
      channels: recordType === 1 ? 4 : 1,
      ...(isEvent && { preRecord: 3, eventRecord: 20, prolong: recordType === 2 ? 1 : 0 }),
    })
    const { id } = await runCall(demo, { name: 'create', ...storagePackages.create }, input, createPackage)
    if (packageCode === OFF_SALE)
      await runCall(demo, { name: 'disable', ...storagePackages.disable }, { id }, disablePackage)
  }
}

/**
 * Columns: days ago, package code, price in fen (0: a gift), interval between the cameras, first camera, copies,
 * effect mode.
 */
const OPENINGS = [
  [420, 'YC7Y1', 8800, 7, 0, 1, 1],
  [380, 'SJ7M1', 500, 6, 1, 3, 1],
  [330, 'YC30M1', 2900, 8, 2, 2, 1],
  [290, 'SJ7Y1', 4800, 9, 3, 1, 1],
  [240, 'YC30Y1', 28_800, 11, 4, 1, 1],
  [200, 'YC7M1', 900, 5, 2, 3, 1],
  [160, 'DG7M1', 400, 10, 5, 2, 1],
  [120, 'YC30M3', 7900, 9, 6, 2, 1],
  [90, 'YC7M1', 900, 6, 1, 2, 2],
  [60, 'SJ7M1', 500, 7, 3, 3, 1],
  [45, 'TRY7', 0, 13, 4, 1, 1],
  [28, 'YC30M1', 2900, 8, 5, 1, 1],
  [20, 'YC7M1', 0, 17, 6, 2, 1],
  [10, 'DG30Y1', 6800, 15, 7, 1, 3],
  [5, 'TRY7', 0, 11, 8, 1, 1],
  [2, 'YC30M1', 2900, 14, 9, 2, 1],
] as const

/** Creates entitlements over fourteen months through the services, with the clock set back. */
export async function seedDemoEntitlements(demo: Demo) {
  const { rows } = await demo.db.execute<{ sn: string }>(sql`select d.sn from devices d
    join device_models m on m.id = d.model_id and m.cloud_channels > 0 where d.deleted_at is null order by d.id`)
  const cameras = rows.map(({ sn }) => sn)
  for (const opening of OPENINGS) await openOn(demo, cameras, opening)
  await changeSome(demo)
  await recordDueEntitlements(demo.services)
}

async function openOn(demo: Demo, cameras: readonly string[], opening: (typeof OPENINGS)[number]) {
  const [days, code, amount, every, first, copies, effectMode] = opening
  const input = storageEntitlements.open.input.parse({
    sns: cameras.filter((_, at) => at % every === first).slice(0, 40),
    packageId: await packageId(demo, code),
    copies,
    effectMode,
    source: amount === 0 ? 2 : 1,
    amount,
    reason: amount === 0 ? '推广活动赠送' : '客户采购',
  })
  await recordDueEntitlements(daysAgo(demo.services, days))
  await runCall(demo, { name: 'open', ...storageEntitlements.open }, input, openPackage, days)
}

/** Renews, suspends, cancels and transfers a few entitlements of the last weeks. */
async function changeSome(demo: Demo) {
  const pick = async (state: number, every: number, count: number) => {
    const { rows } = await demo.db.execute<{ id: number }>(sql`select id from oss_entitlements
      where state = ${state} and id % ${every} = 1 and source <> 4 and package_code <> 'YC90Y1' order by id limit ${count}`)
    return rows.map(({ id }) => id)
  }
  const yesterday = { ...demo, services: daysAgo(demo.services, 1) }
  await recordDueEntitlements(yesterday.services)
  await renewSome(yesterday, await pick(1, 5, 60))
  const suspended = { ids: await pick(1, 31, 6), reason: '设备返厂维修' }
  await runCall(yesterday, { name: 'suspend', ...storageEntitlements.suspend }, suspended, suspendEntitlements)
  const cancelled = { ids: await pick(0, 23, 8), reason: '客户取消订购' }
  await runCall(yesterday, { name: 'cancel', ...storageEntitlements.cancel }, cancelled, cancelEntitlements)
  await transferOne(yesterday)
}

/** Renews entitlements at the price of their package. */
async function renewSome(demo: Demo, ids: readonly number[]) {
  const { rows } = await demo.db.execute<{ id: number; price: number }>(sql`
    select e.id, v.price from oss_entitlements e join oss_package_versions v on v.id = e.package_version_id
    where e.id in ${ids} order by e.id`)
  for (const [amount, renewed] of Map.groupBy(rows, ({ price }) => price)) {
    const input = { ids: renewed.map(({ id }) => id), copies: 1, source: 1 as const, amount, reason: '到期前续费' }
    await runCall(demo, { name: 'renew', ...storageEntitlements.renew }, input, renewEntitlements)
  }
}

/** Moves one entitlement to another camera of the same tenant. */
async function transferOne(demo: Demo) {
  const { rows } = await demo.db.execute<{ id: number; sn: string }>(sql`
    select e.id, d.sn from oss_entitlements e join devices d on d.tenant_id = e.tenant_id and d.id <> e.device_id
    join device_models m on m.id = d.model_id and m.cloud_channels > 0
    where e.state = 1 and d.deleted_at is null order by e.id desc, d.id limit 1`)
  const found = rows[0]
  if (!found) return
  const input = { items: [{ id: found.id, targetSn: found.sn, targetChannel: 0 }], reason: '用户更换设备' }
  await runCall(demo, { name: 'transfer', ...storageEntitlements.transfer }, input, transferEntitlements)
}

const ORDERS = 24
const SHOP_ADDRESS = '203.0.113.20'
/** Code and price in fen of the packages that the shop sells. */
const SOLD = [
  ['YC30M1', 2900],
  ['YC7M1', 900],
  ['YC30M3', 7900],
] as const

/** Creates orders, refunds, cards and allowances through the services, with the clock set back. */
export async function seedDemoStorageSales(demo: Demo) {
  await addOrders(demo)
  await addCards(demo)
  await addAllowances(demo)
  await recordDueEntitlements(demo.services)
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
  if (n % 9 === 3) return n < 20 ? [['order.created'], ['order.closed']] : [['order.created']]
  if (n % 9 === 5) return [['order.paid'], ['order.refunded', { amount: Math.floor(price / 3), stops: 0 }]]
  if (n % 9 === 7) return [['order.paid'], ['order.refunded', { amount: price, stops: 1 }]]
  return [['order.paid']]
}

/** Sends the events of one order, as the shop did some days ago. */
async function sendOrder(demo: Demo, hookId: number, n: number, sn: string) {
  const [hook] = await demo.db.select().from(ossHooks).where(eq(ossHooks.id, hookId))
  const [packageCode, price] = SOLD[n % SOLD.length]!
  const services = daysAgo(demo.services, 63 - n * 2.6)
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
async function addOrders(demo: Demo) {
  const input = storageHooks.create.input.parse({ hookName: '官方商城', remark: '公司官网与小程序' })
  const { id } = await runCall(demo, { name: 'create', ...storageHooks.create }, input, createHook, 64)
  const cameras = await freeCameras(demo, await customerId(demo, 1), ORDERS - 1)
  for (const [n, sn] of cameras.entries()) await sendOrder(demo, id, n, sn)
  await sendOrder(demo, id, ORDERS - 1, 'CAM-NOT-DELIVERED')
  const { rows } = await demo.db.execute<{ id: number }>(
    sql`select i.id from oss_order_items i join oss_orders o on o.id = i.order_id where o.pay_status = 1 order by i.id desc limit 1`,
  )
  const refund = { itemId: rows[0]!.id, amount: 600, stops: 0 as const, reason: '活动差价补偿' }
  await runCall(demo, { name: 'requestRefund', ...storageOrders.requestRefund }, refund, requestRefund)
}

async function createBatch(demo: Demo, days: number, facts: { code: string; count: number; unitAmount: number }) {
  const { code, ...rest } = facts
  const validTo = new Date(demo.services.now().getTime() + 300 * DAY_MS).toISOString().slice(0, 10)
  const input = storageCards.create.input.parse({ ...rest, packageId: await packageId(demo, code), validTo })
  return runCall(demo, { name: 'create', ...storageCards.create }, input, createCards, days)
}

/** Creates an older batch with used and void cards, and a new batch whose file the demo account can download. */
async function addCards(demo: Demo) {
  const { id } = await createBatch(demo, 40, { code: 'YC30M1', count: 200, unitAmount: 1900 })
  const { rows } = await demo.db.execute<{ encrypted: string }>(
    sql`select file_encrypted as encrypted from oss_card_batches where id = ${id}`,
  )
  const codes = decrypt(demo.services.config.secretKey, rows[0]!.encrypted).split('\n')
  const cameras = await freeCameras(demo, await customerId(demo, 2), 10)
  for (const [n, sn] of cameras.entries()) {
    const input = storageCards.redeem.input.parse({ code: codes[n], sn })
    await runCall(demo, { name: 'redeem', ...storageCards.redeem }, input, redeemCard, 38 - n * 3.5)
  }
  const { rows: lost } = await demo.db.execute<{ id: number }>(
    sql`select id from oss_cards where batch_id = ${id} and state = 0 order by id desc limit 20`,
  )
  const input = { batchId: id, ids: lost.map((card) => card.id), reason: '代理商遗失' }
  await runCall(demo, { name: 'void', ...storageCards.void }, input, voidCards, 5)
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
async function addAllowances(demo: Demo) {
  for (const [place, code, quota] of ALLOWANCES) {
    const input = {
      tenantId: await customerId(demo, place),
      packageId: await packageId(demo, code),
      quota,
      remark: '年度框架合同',
    }
    await runCall(demo, { name: 'create', ...storageAllowances.create }, input, createAllowance, 30)
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
  await runCall({ ...demo, actor: staff }, { name: 'open', ...storageEntitlements.open }, input, openPackage, 6)
}

const SUBMITTER = 'zhou.yi'
/** More devices than the setting `oss.twoPersonAbove` permits without a second person. */
const MANY = 1050
const CHANNEL = { fileName: '渠道批量开通.csv', packageCode: 'SJ7M1', reason: '渠道合同约定赠送首月' } as const

interface Batch {
  readonly fileName: string
  readonly packageCode: string
  readonly reason: string
  readonly sns: readonly string[]
}

/** Submits a file of grants. The service opens its own transactions. */
async function submit(demo: Demo, { fileName, packageCode, reason, sns }: Batch) {
  const packageRow = await packageId(demo, packageCode)
  const input = storageGrantFiles.import.input.parse({ packageId: packageRow, reason, dryRun: '0' })
  const stream = Readable.from([Buffer.from(['序列号', ...sns].join('\r\n'))])
  const what = { name: 'import', ...storageGrantFiles.import, outside: true } as const
  return runCall(demo, what, input, (ctx) => uploadGrantFile({ ...ctx, incoming: { name: fileName, stream } }, input))
}

/** Creates three batches of cloud storage: executed with refused lines, waiting for the demo account, and rejected. */
export async function seedDemoGrantFiles(demo: Demo) {
  const submitter = await submitterOf(demo)
  const recording = await snsOf(
    demo,
    sql`select distinct sn from oss_entitlements where state = 1 and channel = 0 and package_code = 'YC30M1' order by sn limit 40`,
  )
  const cameras = await snsOf(
    demo,
    sql`select d.sn from devices d join device_models m on m.id = d.model_id
      where m.cloud_channels > 0 and d.deleted_at is null order by d.sn limit ${MANY}`,
  )
  await submit(submitter, {
    fileName: '秋季回馈名单.csv',
    packageCode: 'YC7M1',
    reason: '秋季回馈老用户',
    sns: [...recording, 'CAM-2019-0001', 'CAM-2019-0002', recording[0]!],
  })
  await submit(submitter, { ...CHANNEL, sns: cameras })
  const { reason } = CHANNEL
  const draft = { fileName: '渠道批量开通-初稿.csv', packageCode: 'SJ7M1', reason, sns: cameras.toReversed() }
  await reject(demo, await submit(submitter, draft))
}

const snsOf = async ({ db }: Demo, query: SQL) => (await db.execute<{ sn: string }>(query)).rows.map(({ sn }) => sn)

async function reject(demo: Demo, submitted: Awaited<ReturnType<typeof submit>>) {
  if (!('grantFileId' in submitted)) return
  const auditRemark = '名单与合同附件不一致，请核对后重新提交'
  const decision = { id: submitted.grantFileId, rev: 0, pass: 0 as const, auditRemark }
  const what = { name: 'audit', ...storageGrantFiles.audit, outside: true } as const
  await runCall(demo, what, decision, reviewGrantFile)
}

async function submitterOf({ services, db, actor }: Demo): Promise<Demo> {
  const { rows } = await db.execute<{ uid: number; realname: string }>(
    sql`select uid, realname from accounts where account = ${SUBMITTER}`,
  )
  return { services, db, actor: { ...actor, user: createPlatformUser({ account: SUBMITTER, ...rows[0]! }) } }
}
