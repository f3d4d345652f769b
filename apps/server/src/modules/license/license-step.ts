import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import {
  type LicenseStep,
  LICENSE_STATE,
  findStateAfter,
  listStatesBefore,
} from '@oms/contract/license/license-state.ts'
import { maskUid } from '@oms/contract/license/license-uid.ts'
import type { licenseCerts as calls } from '@oms/contract/license/license.ts'
import { and, eq, isNotNull, sql, type SQL } from 'drizzle-orm'
import { decrypt } from '#core/crypto/keys.ts'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import { conflict, forbidden, invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertSeesAllTenants, notDeleted, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { returnQuota } from './grant.ts'
import {
  createStepContext,
  lockLicenses,
  buildBatchReport,
  splitLicensesByProblem,
  publishLicensesChanged,
} from './license.ts'
import { licenseEvents, licenses } from './schema.ts'

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

export type StoredLicense = typeof licenses.$inferSelect

/** Actor and reason of a step. `uid` null stands for the device or the scheduled job. */
export interface StepContext {
  readonly db: Db
  readonly now: Date
  readonly uid: number | null
  readonly operName: string
  readonly reason?: string
}

const NAMES: Readonly<Record<LicenseStep, string>> = {
  allot: '分配',
  recall: '收回',
  bind: '绑定',
  unbind: '解绑',
  activate: '激活',
  suspend: '暂停',
  resume: '恢复',
  expire: '置为过期',
  scrap: '报废',
}

/** Returns the reason why a certificate in this state cannot take the step; undefined when it can. */
function findStepProblem(step: LicenseStep, state: number): string | undefined {
  if (findStateAfter(step, state) !== undefined) return undefined
  const from = listStatesBefore(step)
    .map((each) => `「${LICENSE_STATE[each]}」`)
    .join('')
  const now = LICENSE_STATE[state as keyof typeof LICENSE_STATE] ?? String(state)
  return step === 'scrap' ? '证书已报废' : `证书${now}，只有${from}的证书可以${NAMES[step]}`
}

/** Tenant and grant of an allotment. */
interface Given {
  readonly tenantId?: number
  readonly grantId?: number | null
}

/** Returns the columns that each step sets in addition to the state. */
function columnsOf(step: LicenseStep, at: string, given: Given): SQL {
  if (step === 'allot')
    return sql`, tenant_id = ${given.tenantId}, grant_id = ${given.grantId ?? null}, allot_time = ${at}`
  if (step === 'recall') return sql`, tenant_id = null, grant_id = null, allot_time = null`
  if (step === 'unbind' || step === 'scrap') return sql`, device_id = null, bind_time = null`
  return sql``
}

/**
 * Applies one step to certificates that the caller has locked, and writes their history with one statement. Skips
 * certificates in another state. Returns the number of changed certificates.
 */
export async function applyLicenseStep(
  stepContext: StepContext,
  step: LicenseStep,
  ids: readonly number[],
  given: Given = {},
) {
  if (ids.length === 0) return 0
  const { db, uid, operName, reason = '' } = stepContext
  const at = stepContext.now.toISOString()
  const from = listStatesBefore(step)
  const to = findStateAfter(step, from[0]!)
  const frees = step === 'unbind' || step === 'scrap'
  // Updates devices after their certificates and in the order of ids, the lock order of every batch of devices.
  if (frees)
    await db.execute(sql`select from devices where id in (select device_id from licenses
      where id = any(${sql.param(ids)}::int[]) and device_id is not null) order by id for update`)
  const { rows } = await db.execute<{ n: number }>(sql`
    with before as (
      select l.id, l.state, l.tenant_id, l.device_id, d.sn from licenses l left join devices d on d.id = l.device_id
      where l.id = any(${sql.param(ids)}::int[]) and l.state = any(${sql.param(from)}::int[]) order by l.id for update of l
    ), moved as (
      update licenses l set state = ${to}, update_by = ${uid}, update_time = ${at} ${columnsOf(step, at, given)}
      from before b where l.id = b.id returning l.id, l.state, coalesce(l.tenant_id, b.tenant_id) as tenant_id
    ), noted as (
      insert into license_events (license_id, action, from_state, to_state, tenant_id, device_id, device_sn, uid, oper_name, reason, create_time)
      select m.id, ${step}::varchar, b.state, m.state, m.tenant_id, b.device_id, coalesce(b.sn, ''), ${uid}::int, ${operName.slice(0, 30)}::varchar,
        ${reason.slice(0, 200)}::varchar, ${at}::timestamptz
      from moved m join before b on b.id = m.id order by m.id
    ), freed as (
      update devices d set uid = '', update_time = ${at} from before b
      where d.id = b.device_id and ${frees}
    )
    select count(*)::int as n from moved`)
  return rows[0]?.n ?? 0
}

/** Binds one certificate to a device, or activates its bound certificate. The caller has locked both rows. */
export async function applyDeviceStep(
  stepContext: StepContext,
  step: 'bind' | 'activate',
  license: Pick<StoredLicense, 'id' | 'uid' | 'tenantId'>,
  device: { readonly id: number; readonly sn: string },
) {
  const { db, uid, operName, reason = '' } = stepContext
  const at = stepContext.now.toISOString()
  const from = listStatesBefore(step)[0]!
  const to = findStateAfter(step, from)!
  const moment = sql.raw(step === 'bind' ? 'bind_time' : 'activate_time')
  await db.execute(sql`update licenses set state = ${to}, device_id = ${device.id}, ${moment} = ${at}, update_by = ${uid},
    update_time = ${at} where id = ${license.id} and state = ${from}`)
  await db.execute(
    step === 'bind'
      ? sql`update devices set uid = ${license.uid}, update_time = ${at} where id = ${device.id}`
      : sql`update devices set activate_time = ${at} where id = ${device.id} and activate_time is null`,
  )
  await db.execute(sql`insert into license_events (license_id, action, from_state, to_state, tenant_id, device_id, device_sn, uid, oper_name, reason, create_time)
    values (${license.id}, ${step}, ${from}, ${to}, ${license.tenantId}, ${device.id}, ${device.sn}, ${uid}, ${operName.slice(0, 30)}, ${reason.slice(0, 200)}, ${at})`)
}
