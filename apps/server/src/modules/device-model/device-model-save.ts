import { DeviceModelInput, type deviceModels as calls } from '@oms/contract/device-model/device-model.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceModels, deviceTypes } from '#schema/device.ts'
import type { Ctx } from '#core/http/context.ts'
import { changePicture } from '#core/storage/picture.ts'
import { changes } from '#core/audit/mask.ts'
import { invalid } from '#core/http/api-error.ts'
import { checkRevision, touched } from '#core/database/optimistic-lock.ts'
import { alive } from '#core/tenancy/tenancy.ts'
import { titlesOf } from '#core/audit/field-titles.ts'
import { uniqueViolation } from '#core/database/unique-violation.ts'
import { catalogueEntry, auditFields } from './catalogue-entry.ts'
import { publishCatalogueChanged, assertPlatform, countReferences, referencesText } from './catalogue-guard.ts'

type Stored = typeof deviceModels.$inferSelect
const TITLES = { ...titlesOf(DeviceModelInput.shape), typeId: '类型编号', typeName: '设备类型' }
const PICTURE = { field: 'picture', title: '图片' } as const
const CLASHES = {
  device_models_name: ['型号名称已存在', 'modelName'],
  device_models_code: ['型号编码已存在', 'modelCode'],
} as const

const entry = catalogueEntry<Stored>({
  table: deviceModels,
  bizType: 'deviceModel',
  noun: '设备型号',
  titles: TITLES,
  nameOf: ({ modelName }) => modelName,
  async heldBy({ db }, id) {
    const left = referencesText([
      [await countReferences(db, sql`devices where model_id = ${id} and deleted_at is null`), '台设备'],
      [await countReferences(db, sql`ota_versions where model_id = ${id} and deleted_at is null`), '个升级版本'],
      [await countReferences(db, sql`device_access where auto_model_id = ${id}`), '个客户的自动登记设置'],
    ])
    return left && `还有${left}使用该型号，不能删除`
  },
  onRemove: (ctx, { picture }) => changePicture(ctx, { ...PICTURE, before: picture, after: '' }),
})
export const { remove, enable, disable } = entry

/** Returns the type of a model, locked against deletion. A model may keep a disabled type. */
async function typeOf(db: Db, typeId: number, before?: number) {
  const [type] = await db
    .select({ typeName: deviceTypes.typeName, status: deviceTypes.status })
    .from(deviceTypes)
    .where(and(eq(deviceTypes.id, typeId), alive(deviceTypes)))
    .for('share')
  if (!type || (type.status !== 1 && typeId !== before)) throw invalid('设备类型不存在或已停用', 'typeId')
  return type.typeName
}

export async function create(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  assertPlatform(user)
  const typeName = await typeOf(db, input.typeId)
  await changePicture(ctx, { ...PICTURE, before: '', after: input.picture })
  const [made] = await db
    .insert(deviceModels)
    .values({ ...input, createBy: user.uid, updateBy: user.uid })
    .returning({ id: deviceModels.id })
    .catch(rethrowClash)
  ctx.audit({
    bizType: 'deviceModel',
    bizId: made!.id,
    action: `新增设备型号「${input.modelName}」，类型「${typeName}」`,
    diff: changes({}, auditFields(input), TITLES),
  })
  await publishCatalogueChanged(ctx)
  return made!
}

export async function update(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await entry.lock(ctx, id)
  await checkRevision(db, stored, rev)
  await typeOf(db, input.typeId, stored.typeId)
  const diff = changes(auditFields(stored), auditFields(input), TITLES)
  if (diff.length === 0) return { rev: stored.rev }
  await changePicture(ctx, { ...PICTURE, before: stored.picture, after: input.picture })
  const [saved] = await db
    .update(deviceModels)
    .set({ ...input, ...touched(stored, user.uid, now) })
    .where(eq(deviceModels.id, id))
    .returning({ rev: deviceModels.rev })
    .catch(rethrowClash)
  ctx.audit({ bizType: 'deviceModel', bizId: id, action: `修改设备型号「${stored.modelName}」`, diff })
  await publishCatalogueChanged(ctx)
  return saved!
}

function rethrowClash(error: unknown): never {
  throw uniqueViolation(error, CLASHES) ?? error
}
