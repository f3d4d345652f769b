import {
  type adScreens as calls,
  findSizeProblem,
  ScreenInput,
  SMIL_PLAYER,
  WEB_PLAYER,
} from '@oms/contract/advertise/screen.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { readFieldTitles } from '#core/audit/field-titles.ts'
import { listChanges } from '#core/audit/mask.ts'
import { encrypt } from '#core/crypto/encrypted-value.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { hashSecret, createPlayerToken, generateSmilKey } from './pairing-code.ts'
import { visibleDevices } from '#modules/device/fleet/device-filter.ts'
import { syncFleetAfterCommit } from '#modules/device/fleet/sync-after-commit.ts'
import { adPairings, adScreens } from '../schema-screen.ts'
import { devices } from '#modules/device/schema.ts'
import { visibleScreens } from './screen-rows.ts'

const KIND = 'adScreen'
const TITLES = readFieldTitles(ScreenInput.shape)
/** Maximum number of wrong codes of one account in a minute. */
const WRONG_CODES = 5
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

async function deviceOf({ db, user }: Ctx, id: number) {
  const [found] = await db
    .select({ id: devices.id, sn: devices.sn, tenantId: devices.tenantId })
    .from(devices)
    .where(and(eq(devices.id, id), visibleDevices(user)))
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
