import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { storageApp as calls } from '@oms/contract/storage/app-sales.ts'
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import { createPlatformUser } from '#core/auth/system-actor.ts'
import { ApiError, invalid } from '#core/http/api-error.ts'
import type { Ctx, PublicCtx } from '#core/http/context.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { findTargetProblem, readDevicesBySn } from '../entitlements/open-prepare.ts'
import { openPackage } from '../entitlements/open.ts'
import { transferEntitlements } from '../entitlements/transfer.ts'
import { isOfCurrentOwner } from '../notices.ts'
import { isCurrentVersion } from '../package.ts'
import { type AppUser, authenticateAppUser, isOwnDevice, requireOwnDevice, runAsAppUser } from '../playback/app-key.ts'
import { QUEUE_STATE } from '../queue.ts'
import { ossNotices } from '../schema-sales.ts'
import { ossEntitlements, ossPackages, ossPackageVersions } from '../schema.ts'
import { redeemCard } from './card.ts'

/** Returns a context in which the App's user acts on the devices of its tenant, without an allowance. */
const actingFor = (ctx: PublicCtx, { account, tenantId }: AppUser): Ctx => ({
  ...ctx,
  user: {
    ...createPlatformUser({ account, realname: `App ${account}`.slice(0, 30), tenantId }),
    isSuper: false,
    scope: { tenants: [tenantId], ownOnly: false },
  },
})

/**
 * Redeems a card for a device of the App's user. Wrong codes of an App account are counted under its negative id,
 * apart from accounts of staff.
 */
export async function redeemCardInApp(ctx: PublicCtx, input: ParsedOf<typeof calls.redeem>) {
  const user = await authenticateAppUser(ctx)
  await requireOwnDevice(ctx.db, user, input.sn)
  await redeemCard(actingFor(ctx, user), input, -user.uid)
  return null
}

/** Returns the first trial package on sale that applies to the device. */
async function trialFor(ctx: Ctx, sn: string, channel: number) {
  const target = (await readDevicesBySn(ctx, [sn])).get(sn)
  const rows = await ctx.db
    .select({ terms: ossPackageVersions, packageName: ossPackages.packageName, packageCode: ossPackages.packageCode })
    .from(ossPackages)
    .innerJoin(ossPackageVersions, isCurrentVersion)
    .where(and(notDeleted(ossPackages), eq(ossPackages.status, 1), eq(ossPackageVersions.isTrial, 1)))
    .orderBy(asc(ossPackages.sort), asc(ossPackages.id))
  const offers = rows.map(({ terms, ...names }) => ({ ...terms, ...names }))
  const found = offers.find((terms) => findTargetProblem(target, [channel], terms) === undefined)
  if (!found) throw invalid('没有可领取的试用套餐', 'sn')
  return found
}

/** Opens a trial on a device of the App's user, once per serial number. */
export async function openTrialInApp(ctx: PublicCtx, { sn, channel }: ParsedOf<typeof calls.trial>) {
  const user = await authenticateAppUser(ctx)
  await requireOwnDevice(ctx.db, user, sn)
  const acting = actingFor(ctx, user)
  const { packageId, packageName } = await trialFor(acting, sn, channel)
  const once = { copies: 1, effectMode: 1, source: 2, amount: 0 } as const
  const input = { sns: [sn], channels: [channel], packageId, ...once, reason: 'App用户领取试用' }
  await openPackage(acting, input).catch((error: unknown) => {
    throw error instanceof ApiError ? invalid(error.message, 'sn') : error
  })
  return { packageName }
}

/**
 * Moves all packages of a channel to another device of the App's user, in their order. Nothing moves when one package
 * cannot move, because the user sees one service for each channel.
 */
export async function transferInApp(
  ctx: PublicCtx,
  { sn, channel, targetSn, targetChannel }: ParsedOf<typeof calls.transfer>,
) {
  const user = await authenticateAppUser(ctx)
  const source = await requireOwnDevice(ctx.db, user, sn)
  await requireOwnDevice(ctx.db, user, targetSn, 'targetSn')
  const isMovable = and(
    eq(ossEntitlements.deviceId, source.id),
    eq(ossEntitlements.channel, channel),
    inArray(ossEntitlements.state, [QUEUE_STATE.waiting, QUEUE_STATE.inForce]),
  )
  const rows = await ctx.db.select({ id: ossEntitlements.id }).from(ossEntitlements).where(isMovable)
  if (rows.length === 0) throw invalid('该通道没有可转移的套餐', 'channel')
  const items = rows.map(({ id }) => ({ id, targetSn, targetChannel }))
  const { done, failed } = await transferEntitlements(actingFor(ctx, user), { items, reason: 'App用户转移' }).catch(
    (error: unknown) => {
      throw error instanceof ApiError ? invalid(error.message, 'targetSn') : error
    },
  )
  if (failed[0]) throw invalid(failed[0].msg, 'targetSn')
  return { done }
}

/** Lists notices about the devices of the App's user that are newer than `sinceId`. */
export const listAppNotices = (ctx: PublicCtx, { sinceId = 0, pageSize }: ParsedOf<typeof calls.notices>) =>
  runAsAppUser(ctx, async (db, user) => ({
    list: await db
      .select({
        id: ossNotices.id,
        sn: ossNotices.sn,
        channel: ossNotices.channel,
        kind: ossNotices.kind,
        days: ossNotices.days,
        endTime: sql<number>`floor(extract(epoch from ${ossNotices.endTime}) * 1000)::float8`,
      })
      .from(ossNotices)
      .innerJoin(devices, eq(devices.id, ossNotices.deviceId))
      .where(and(gt(ossNotices.id, sinceId), isOwnDevice(user), isOfCurrentOwner))
      .orderBy(asc(ossNotices.id))
      .limit(pageSize),
  }))
