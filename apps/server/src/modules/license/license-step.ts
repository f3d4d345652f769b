import { type StoredLicense, findStepProblem, applyDeviceStep, applyLicenseStep } from './steps.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import type { LicenseStep } from '@oms/contract/license/license-state.ts'
import { maskUid } from '@oms/contract/license/license-uid.ts'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { devices } from '#modules/device/schema.ts'
import { licenseEvents } from './schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { conflict, forbidden, invalid, notFound, refused } from '#core/http/api-error.ts'
import { assertSeesAllTenants, notDeleted, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { among } from '#core/database/lists/list-query.ts'
import { decrypt } from '#core/crypto/keys.ts'
import { returnQuota } from './grant.ts'
import {
  createStepContext,
  lockLicenses,
  buildBatchReport,
  splitLicensesByProblem,
  publishLicensesChanged,
} from './license.ts'

interface Batch {
  readonly ids: number[]
  readonly reason: string
}
type RefusalRule = (license: StoredLicense) => string | undefined

/** Returns the refusal of a certificate in stock, which all tenants share, for staff limited to chosen tenants. */
const findStockProblem = ({ scope }: Ctx['user'], { tenantId }: StoredLicense) =>
  tenantId === null && scope.tenants !== 'all' ? SHARED_DATA_MESSAGE : undefined

/** Applies one step to the certificates of a batch that permit the step, and reports the reason for the others. */
async function each(
  ctx: Ctx,
  step: LicenseStep,
  { ids, reason }: Batch,
  words: string,
  refusalOf: RefusalRule = () => undefined,
) {
  const { db, user } = ctx
  const found = await lockLicenses(db, user, ids)
  const { good, failed } = splitLicensesByProblem(
    ids,
    found,
    (license) => findStepProblem(step, license.state) ?? findStockProblem(user, license) ?? refusalOf(license),
  )
  const moved = good.map(({ id }) => id)
  await applyLicenseStep(createStepContext(ctx, reason), step, moved)
  const why = reason ? `，原因：${reason}` : ''
  ctx.audit({
    bizType: 'license',
    action: `${words}证书${why}`,
    records: good.map(({ id, uid }) => ({ id, action: `${words}证书「${maskUid(uid)}」${why}` })),
  })
  await publishLicensesChanged(
    ctx,
    good.map(({ tenantId }) => tenantId),
  )
  return { good, report: buildBatchReport(ids, moved.length, failed) }
}

/** Returns certificates to stock and credits their grants. */
export async function recallLicenses(ctx: Ctx, input: ParsedOf<typeof calls.recall>) {
  if (!ctx.user.isPlatform) throw forbidden()
  const { good, report } = await each(ctx, 'recall', input, '收回')
  await returnQuota(ctx, good, input.reason || '证书收回')
  return report
}

/** Releases a certificate from its device. A certificate whose device has been active requires a reason. */
export async function unbindLicenses(ctx: Ctx, input: ParsedOf<typeof calls.unbind>) {
  const active = input.reason === '' ? await activeAmong(ctx, input.ids) : new Set<number>()
  const refusalOf: RefusalRule = ({ id }) => (active.has(id) ? '设备已激活过，解绑请填写原因' : undefined)
  return (await each(ctx, 'unbind', input, '解绑', refusalOf)).report
}

/** Returns the ids of certificates whose device has been active. */
async function activeAmong({ db, user }: Ctx, ids: readonly number[]) {
  const list = await lockLicenses(db, user, ids)
  const carriers = list.flatMap(({ deviceId }) => (deviceId === null ? [] : [deviceId]))
  const rows = await db
    .select({ id: devices.id })
    .from(devices)
    .where(and(among(devices.id, carriers), isNotNull(devices.activateTime)))
  const active = new Set(rows.map(({ id }) => id))
  return new Set(list.filter(({ deviceId }) => deviceId !== null && active.has(deviceId)).map(({ id }) => id))
}

export const suspendLicenses = async (ctx: Ctx, input: ParsedOf<typeof calls.suspend>) =>
  (await each(ctx, 'suspend', input, '暂停')).report

export const resumeLicenses = async (ctx: Ctx, input: ParsedOf<typeof calls.resume>) =>
  (await each(ctx, 'resume', input, '恢复')).report

/** Scraps certificates permanently. Their devices can carry other certificates. */
export const scrapLicenses = async (ctx: Ctx, input: ParsedOf<typeof calls.scrap>) =>
  (await each(ctx, 'scrap', input, '报废')).report

/** Binds a certificate to a device of the same tenant and updates the device's row. */
export async function bindLicense(ctx: Ctx, { id, sn }: ParsedOf<typeof calls.bind>) {
  const { db, user } = ctx
  const [license] = await lockLicenses(db, user, [id])
  if (!license) throw notFound('证书')
  const problem = findStepProblem('bind', license.state)
  if (problem) throw refused(problem)
  const { rows } = await db.execute<{ past: boolean }>(
    sql`select ${license.expireTime}::timestamptz <= ${ctx.now.toISOString()}::timestamptz as past`,
  )
  if (rows[0]?.past) throw refused('证书已过期，不能绑定')
  const [device] = await db
    .select({ id: devices.id, sn: devices.sn, uid: devices.uid, modelId: devices.modelId })
    .from(devices)
    .where(and(eq(devices.sn, sn), notDeleted(devices), eq(devices.tenantId, license.tenantId as number)))
    .for('update')
  if (!device) throw invalid('该客户没有此序列号的设备', 'sn')
  if (device.uid !== '') throw conflict('该设备已绑定其他证书', 'sn')
  if (license.modelId !== null && license.modelId !== device.modelId)
    throw invalid('设备型号与证书限定的型号不符', 'sn')
  await applyDeviceStep(createStepContext(ctx), 'bind', license, device)
  ctx.audit({ bizType: 'license', bizId: id, action: `绑定证书「${maskUid(license.uid)}」到设备「${sn}」` })
  await publishLicensesChanged(ctx, [license.tenantId])
  await ctx.services.events.publish(db, 'changed', { resource: 'device', tenantId: license.tenantId })
  return { deviceId: device.id }
}

/**
 * Returns the UID and the decrypted key after the history row and the operation-log row are committed. The response
 * that repeated calls receive is stored encrypted.
 */
export async function revealUid(ctx: Ctx, { id, reason }: ParsedOf<typeof calls.reveal>) {
  const license = await transactWithOperationLog(ctx, async (db) => {
    const [found] = await lockLicenses(db, ctx.user, [id])
    if (!found) throw notFound('证书')
    if (found.tenantId === null) assertSeesAllTenants(ctx.user)
    await db.insert(licenseEvents).values({
      licenseId: id,
      action: 'reveal',
      fromState: found.state,
      toState: found.state,
      tenantId: found.tenantId,
      deviceId: found.deviceId,
      uid: ctx.user.uid,
      operName: ctx.user.realname || ctx.user.account,
      reason,
    })
    ctx.audit({ bizType: 'license', bizId: id, action: `查看证书「${maskUid(found.uid)}」的明文，原因：${reason}` })
    return found
  })
  const key = license.keySealed === '' ? '' : decrypt(ctx.services.config.secretKey, license.keySealed)
  return { uid: license.uid, key }
}
