import type { adScreens as calls, ScreenRow } from '@oms/contract/advertise/screen.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildOrder, paginate } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { computeDeliveryState } from '#domain/ads/screens/delivery-state.ts'
import { adNames } from '#schema/advertise-play.ts'
import { adScreens } from '#schema/advertise-screen.ts'
import { deviceModels, devices } from '#schema/device.ts'
import { tenants } from '#schema/tenant.ts'

export const visibleScreens = (user: User) => scoped(user, { tenant: adScreens.tenantId, creator: adScreens.createBy })

/** Name of an ad or program that plays, also after its deletion. */
const playing = (kind: number, key: 'adId' | 'programId') =>
  sql<string>`coalesce((select ${adNames.name} from ${adNames} where ${adNames.kind} = ${kind}
    and ${adNames.id} = (${adScreens.nowPlaying}->>${sql.raw(`'${key}'`)})::int), '')`

const select = (db: Db) =>
  db
    .select({
      id: adScreens.deviceId,
      sn: devices.sn,
      devName: devices.devName,
      tenantId: adScreens.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      online: devices.online,
      playerKind: adScreens.playerKind,
      playerVersion: adScreens.playerVersion,
      width: adScreens.width,
      height: adScreens.height,
      programName: playing(2, 'programId').as('program_name'),
      adName: playing(1, 'adId').as('ad_name'),
      appliedEtag: adScreens.appliedEtag,
      readyFiles: adScreens.readyFiles,
      totalFiles: adScreens.totalFiles,
      failed: adScreens.failed,
      freeBytes: adScreens.freeBytes,
      clockOffsetMs: adScreens.clockOffsetMs,
      offlineReady: adScreens.offlineReady,
      smilReplaced: adScreens.smilReplaced,
      timeZone: adScreens.timeZone,
      audienceFactor: adScreens.audienceFactor,
      volume: adScreens.volume,
      lastReportTime: adScreens.lastReportTime,
      createTime: adScreens.createTime,
      rev: adScreens.rev,
    })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .leftJoin(tenants, eq(tenants.id, adScreens.tenantId))
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))

type StoredRow = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number]

/** Adds what the delivery index knows about the manifest of the screen. */
function withDelivery({ services, now }: Ctx, { appliedEtag, ...row }: StoredRow): ScreenRow {
  const { fleet, adDelivery, config } = services
  const slot = fleet.slots.slotOf(row.id)
  const manifest = adDelivery.index.manifestOf(slot)
  const lastReportMs = row.lastReportTime === null ? null : Date.parse(row.lastReportTime)
  const isSmil = row.playerKind === 3
  const facts = { ...row, appliedEtag, etag: isSmil ? appliedEtag : manifest.etag, lastReportMs }
  const deliveryState = computeDeliveryState(facts, now.getTime(), config.ads.pollSeconds)
  const findAd = (sha256: string) =>
    manifest.schedule.ads.find(({ files }) => files.some((file) => file.sha256 === sha256))
  const failed = row.failed.map((each) => ({ ...each, adName: findAd(each.sha256)?.name ?? '' }))
  return { ...row, failed, deliveryState, leftPrograms: manifest.left.length }
}

export async function listScreens(ctx: Ctx, input: ParsedOf<typeof calls.list>) {
  const { db, user } = ctx
  const { sn, tenantId, playerKind, online } = input
  const rows = select(db).where(
    and(
      visibleScreens(user),
      notDeleted(devices),
      contains(devices.sn, sn),
      tenantId === undefined ? undefined : eq(adScreens.tenantId, tenantId),
      playerKind === undefined ? undefined : eq(adScreens.playerKind, playerKind),
      online === undefined ? undefined : eq(devices.online, online),
    ),
  )
  const columns = { createTime: adScreens.createTime, lastReportTime: adScreens.lastReportTime }
  const page = await paginate(db, rows.$dynamic(), input, buildOrder(input, columns, adScreens.deviceId))
  await ctx.services.fleet.ready()
  return { ...page, list: page.list.map((row) => withDelivery(ctx, row)) }
}

export async function getScreen(ctx: Ctx, { sn }: ParsedOf<typeof calls.get>) {
  const { db, user } = ctx
  const [found] = await select(db).where(and(eq(devices.sn, sn), visibleScreens(user), notDeleted(devices)))
  if (!found) throw notFound('屏幕')
  await ctx.services.fleet.ready()
  return withDelivery(ctx, found)
}
