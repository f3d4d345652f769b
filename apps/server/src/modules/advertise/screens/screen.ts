import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import {
  type adScreens as calls,
  MAX_STATES,
  type ScreenRow,
  findSizeProblem,
  ScreenInput,
  SMIL_PLAYER,
  WEB_PLAYER,
} from '@oms/contract/advertise/screen.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql, type SQLWrapper, asc, gt, inArray, notInArray, type SQL, isNull } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import { encrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { among, buildSort, contains, computePageOffset, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, notFound, conflict } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, scoped, PLATFORM_TENANT_ID, withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import { findDevice, visibleDevices } from '#modules/device/device-filter.ts'
import { syncFleetAfterCommit } from '#modules/device/fleet/fleet.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { adScreens, adPairings } from '../schema-screen.ts'
import { computeDeliveryState, isPlayingStale } from './screen-states.ts'

const MAX_OPTIONS = 100
const KIND = 'adScreen'
/** Maximum number of wrong codes of one account in a minute. */
const WRONG_CODES = 5
/** Characters of a pairing code. 0, O, 1, I and L are left out, because people confuse them. */
const CODE_LETTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const CODE_LENGTH = 6
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const SMIL_KEY_LENGTH = 26

const visibleScreens = (user: User) => scoped(user, { tenant: adScreens.tenantId, creator: adScreens.createBy })

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

/**
 * Returns devices by serial number. Devices of models that have paired screens come first. Devices of models with cloud
 * storage, such as cameras and doorbells, come last.
 */
export async function listDeviceOptions({ db, user }: Ctx, { keyword }: ParsedOf<typeof calls.devices>) {
  const { likely, unlikely } = await rankModels(db)
  const listWhere = (models: SQL, limit: number) =>
    db
      .select({
        id: devices.id,
        name: devices.sn,
        modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      })
      .from(devices)
      .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
      .where(and(visibleDevices(user), contains(devices.sn, keyword), models))
      .orderBy(asc(devices.id))
      .limit(limit)
  // One statement for each rank reads few rows. Sorting by the rank would read all devices.
  const list = await listWhere(inArray(devices.modelId, likely), MAX_OPTIONS)
  for (const rank of [notInArray(devices.modelId, [...likely, ...unlikely]), inArray(devices.modelId, unlikely)])
    if (list.length < MAX_OPTIONS) list.push(...(await listWhere(rank, MAX_OPTIONS - list.length)))
  return { list }
}

/** Returns the models that have paired screens, and the other models with cloud storage. */
async function rankModels(db: Db) {
  const paired = await db
    .selectDistinct({ modelId: devices.modelId })
    .from(adScreens)
    .innerJoin(devices, eq(devices.id, adScreens.deviceId))
  const likely = paired.map(({ modelId }) => modelId)
  const recording = await db
    .select({ id: deviceModels.id })
    .from(deviceModels)
    .where(and(gt(deviceModels.cloudChannels, 0), notInArray(deviceModels.id, likely)))
  return { likely, unlikely: recording.map(({ id }) => id) }
}

const TITLES = readFieldTitles(ScreenInput.shape)
const PLAYER = { web: WEB_PLAYER, native: 2, smil: SMIL_PLAYER } as const

function publish(ctx: Ctx) {
  syncFleetAfterCommit(ctx)
  return ctx.services.events.publish(ctx.db, 'changed', { resource: 'advertise/screen', tenantId: null })
}

async function storedScreen({ db, user }: Ctx, id: number) {
  const [found] = await db
    .select()
    .from(adScreens)
    .where(and(eq(adScreens.deviceId, id), visibleScreens(user)))
    .for('update')
  return found
}

async function deviceOf(ctx: Ctx, id: number) {
  const found = await findDevice(ctx, eq(devices.id, id))
  if (!found) throw notFound('设备')
  return found
}

type StoredScreen = typeof adScreens.$inferSelect

/** Validates the entered size of a SMIL player and returns the changed columns. Other players report their size. */
function prepareSizeChange(stored: StoredScreen, input: Pick<ParsedOf<typeof calls.update>, 'width' | 'height'>) {
  const { width = stored.width, height = stored.height } = input
  const isChanged = width !== stored.width || height !== stored.height
  if (isChanged && stored.playerKind !== PLAYER.smil) throw invalid('分辨率由播放器上报，不能修改', 'width')
  const problem = findSizeProblem({ width, height })
  if (isChanged && problem) throw invalid(problem, width > 0 ? 'height' : 'width')
  // Another size needs other files, so the screen is not ready until the player requests its new index.
  return { width, height, ...(isChanged && { appliedEtag: '' }) }
}

/** Updates zone, audience factor and volume of a screen, and the size of a SMIL player. */
export async function updateScreen(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await storedScreen(ctx, id)
  if (!stored) throw notFound('屏幕')
  await checkRevision(db, stored, rev)
  const { appliedEtag, ...size } = prepareSizeChange(stored, input)
  const values = { ...input, ...size }
  const diff = listChanges(stored, values, TITLES)
  if (diff.length === 0) return { rev: stored.rev }
  const next = updateColumns(stored, user.uid, now)
  await db
    .update(adScreens)
    .set({ ...values, ...(appliedEtag !== undefined && { appliedEtag }), ...next })
    .where(eq(adScreens.deviceId, id))
  const [device] = await db.select({ sn: devices.sn }).from(devices).where(eq(devices.id, id))
  ctx.audit({ bizType: KIND, bizId: id, action: `编辑屏幕「${device?.sn ?? ''}」`, diff })
  await publish(ctx)
  return { rev: next.rev }
}

/** Returns the open pairing with this code and locks its row. Limits the wrong codes of an account. */
async function takePairing({ db, user, services, now }: Ctx, code: string) {
  const key = `pairCode:${user.uid}`
  if (!services.rate.tryTake(key, WRONG_CODES)) throw invalid('输入错误次数过多，请稍后再试', 'code')
  const [found] = await db
    .select()
    .from(adPairings)
    .where(and(eq(adPairings.code, code), isNull(adPairings.deviceId), gt(adPairings.expireTime, now.toISOString())))
    .for('update')
  if (!found) throw invalid('配对码不正确或已过期', 'code')
  services.rate.giveBack(key, WRONG_CODES)
  return found
}

const hasNoToken = eq(adScreens.playerTokenHash, '')

/** Columns of a player that is bound to a device. */
type Player =
  | Pick<StoredScreen, 'playerKind' | 'playerTokenHash' | 'width' | 'height' | 'codecs'>
  | (Pick<StoredScreen, 'playerKind' | 'smilKeyHash'> & typeof NO_REPORT)

/**
 * Empty values for the columns that the former player of a screen reported. A SMIL player sends no status that would
 * replace these values. Width and height are kept, because they describe the screen.
 */
const NO_REPORT = {
  smilUuid: '',
  smilReplaced: 0,
  smilMedia: [] as string[],
  heldMedia: [] as string[],
  playerVersion: '',
  codecs: [] as string[],
  appliedEtag: '',
  readyFiles: 0,
  totalFiles: 0,
  failed: [] as StoredScreen['failed'],
  freeBytes: null,
  clockOffsetMs: null,
  offlineReady: 1,
  muted: 0,
  covered: 0,
  nowPlaying: null,
  playingTime: null,
}

/**
 * Binds a player to a device. Returns false when the stored screen does not satisfy `mayReplace`. One statement checks and
 * writes, so that only one of two pairings at the same time succeeds.
 */
async function bind(
  { db, user, now }: Ctx,
  { id: deviceId, tenantId }: { readonly id: number; readonly tenantId: number },
  player: Player,
  mayReplace: SQL | undefined,
): Promise<boolean> {
  const at = now.toISOString()
  const screen = { ...player, updateBy: user.uid, updateTime: at }
  const { rowCount } = await db
    .insert(adScreens)
    .values({ ...screen, deviceId, tenantId, createBy: user.uid, createTime: at })
    .onConflictDoUpdate({
      target: adScreens.deviceId,
      set: { ...screen, rev: sql`${adScreens.rev} + 1` },
      ...(mayReplace && { setWhere: mayReplace }),
    })
  return rowCount === 1
}

/** Pairs the screen that shows a code with a device. The player fetches its token with the next poll. */
export async function pairScreen(ctx: Ctx, { code, deviceId }: ParsedOf<typeof calls.pair>) {
  const { db, services } = ctx
  const pairing = await takePairing(ctx, code)
  const device = await deviceOf(ctx, deviceId)
  const token = createPlayerToken()
  const { width, height, codecs } = pairing
  const screen = { playerKind: PLAYER.web, playerTokenHash: hashSecret(token), width, height, codecs }
  if (!(await bind(ctx, device, screen, and(hasNoToken, eq(adScreens.smilKeyHash, '')))))
    throw conflict('该设备已绑定屏幕，请先解除配对', 'deviceId')
  const tokenEncrypted = encrypt(services.config.secretKey, token)
  await db.update(adPairings).set({ deviceId, tokenEncrypted }).where(eq(adPairings.pairId, pairing.pairId))
  ctx.audit({ bizType: KIND, bizId: deviceId, action: `配对屏幕「${device.sn}」` })
  await publish(ctx)
  return { id: deviceId, sn: device.sn }
}

/** Ends the pairing: the player's token and the SMIL address become invalid, and the screen leaves the list. */
export async function unpairScreen(ctx: Ctx, { id }: ParsedOf<typeof calls.unpair>) {
  const { db } = ctx
  const stored = await storedScreen(ctx, id)
  if (!stored) throw notFound('屏幕')
  await db.delete(adScreens).where(eq(adScreens.deviceId, id))
  await db.delete(adPairings).where(eq(adPairings.deviceId, id))
  const { sn } = await deviceOf(ctx, id)
  ctx.audit({ bizType: KIND, bizId: id, action: `解除屏幕「${sn}」的配对` })
  await publish(ctx)
  return null
}

/** Creates the address of a SMIL player, or replaces the address. */
export async function createSmilKey(ctx: Ctx, { id }: ParsedOf<typeof calls.smilKey>) {
  const device = await deviceOf(ctx, id)
  const key = generateSmilKey()
  const screen = { playerKind: PLAYER.smil, smilKeyHash: hashSecret(key), ...NO_REPORT }
  if (!(await bind(ctx, device, screen, hasNoToken))) throw conflict('该设备已绑定屏幕，请先解除配对', 'id')
  ctx.audit({ bizType: KIND, bizId: id, action: `生成屏幕「${device.sn}」的第三方播放器地址` })
  await publish(ctx)
  return { path: `/device/v1/ad/smil/${key}/index.smil` }
}

export const PAIRING_SECONDS = 900

const lettersOf = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

export const createPairingCode = () => lettersOf(CODE_LETTERS, CODE_LENGTH)

/** Returns 130 random bits in base32 for the address of a SMIL index. */
const generateSmilKey = () => lettersOf(BASE32, SMIL_KEY_LENGTH)

/** Returns a token of 256 random bits. */
const createPlayerToken = () => randomBytes(32).toString('base64url')

export const hashSecret = (secret: string) => hash('sha256', secret)

/** Returns true when the secret has the stored hash. Compares in constant time. */
export const matchesSecret = (secret: string, stored: string) =>
  timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(stored.padEnd(64).slice(0, 64)))

/** Names of the program and the ad that a screen plays. Empty when nothing or content of another tenant plays. */
type PlayingContentNames = {
  readonly programName: string
  readonly adName: string
}

/**
 * Returns the names of the program and the ad that screens reported last, by the id of the device. Contains only names
 * of the tenant of the screen and of the platform, because a device can report any id, and may have belonged to
 * another tenant. Programs of the platform play on screens of tenants, so the names are read without row-level
 * security.
 */
export async function readPlayingNames(ctx: Pick<Ctx, 'db' | 'user'>, deviceIds: readonly number[]) {
  if (deviceIds.length === 0) return new Map<number, PlayingContentNames>()
  const { rows } = await withoutRowSecurity(ctx, (db) =>
    db.execute<PlayingContentNames & { id: number }>(sql`
      select ad_screens.device_id as id, coalesce(p.program_name, '') as "programName", coalesce(a.ad_name, '') as "adName"
      from ad_screens
      left join ad_programs p on p.id = (now_playing->>'programId')::int
        and p.tenant_id in (${PLATFORM_TENANT_ID}::int, ad_screens.tenant_id)
      left join ads a on a.id = (now_playing->>'adId')::int
        and a.tenant_id in (${PLATFORM_TENANT_ID}::int, ad_screens.tenant_id)
      where ${among(adScreens.deviceId, deviceIds)}`),
  )
  return new Map(rows.map(({ id, ...names }) => [id, names]))
}
