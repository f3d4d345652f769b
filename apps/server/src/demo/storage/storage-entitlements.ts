import { storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { sql } from 'drizzle-orm'
import { type Actor, runAsActor } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { openPackage } from '#modules/storage/entitlements/open.ts'
import {
  renewEntitlements,
  cancelEntitlements,
  suspendEntitlements,
} from '#modules/storage/entitlements/entitlement-steps.ts'
import { transferEntitlements } from '#modules/storage/entitlements/transfer.ts'
import { recordDueEntitlements } from '#modules/storage/clock.ts'

const DAY_MS = 86_400_000
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

interface Demo {
  readonly services: Services
  readonly db: Db
  readonly actor: Actor
}

/** Returns the services with the clock set back by some days. */
const daysAgo = ({ services }: Demo, days: number): Services => {
  const at = new Date(services.now().getTime() - days * DAY_MS)
  return { ...services, now: () => at }
}

async function openOn(demo: Demo, cameras: readonly string[], opening: (typeof OPENINGS)[number]) {
  const [days, code, amount, every, first, copies, effectMode] = opening
  const { rows } = await demo.db.execute<{ id: number }>(sql`select id from oss_packages where package_code = ${code}`)
  const input = storageEntitlements.open.input.parse({
    sns: cameras.filter((_, at) => at % every === first).slice(0, 60),
    packageId: rows[0]?.id,
    copies,
    effectMode,
    source: amount === 0 ? 2 : 1,
    amount,
    reason: amount === 0 ? '推广活动赠送' : '客户采购',
  })
  const services = daysAgo(demo, days)
  await recordDueEntitlements(services)
  await runAsActor(services, demo.actor, { name: 'open', ...storageEntitlements.open, input }, (ctx) =>
    openPackage(ctx, input),
  )
}

/** Renews, suspends, cancels and transfers a few entitlements of the last weeks. */
async function changeSome(demo: Demo) {
  const pick = async (state: number, every: number, count: number) => {
    const { rows } = await demo.db.execute<{ id: number }>(sql`select id from oss_entitlements
      where state = ${state} and id % ${every} = 1 and source <> 4 and package_code <> 'YC90Y1' order by id limit ${count}`)
    return rows.map(({ id }) => id)
  }
  const services = daysAgo(demo, 1)
  await recordDueEntitlements(services)
  await renewSome(demo, services, await pick(1, 5, 60))
  const suspended = { ids: await pick(1, 31, 6), reason: '设备返厂维修' }
  await runAsActor(services, demo.actor, { name: 'suspend', ...storageEntitlements.suspend, input: suspended }, (ctx) =>
    suspendEntitlements(ctx, suspended),
  )
  const cancelled = { ids: await pick(0, 23, 8), reason: '客户取消订购' }
  await runAsActor(services, demo.actor, { name: 'cancel', ...storageEntitlements.cancel, input: cancelled }, (ctx) =>
    cancelEntitlements(ctx, cancelled),
  )
  await transferOne(demo, services)
}

/** Renews entitlements at the price of their package. */
async function renewSome({ db, actor }: Demo, services: Services, ids: readonly number[]) {
  const { rows } = await db.execute<{ id: number; price: number }>(sql`
    select e.id, v.price from oss_entitlements e join oss_package_versions v on v.id = e.package_version_id
    where e.id in ${ids} order by e.id`)
  for (const [amount, renewed] of Map.groupBy(rows, ({ price }) => price)) {
    const input = { ids: renewed.map(({ id }) => id), copies: 1, source: 1 as const, amount, reason: '到期前续费' }
    await runAsActor(services, actor, { name: 'renew', ...storageEntitlements.renew, input }, (ctx) =>
      renewEntitlements(ctx, input),
    )
  }
}

/** Moves one entitlement to another camera of the same tenant. */
async function transferOne({ db, actor }: Demo, services: Services) {
  const { rows } = await db.execute<{ id: number; sn: string }>(sql`
    select e.id, d.sn from oss_entitlements e join devices d on d.tenant_id = e.tenant_id and d.id <> e.device_id
    join device_models m on m.id = d.model_id and m.cloud_channels > 0
    where e.state = 1 and d.deleted_at is null order by e.id desc, d.id limit 1`)
  const found = rows[0]
  if (!found) return
  const input = { items: [{ id: found.id, targetSn: found.sn, targetChannel: 0 }], reason: '用户更换设备' }
  await runAsActor(services, actor, { name: 'transfer', ...storageEntitlements.transfer, input }, (ctx) =>
    transferEntitlements(ctx, input),
  )
}

/** Creates entitlements over fourteen months through the services, with the clock set back. */
export async function seedDemoEntitlements(services: Services, db: Db, actor: Actor) {
  const demo = { services, db, actor }
  const { rows } = await db.execute<{ sn: string }>(sql`select d.sn from devices d
    join device_models m on m.id = d.model_id and m.cloud_channels > 0 where d.deleted_at is null order by d.id`)
  const cameras = rows.map(({ sn }) => sn)
  for (const opening of OPENINGS) await openOn(demo, cameras, opening)
  await changeSome(demo)
  await recordDueEntitlements(services)
}
