import { deviceModels as calls } from '@oms/contract/device/device-model.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, arrayOverlaps, eq, ne, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceModels, deviceTypes } from '../schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { changePicture } from '#core/storage/picture.ts'
import { invalid } from '#core/http/api-error.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

const PICTURE = { field: 'picture', title: '图片' } as const

const model = defineRecord({
  table: deviceModels,
  calls,
  kind: 'deviceModel',
  noun: '设备型号',
  nameOf: ({ modelName }) => modelName,
  titles: { typeId: '设备类型' },
  references: { typeId: { id: deviceTypes.id, name: deviceTypes.typeName } },
  heldText: (users) => `还有${users}使用该型号，不能删除`,
  onRemove: (ctx, { picture }) => changePicture(ctx, { ...PICTURE, before: picture, after: '' }),
})
export const { remove: removeDeviceModel, enable: enableDeviceModel, disable: disableDeviceModel } = model

/** Returns the type of a model, locked against deletion. A model may keep a disabled type. */
async function typeOf(db: Db, typeId: number, before?: number) {
  const [type] = await db
    .select({ typeName: deviceTypes.typeName, status: deviceTypes.status })
    .from(deviceTypes)
    .where(and(eq(deviceTypes.id, typeId), notDeleted(deviceTypes)))
    .for('share')
  if (!type || (type.status !== 1 && typeId !== before)) throw invalid('设备类型不存在或已停用', 'typeId')
  return type.typeName
}

/** Refuses a board of another model: firmware is chosen by board, and a wrong image destroys the device. */
async function assertFreeBoards(db: Db, boards: readonly string[], id?: number) {
  if (boards.length === 0) return
  // Two simultaneous saves could give one board to two models.
  await db.execute(sql`select pg_advisory_xact_lock(hashtext('device_models.boards'))`)
  const [other] = await db
    .select({ modelName: deviceModels.modelName, boards: deviceModels.boards })
    .from(deviceModels)
    .where(
      and(
        notDeleted(deviceModels),
        arrayOverlaps(deviceModels.boards, [...boards]),
        id === undefined ? undefined : ne(deviceModels.id, id),
      ),
    )
    .limit(1)
  const taken = other?.boards.find((board) => boards.includes(board))
  if (other && taken) throw invalid(`开发板「${taken}」已属于型号「${other.modelName}」`, 'boards')
}

const withBoards = <T extends { boards: string[] }>(input: T): T => ({ ...input, boards: [...new Set(input.boards)] })

export async function createDeviceModel(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const typeName = await typeOf(ctx.db, input.typeId)
  await assertFreeBoards(ctx.db, input.boards)
  await changePicture(ctx, { ...PICTURE, before: '', after: input.picture })
  const made = await model.insert(ctx, withBoards(input))
  ctx.audit({ action: `新增设备型号「${input.modelName}」，类型「${typeName}」` })
  return made
}

export async function updateDeviceModel(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const stored = await model.lock(ctx, id)
  await checkRevision(ctx.db, stored, rev)
  await typeOf(ctx.db, input.typeId, stored.typeId)
  await assertFreeBoards(ctx.db, input.boards, id)
  await changePicture(ctx, { ...PICTURE, before: stored.picture, after: input.picture })
  return model.save(ctx, stored, rev, withBoards(input))
}
