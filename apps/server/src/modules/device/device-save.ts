import { type devices as calls } from '@oms/contract/device/device-info.ts'
import { DeviceInput } from '@oms/contract/device/device-row.ts'
import { about } from '@oms/contract/core/fields.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceGroupMembers, deviceModels, devices, deviceVersions } from './schema.ts'
import { otaWhites } from '#modules/upgrade/schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertDeviceQuota } from './fleet/device-quota.ts'
import { countDeviceReferences } from './fleet/device-references.ts'
import { saveCloudStatesOfDevices } from './cloud-state.ts'
import { resolveOwningTenant } from '#core/tenancy/receiving-tenant.ts'
import { listChanges } from '#core/audit/mask.ts'
import { invalid } from '#core/http/api-error.ts'
import { among } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { toUniqueViolation } from '#core/database/unique-violation.ts'
import {
  auditDevices,
  formatDeviceName,
  lockDevice,
  lockDevices,
  publishDevicesChanged,
  buildBatchReport,
  SERIAL_TAKEN,
  splitDevicesByProblem,
} from './device-rows.ts'

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
