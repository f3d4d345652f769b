import type { HookEvent, HookItem } from '@oms/contract/storage/hook-event.ts'
import { PACKAGE_LABELS } from '@oms/contract/storage/package.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { type Actor, createPlatformUser } from '#core/auth/system-actor.ts'
import { conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { readDevicesBySn, findTargetProblem, type Terms } from '../entitlements/open-prepare.ts'
import { markTermsSold } from '../entitlements/open.ts'
import { ossOrderItems, ossOrders, type ossHooks } from '../schema-sales.ts'
import { ossPackages, ossPackageVersions } from '../schema.ts'

export type Order = typeof ossOrders.$inferSelect
export type OrderItem = typeof ossOrderItems.$inferSelect
type OrderData = HookEvent['data']

const listChannels = ({ channel, channels }: Pick<HookItem, 'channel' | 'channels'>) =>
  [...new Set(channels ?? [channel])].toSorted((a, b) => a - b)

/** Returns the current terms of the named packages that are on sale. The key is the package code. */
async function termsByCode({ db }: Ctx, codes: readonly string[]): Promise<Map<string, Terms>> {
  const rows = await db
    .select({ terms: ossPackageVersions, name: ossPackages.packageName, code: ossPackages.packageCode })
    .from(ossPackages)
    .innerJoin(
      ossPackageVersions,
      and(eq(ossPackageVersions.packageId, ossPackages.id), eq(ossPackageVersions.version, ossPackages.currentVersion)),
    )
    .where(and(inArray(ossPackages.packageCode, [...codes]), eq(ossPackages.status, 1), notDeleted(ossPackages)))
    .for('share', { of: ossPackages })
  return new Map(rows.map(({ terms, name, code }) => [code, { ...terms, packageName: name, packageCode: code }]))
}

/** Returns the terms of package versions, also of packages that are off sale. The key is the version id. */
export async function readTermsByVersion({ db }: Ctx, versionIds: readonly number[]): Promise<Map<number, Terms>> {
  const rows = await db
    .select({ terms: ossPackageVersions, name: ossPackages.packageName, code: ossPackages.packageCode })
    .from(ossPackageVersions)
    .innerJoin(ossPackages, eq(ossPackages.id, ossPackageVersions.packageId))
    .where(inArray(ossPackageVersions.id, [...versionIds]))
  return new Map(rows.map(({ terms, name, code }) => [terms.id, { ...terms, packageName: name, packageCode: code }]))
}

/** Returns why an item cannot be sold, or undefined. */
function itemProblem(item: HookItem, terms: Terms | undefined, { priceFree }: Webhook) {
  if (!terms) return `套餐「${item.packageCode}」不存在或${PACKAGE_LABELS.off}`
  if (terms.isTrial === 1) return '试用套餐不能下单'
  if (listChannels(item).length > terms.channels) return `该套餐一次最多开通${terms.channels}个通道`
  const price = terms.price * item.copies
  if (priceFree === 0 && item.amount !== price) return `金额${item.amount}分与套餐价格${price}分不一致`
  return undefined
}

async function newItems(ctx: Ctx, hook: Webhook, { items, amount }: OrderData) {
  if (items.reduce((sum, item) => sum + item.amount, 0) !== amount) throw conflict('订单金额与明细金额之和不一致')
  const terms = await termsByCode(ctx, [...new Set(items.map(({ packageCode }) => packageCode))])
  const sns = [...new Set(items.map(({ sn }) => sn))]
  const devices = await readDevicesBySn(ctx, sns)
  return items.map((item) => {
    const found = terms.get(item.packageCode)
    const problem =
      itemProblem(item, found, hook) ?? findTargetProblem(devices.get(item.sn), listChannels(item), found as Terms)
    if (problem) throw conflict(`第${item.line}行 ${item.sn}：${problem}`)
    const { id, packageId, packageName, price } = found!
    const { line, sn, copies, effectMode } = item
    const facts = { line, sn, copies, effectMode, channels: listChannels(item), amount: item.amount }
    return { isSold: found!.isSold, row: { ...facts, packageId, packageVersionId: id, packageName, unitPrice: price } }
  })
}

/** Refuses an event whose order differs from the recorded order. */
function assertSame(order: Order, items: readonly OrderItem[], data: OrderData, codes: ReadonlyMap<number, string>) {
  const textOf = (rows: readonly (readonly unknown[])[]) => JSON.stringify(rows.toSorted())
  const stored = items.map((item) => [
    item.line,
    item.sn,
    codes.get(item.packageId),
    item.copies,
    item.amount,
    item.effectMode,
    item.channels,
  ])
  const given = data.items.map((item) => [
    item.line,
    item.sn,
    item.packageCode,
    item.copies,
    item.amount,
    item.effectMode,
    listChannels(item),
  ])
  if (order.amount !== data.amount || textOf(stored) !== textOf(given)) throw conflict('订单内容与之前的回调不一致')
}

const itemsOf = ({ db }: Ctx, orderId: number) =>
  db.select().from(ossOrderItems).where(eq(ossOrderItems.orderId, orderId)).orderBy(asc(ossOrderItems.line))

/** Locks an order with its items. */
export async function lockOrder(ctx: Ctx, orderId: number) {
  const [order] = await ctx.db.select().from(ossOrders).where(eq(ossOrders.id, orderId)).for('update')
  return { order: order!, items: await itemsOf(ctx, orderId) }
}

/** Returns the order of an event, locked. Records it when it is new, with the prices of this moment. */
export async function recordOrder(ctx: Ctx, hook: Webhook, data: OrderData) {
  const { db, now } = ctx
  const at = now.toISOString()
  const { rows } = await db.execute<{ id: number }>(sql`
    insert into oss_orders (order_no, out_order_no, tenant_id, hook_id, amount, create_time, update_time)
    values ('OO' || to_char(${at}::timestamptz, 'YYYYMMDD') || lpad((nextval('oss_order_no') % 1000000)::text, 6, '0'),
      ${data.outOrderNo}, ${hook.tenantId}, ${hook.id}, ${data.amount}, ${at}, ${at})
    on conflict (hook_id, out_order_no) do nothing returning id`)
  const orderId = rows[0]?.id
  if (orderId !== undefined) {
    const items = await newItems(ctx, hook, data)
    await db.insert(ossOrderItems).values(items.map(({ row }) => ({ ...row, orderId, tenantId: hook.tenantId })))
    await markTermsSold(
      db,
      items.filter(({ isSold }) => isSold === 0).map(({ row }) => row.packageVersionId),
    )
    return lockOrder(ctx, orderId)
  }
  const [found] = await db
    .select({ id: ossOrders.id })
    .from(ossOrders)
    .where(and(eq(ossOrders.hookId, hook.id), eq(ossOrders.outOrderNo, data.outOrderNo)))
  const { order, items } = await lockOrder(ctx, found!.id)
  const codes = await db
    .select({ id: ossPackages.id, code: ossPackages.packageCode })
    .from(ossPackages)
    .where(inArray(ossPackages.id, [...new Set(items.map(({ packageId }) => packageId))]))
  assertSame(order, items, data, new Map(codes.map(({ id, code }) => [id, code])))
  return { order, items }
}

export type Webhook = typeof ossHooks.$inferSelect

/** Returns the actor of a shop's events: it sees the devices of the hook's tenant, or all devices for the platform. */
export function createWebhookActor({ tenantId, hookName }: Webhook, ip: string): Actor {
  const isPlatform = tenantId === PLATFORM_TENANT_ID
  return {
    user: {
      ...createPlatformUser({ account: 'webhook', realname: `商城 ${hookName}`.slice(0, 30), tenantId }),
      homeTenantId: tenantId,
      isPlatform,
      isSuper: false,
      roleIds: [],
      scope: { tenants: isPlatform ? 'all' : [tenantId], ownOnly: false },
    },
    facts: { ip, userAgent: 'webhook' },
  }
}
