import { deviceModels as calls } from '@oms/contract/device-model/device-model.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceModels, deviceTypes } from '#schema/device.ts'
import type { Ctx } from '#core/http/context.ts'
import { changePicture } from '#core/storage/picture.ts'
import { invalid } from '#core/http/api-error.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { alive } from '#core/tenancy/tenancy.ts'

const PICTURE = { field: 'picture', title: '图片' } as const

const model = defineRecord({
  table: deviceModels,
  calls,
  kind: 'deviceModel',
  noun: '设备型号',
  nameOf: ({ modelName }) => modelName,
  titles: { typeId: '类型编号' },
  heldText: (users) => `还有${users}使用该型号，不能删除`,
  onRemove: (ctx, { picture }) => changePicture(ctx, { ...PICTURE, before: picture, after: '' }),
})
export const { remove, enable, disable } = model

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
  const typeName = await typeOf(ctx.db, input.typeId)
  await changePicture(ctx, { ...PICTURE, before: '', after: input.picture })
  const made = await model.insert(ctx, input)
  ctx.audit({ action: `新增设备型号「${input.modelName}」，类型「${typeName}」` })
  return made
}

export async function update(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const stored = await model.lock(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  await typeOf(ctx.db, input.typeId, stored.typeId)
  await changePicture(ctx, { ...PICTURE, before: stored.picture, after: input.picture })
  return model.save(ctx, stored, rev, input)
}
