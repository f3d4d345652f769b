import { type adScreens as calls, MAX_STATES, type ScreenRow } from '@oms/contract/advertise/screen.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql, type SQLWrapper } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among, buildSort, contains, computePageOffset, paginate } from '#core/database/lists/list-query.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { computeDeliveryState, isPlayingStale } from './delivery-state.ts'
import { adScreens } from '../schema-screen.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { readPlayingNames } from './playing-names.ts'

export const visibleScreens = (user: User) => scoped(user, { tenant: adScreens.tenantId, creator: adScreens.createBy })

/** Returns the epoch milliseconds of a time column; null for null. The column itself would be read as wall time. */
const epochMs = (time: SQLWrapper) => sql<number | null>`extract(epoch from ${time})::float8 * 1000`
const TIMES = {
  lastReportMs: epochMs(adScreens.lastReportTime).as('last_report_ms'),
  playingMs: epochMs(adScreens.playingTime).as('playing_ms'),
}

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
      appliedEtag: adScreens.appliedEtag,
      readyFiles: adScreens.readyFiles,
      totalFiles: adScreens.totalFiles,
      failed: adScreens.failed,
      freeBytes: adScreens.freeBytes,
      clockOffsetMs: adScreens.clockOffsetMs,
      offlineReady: adScreens.offlineReady,
      muted: adScreens.muted,
      covered: adScreens.covered,
      playingTime: adScreens.playingTime,
      smilReplaced: adScreens.smilReplaced,
      hasSmilAddress: sql<number>`(${adScreens.smilKeyHash} <> '')::int`.as('has_smil_address'),
      timeZone: adScreens.timeZone,
      audienceFactor: adScreens.audienceFactor,
      volume: adScreens.volume,
      lastReportTime: adScreens.lastReportTime,
      ...TIMES,
      createTime: adScreens.createTime,
      rev: adScreens.rev,
    })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .leftJoin(tenants, eq(tenants.id, adScreens.tenantId))
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))

type StoredRow = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number]

type StateFacts = Pick<
  StoredRow,
  'id' | 'playerKind' | 'appliedEtag' | 'readyFiles' | 'totalFiles' | 'lastReportMs'
> & {
  readonly failed: { readonly length: number }
}

/**
 * Returns the delivery state of a screen. A SMIL player has applied the manifest of the SMIL index that it requested
 * last.
 */
function stateOf({ services: { fleet, adDelivery, config }, now }: Ctx, screen: StateFacts) {
  const { etag } = adDelivery.index.manifestOf(fleet.slots.slotOf(screen.id))
  return computeDeliveryState({ ...screen, etag }, now.getTime(), config.ads.pollSeconds)
}

const NOTHING = { programName: '', adName: '' }

/** Adds the names of what the screens play, and what the delivery index knows about their manifests. */
async function presentScreens(ctx: Ctx, rows: readonly StoredRow[]): Promise<ScreenRow[]> {
  const ids = rows.map(({ id }) => id)
  const namesById = await readPlayingNames(ctx, ids)
  return rows.map((row) => ({ ...withDelivery(ctx, row), ...(namesById.get(row.id) ?? NOTHING) }))
}

function withDelivery(ctx: Ctx, { appliedEtag, lastReportMs, playingMs, ...row }: StoredRow) {
  const { fleet, adDelivery } = ctx.services
  const manifest = adDelivery.index.manifestOf(fleet.slots.slotOf(row.id))
  const deliveryState = stateOf(ctx, { ...row, appliedEtag, lastReportMs })
  const findAd = (sha256: string) =>
    manifest.schedule.ads.find(({ files }) => files.some((file) => file.sha256 === sha256))
  const failed = row.failed.map((each) => ({ ...each, adName: findAd(each.sha256)?.name ?? '' }))
  return {
    ...row,
    failed,
    deliveryState,
    playingStale: stalenessOf(ctx, row.online, playingMs),
    leftPrograms: manifest.left.length,
  }
}

function stalenessOf({ now }: Ctx, online: number, playingMs: number | null) {
  if (playingMs === null) return 0
  return online === 0 || isPlayingStale(playingMs, now.getTime()) ? 1 : 0
}

type Query = ParsedOf<typeof calls.list>

const conditionOf = (user: User, { sn, tenantId, playerKind, online }: Query) =>
  and(
    visibleScreens(user),
    notDeleted(devices),
    contains(devices.sn, sn),
    tenantId === undefined ? undefined : eq(adScreens.tenantId, tenantId),
    playerKind === undefined ? undefined : eq(adScreens.playerKind, playerKind),
    online === undefined ? undefined : eq(devices.online, online),
  )

const orderOf = (input: Query) =>
  buildSort(input, { createTime: adScreens.createTime, lastReportTime: adScreens.lastReportTime }, adScreens.deviceId)

export async function listScreens(ctx: Ctx, input: Query) {
  const { db, user, services } = ctx
  await services.fleet.ready()
  if (input.deliveryState !== undefined) return listInState(ctx, input, input.deliveryState)
  const rows = select(db).where(conditionOf(user, input))
  const page = await paginate(db, rows.$dynamic(), input, orderOf(input))
  return { ...page, list: await presentScreens(ctx, page.list) }
}

/**
 * Lists the screens in one delivery state. The state depends on the ad index in memory, so that no column contains it.
 */
async function listInState(ctx: Ctx, input: Query, wanted: number) {
  const { db, user } = ctx
  const facts = await db
    .select({
      id: adScreens.deviceId,
      playerKind: adScreens.playerKind,
      appliedEtag: adScreens.appliedEtag,
      readyFiles: adScreens.readyFiles,
      totalFiles: adScreens.totalFiles,
      failed: { length: sql<number>`jsonb_array_length(${adScreens.failed})` },
      lastReportMs: TIMES.lastReportMs,
    })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
    .where(conditionOf(user, input))
    .orderBy(...orderOf(input))
    .limit(MAX_STATES + 1)
  if (facts.length > MAX_STATES)
    throw invalid('屏幕超过 50000 块，请先按客户或序列号筛选，再选择投放状态', 'deliveryState')
  const ids = facts.flatMap((screen) => (stateOf(ctx, screen) === wanted ? [screen.id] : []))
  const offset = computePageOffset(input)
  const shown = ids.slice(offset, offset + input.pageSize)
  const rows = await select(db).where(among(adScreens.deviceId, shown))
  const byId = new Map((await presentScreens(ctx, rows)).map((row) => [row.id, row]))
  return { list: shown.flatMap((id) => byId.get(id) ?? []), total: ids.length }
}

export async function getScreen(ctx: Ctx, { sn }: ParsedOf<typeof calls.get>) {
  const { db, user } = ctx
  const [found] = await select(db).where(and(eq(devices.sn, sn), visibleScreens(user), notDeleted(devices)))
  if (!found) throw notFound('屏幕')
  await ctx.services.fleet.ready()
  const [screen] = await presentScreens(ctx, [found])
  return screen!
}
