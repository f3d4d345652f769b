import { createHash, randomInt } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import type { devices as calls } from '@oms/contract/device/device-info.ts'
import { DeviceInput, TOKEN_LENGTH } from '@oms/contract/device/device-row.ts'
import { and, eq, sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { among } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { otaWhites } from '#modules/upgrade/schema.ts'
import { assertDeviceQuota } from './device-quota.ts'
import { countDeviceReferences } from './device-references.ts'
import {
  auditDevices,
  formatDeviceName,
  lockDevice,
  lockDevices,
  publishDevicesChanged,
  buildBatchReport,
  SERIAL_TAKEN,
  splitDevicesByProblem,
} from './device.ts'
import { deviceGroupMembers, deviceModels, devices, deviceVersions } from './schema.ts'

const TITLES = Object.fromEntries(
  ['devName', 'modelName', 'mac', 'imei', 'verCode', 'hwVer', 'tags', 'warrantyEnd', 'remark'].map((key) => [
    key,
    key === 'modelName' ? '设备型号' : about(DeviceInput, key).title,
  ]),
)

const clash = (error: unknown) => {
  throw (
    toUniqueViolation(error, { devices_sn: ['序列号已存在', 'sn'], devices_sn_lower: [SERIAL_TAKEN, 'sn'] }) ?? error
  )
}

async function requireEnabledModelName(db: Db, modelId: number, keep?: number) {
  const [model] = await db
    .select({ id: deviceModels.id, modelName: deviceModels.modelName, status: deviceModels.status })
    .from(deviceModels)
    .where(and(eq(deviceModels.id, modelId), notDeleted(deviceModels)))
    .for('share')
  if (!model) throw invalid('设备型号不存在或已被删除', 'modelId')
  if (model.status !== 1 && modelId !== keep) throw invalid('设备型号已停用', 'modelId')
  return model.modelName
}

const valuesOf = ({ mac, imei, verCode, tags, warrantyEnd, ...rest }: Omit<ParsedOf<typeof calls.create>, 'sn'>) => ({
  ...rest,
  mac: mac ?? '',
  imei: imei ?? '',
  verCode: verCode ?? null,
  tags: [...new Set(tags)],
  warrantyEnd: warrantyEnd ?? null,
})

export async function createDevice(ctx: Ctx, { sn, ...input }: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const { id: tenantId } = await resolveOwningTenant(ctx, input.tenantId, 'tenantId')
  await requireEnabledModelName(db, input.modelId)
  await assertDeviceQuota(db, tenantId)
  const [made] = await db
    .insert(devices)
    .values({ ...valuesOf(input), sn, tenantId, createBy: user.uid, updateBy: user.uid })
    .returning({ id: devices.id })
    .catch(clash)
  const id = made?.id as number
  await noteVersion(db, id, input.verCode)
  ctx.audit({ bizType: 'device', bizId: id, action: `新增设备${formatDeviceName({ sn, devName: input.devName })}` })
  await publishDevicesChanged(ctx, [tenantId])
  return { id }
}

/** Records a version that a person entered in the device's history, like a reported version. */
async function noteVersion(db: Db, deviceId: number, verCode: number | undefined) {
  if (verCode !== undefined) await db.insert(deviceVersions).values({ deviceId, verCode, source: 3 })
}

export async function updateDevice(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await lockDevice(db, user, id)
  await checkRevision(db, stored, rev)
  const modelName = await requireEnabledModelName(db, input.modelId, stored.modelId)
  const { tenantId: _, ...next } = valuesOf(input)
  await db
    .update(devices)
    .set({ ...next, ...updateColumns(stored, user.uid, now) })
    .where(eq(devices.id, id))
  if (input.verCode !== (stored.verCode ?? undefined)) await noteVersion(db, id, input.verCode)
  const before = { ...stored, modelName: input.modelId === stored.modelId ? modelName : await nameOfModel(db, stored) }
  ctx.audit({
    bizType: 'device',
    bizId: id,
    action: `修改设备${formatDeviceName({ ...stored, ...next })}`,
    diff: listChanges(before, { ...next, modelName }, TITLES),
  })
  await publishDevicesChanged(ctx, [stored.tenantId])
  return { rev: stored.rev + 1 }
}

async function nameOfModel(db: Db, { modelId }: { modelId: number }) {
  const [model] = await db
    .select({ modelName: deviceModels.modelName })
    .from(deviceModels)
    .where(eq(deviceModels.id, modelId))
  return model?.modelName ?? ''
}

/** Deletes devices without references. Reports for each other device what references the device. */
export async function removeDevices(ctx: Ctx, { ids }: ParsedOf<typeof calls.remove>) {
  const { db, user, now } = ctx
  const found = await lockDevices(db, user, ids)
  const uses = await countDeviceReferences(
    db,
    found.map(({ id }) => id),
  )
  const { good, failed } = splitDevicesByProblem(ids, found, ({ id }) => {
    const held = uses.get(id)
    return held && `该设备还有${held}，不能删除`
  })
  const gone = good.map(({ id }) => id)
  if (gone.length > 0) {
    await db
      .update(devices)
      .set({
        deletedAt: now.toISOString(),
        tokenHash: null,
        online: 0,
        updateBy: user.uid,
        updateTime: now.toISOString(),
      })
      .where(among(devices.id, gone))
    await saveCloudStatesOfDevices(db, gone, now.getTime() / 1000)
    // The update above runs a trigger that copies the groups of screens for the statistics of ads.
    await db.delete(deviceGroupMembers).where(among(deviceGroupMembers.deviceId, gone))
    await db.delete(otaWhites).where(among(otaWhites.deviceId, gone))
    await publishDevicesChanged(
      ctx,
      good.map(({ tenantId }) => tenantId),
    )
  }
  auditDevices(ctx, good, '删除设备')
  return buildBatchReport(ids, good.length, failed)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const newToken = () => Array.from({ length: TOKEN_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
const hashOf = (token: string) => createHash('sha256').update(token).digest()

/**
 * Creates a token in its own transaction. The token is stored only as a hash, and encrypted in the response that
 * repeated calls receive.
 */
export function createDeviceToken(ctx: Ctx, { id }: ParsedOf<typeof calls.token>) {
  return transactWithOperationLog(ctx, async (db) => {
    const stored = await lockDevice(db, ctx.user, id)
    const made = newToken()
    await db
      .update(devices)
      .set({ tokenHash: hashOf(made), ...updateColumns(stored, ctx.user.uid, ctx.now) })
      .where(eq(devices.id, id))
    const action = `${stored.tokenHash ? '更换' : '生成'}设备令牌：${formatDeviceName(stored)}`
    ctx.audit({ bizType: 'device', bizId: id, action })
    await publishDevicesChanged({ ...ctx, db }, [stored.tenantId])
    return { sn: stored.sn, token: made }
  })
}

export async function clearDeviceToken(ctx: Ctx, { id }: ParsedOf<typeof calls.clearToken>) {
  const { db, user, now } = ctx
  const stored = await lockDevice(db, user, id)
  if (!stored.tokenHash) throw refused('该设备没有令牌')
  await db
    .update(devices)
    .set({ tokenHash: null, ...updateColumns(stored, user.uid, now) })
    .where(eq(devices.id, id))
  ctx.audit({ bizType: 'device', bizId: id, action: `清除设备令牌：${formatDeviceName(stored)}` })
  await publishDevicesChanged(ctx, [stored.tenantId])
  return null
}

/** Creates tokens for several devices. The tokens appear only in the response. */
export function createDeviceTokens(ctx: Ctx, { ids, replace }: ParsedOf<typeof calls.tokens>) {
  return transactWithOperationLog(ctx, async (db) => {
    const { user, now } = ctx
    const found = await lockDevices(db, user, ids)
    const chosen = found.filter(({ tokenHash }) => replace === 1 || !tokenHash)
    const made = chosen.map(({ id, sn }) => ({ id, sn, token: newToken() }))
    const rows = made.map((each) => ({ id: each.id, hash: hashOf(each.token).toString('hex') }))
    await db.execute(sql`update devices d set token_hash = decode(x.hash, 'hex'), rev = d.rev + 1,
        update_by = ${user.uid}, update_time = ${now.toISOString()}
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(id int, hash text) where d.id = x.id`)
    auditDevices(ctx, chosen, '批量生成设备令牌')
    await publishDevicesChanged(
      { ...ctx, db },
      chosen.map(({ tenantId }) => tenantId),
    )
    return { tokens: made.map((each) => ({ sn: each.sn, token: each.token })), skipped: ids.length - made.length }
  })
}

/**
 * Stores the cloud-storage state of App accounts from the queues of their devices: 0 none, 1 in force or waiting, 2
 * expired. `now` is in seconds. Call this function after every change of the queues or the devices of an account.
 */
export async function saveCloudStates(db: Db, accountIds: readonly number[], now: number): Promise<void> {
  if (accountIds.length === 0) return
  await db.execute(sql`
    update app_accounts a set cloud_state = s.state from (
      select x.uid, case
        when bool_or(q.suspended = 1 or q.end_time > to_timestamp(${now}::float8)) then 1
        when bool_or(q.end_time is not null) then 2
        else 0 end as state
      from unnest(${sql.param([...accountIds])}::int[]) as x (uid)
      join app_accounts o on o.uid = x.uid
      left join devices d on d.app_account_id = x.uid and d.tenant_id = o.tenant_id and d.deleted_at is null
      left join oss_queues q on q.device_id = d.id
      group by 1) s
    where a.uid = s.uid and a.cloud_state <> s.state`)
}

/** Stores the cloud-storage state of the App accounts that own these devices. `now` is in seconds. */
export async function saveCloudStatesOfDevices(db: Db, deviceIds: readonly number[], now: number): Promise<void> {
  const { rows } = await db.execute<{ uid: number }>(sql`select distinct app_account_id as uid from devices
    where id = any(${sql.param([...deviceIds])}::int[]) and app_account_id is not null`)
  await saveCloudStates(
    db,
    rows.map(({ uid }) => uid),
    now,
  )
}
