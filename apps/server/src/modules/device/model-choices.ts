import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_CHOICES, MODEL_READERS, type deviceModels as calls } from '@oms/contract/device/device-model.ts'
import { and, asc, desc, eq, gt, ne, or, sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { contains, byName } from '#core/database/lists/list-query.ts'
import { conflict, forbidden, invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { agentCodes, agentDevices } from '#modules/agent/schema/agent-device.ts'
import { deviceModels, deviceTypes } from './schema.ts'

const CHOICE = {
  modelId: deviceModels.id,
  modelName: deviceModels.modelName,
  modelCode: deviceModels.modelCode,
  typeId: deviceTypes.id,
  typeName: deviceTypes.typeName,
  hasBoards: sql<boolean>`cardinality(${deviceModels.boards}) > 0`.as('has_boards'),
}

/** Lists enabled models whose name or code contains the keyword. */
export async function listModelChoices({ db, user }: Ctx, { keyword }: ParsedOf<typeof calls.choices>) {
  if (!MODEL_READERS.some((permission) => user.can(permission))) throw forbidden()
  return db
    .select(CHOICE)
    .from(deviceModels)
    .innerJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
    .where(
      and(
        notDeleted(deviceModels),
        eq(deviceModels.status, 1),
        or(contains(deviceModels.modelName, keyword), contains(deviceModels.modelCode, keyword)),
      ),
    )
    .orderBy(asc(byName(deviceModels.modelName)))
    .limit(MAX_CHOICES)
}

/** Lists enabled types whose name or code contains the keyword. */
export const listTypeChoices = ({ db }: Ctx, { keyword }: ParsedOf<typeof calls.typeChoices>) =>
  db
    .select({ typeId: deviceTypes.id, typeName: deviceTypes.typeName, typeCode: deviceTypes.typeCode })
    .from(deviceTypes)
    .where(
      and(
        notDeleted(deviceTypes),
        eq(deviceTypes.status, 1),
        or(contains(deviceTypes.typeName, keyword), contains(deviceTypes.typeCode, keyword)),
      ),
    )
    .orderBy(asc(deviceTypes.sort), asc(byName(deviceTypes.typeName)))
    .limit(MAX_CHOICES)

const MAX_REPORTED_BOARDS = 200

/** Lists the boards of bound devices. Staff of the platform also see the boards of devices that wait for their binding. */
export async function listReportedBoards({ db, user, now }: Ctx) {
  const devices = sql<number>`count(*)::int`.as('devices')
  const bound = await db
    .select({ board: agentDevices.board, devices })
    .from(agentDevices)
    .where(and(ne(agentDevices.board, ''), scoped(user, { tenant: agentDevices.tenantId })))
    .groupBy(agentDevices.board)
    .orderBy(desc(devices), asc(agentDevices.board))
    .limit(MAX_REPORTED_BOARDS)
  const isWaiting = and(ne(agentCodes.board, ''), gt(agentCodes.expireTime, now.toISOString()))
  const waiting = user.isPlatform
    ? await db.selectDistinct({ board: agentCodes.board }).from(agentCodes).where(isWaiting).limit(MAX_REPORTED_BOARDS)
    : []
  const known = new Set(bound.map(({ board }) => board))
  const unbound = waiting.filter(({ board }) => !known.has(board)).map(({ board }) => ({ board, devices: 0 }))
  return { list: [...bound, ...unbound] }
}

export async function createModelQuickly(ctx: Ctx, input: ParsedOf<typeof calls.quickCreate>) {
  const { db, user, services } = ctx
  const { modelName, modelCode } = input
  const type = input.typeId ? await typeOf(db, input.typeId) : await newType(ctx, input.typeName!, input.typeCode!)
  const [made] = await db
    .insert(deviceModels)
    .values({ typeId: type.typeId, modelName, modelCode, createBy: user.uid, updateBy: user.uid })
    .onConflictDoNothing()
    .returning({ modelId: deviceModels.id })
  if (!made) throw await modelTaken(db, modelName)
  ctx.audit({
    bizType: 'deviceModel',
    bizId: made.modelId,
    action: `新增设备型号「${modelName}」，类型「${type.typeName}」${input.typeId ? '' : '（新增）'}`,
    diff: listChanges({}, { modelName, modelCode }, { modelName: '型号名称', modelCode: '型号编码' }),
  })
  await services.events.publish(db, 'changed', { resource: 'device', tenantId: null })
  return { ...made, modelName, modelCode, ...type, hasBoards: false }
}

async function typeOf(db: Db, typeId: number) {
  const [type] = await db
    .select({ typeId: deviceTypes.id, typeName: deviceTypes.typeName })
    .from(deviceTypes)
    .where(and(eq(deviceTypes.id, typeId), eq(deviceTypes.status, 1), notDeleted(deviceTypes)))
  if (!type) throw invalid('设备类型不存在或已停用', 'typeId')
  return type
}

async function newType({ db, user }: Ctx, typeName: string, typeCode: string) {
  const [made] = await db
    .insert(deviceTypes)
    .values({ typeName, typeCode, createBy: user.uid, updateBy: user.uid })
    .onConflictDoNothing()
    .returning({ typeId: deviceTypes.id, typeName: deviceTypes.typeName })
  if (made) return made
  const named = await db
    .select({ id: deviceTypes.id })
    .from(deviceTypes)
    .where(and(eq(deviceTypes.typeName, typeName), notDeleted(deviceTypes)))
  throw named.length ? conflict('类型名称已存在', 'typeName') : conflict('类型编码已存在', 'typeCode')
}

/** Returns the error for the unique field that is taken. */
async function modelTaken(db: Db, modelName: string) {
  const named = await db
    .select({ id: deviceModels.id })
    .from(deviceModels)
    .where(and(eq(deviceModels.modelName, modelName), notDeleted(deviceModels)))
  return named.length ? conflict('型号名称已存在', 'modelName') : conflict('型号编码已存在', 'modelCode')
}

const MAX_OPTIONS = 100

interface ModelsWanted {
  readonly keyword?: string | undefined
  readonly typeId?: number | undefined
}

/** Returns at most 100 models whose name or code contains the keyword, enabled models first. */
export const listModelOptions = (db: Db, { keyword, typeId }: ModelsWanted) =>
  db
    .select({
      id: deviceModels.id,
      name: deviceModels.modelName,
      modelCode: deviceModels.modelCode,
      typeName: sql<string>`coalesce(${deviceTypes.typeName}, '')`,
      status: deviceModels.status,
    })
    .from(deviceModels)
    .leftJoin(deviceTypes, eq(deviceTypes.id, deviceModels.typeId))
    .where(
      and(
        notDeleted(deviceModels),
        typeId === undefined ? undefined : eq(deviceModels.typeId, typeId),
        or(contains(deviceModels.modelName, keyword), contains(deviceModels.modelCode, keyword)),
      ),
    )
    .orderBy(desc(deviceModels.status), asc(byName(deviceModels.modelName)))
    .limit(MAX_OPTIONS)

/** Returns at most 100 device types whose name contains the keyword. */
export const listTypeOptions = (db: Db, { keyword }: Pick<ModelsWanted, 'keyword'>) =>
  db
    .select({ id: deviceTypes.id, name: deviceTypes.typeName })
    .from(deviceTypes)
    .where(and(notDeleted(deviceTypes), contains(deviceTypes.typeName, keyword)))
    .orderBy(asc(deviceTypes.sort), asc(byName(deviceTypes.typeName)))
    .limit(MAX_OPTIONS)

/**
 * Throws a field error for a deleted or disabled model. A row may keep the disabled model that it already has
 * (`before`). Locks the model against deletion until the transaction ends.
 */
export async function assertModelEnabled(db: Db, id: number, field: string, before?: number) {
  const [model] = await db
    .select({ status: deviceModels.status })
    .from(deviceModels)
    .where(and(eq(deviceModels.id, id), notDeleted(deviceModels)))
    .for('share')
  if (!model || (model.status !== 1 && id !== before)) throw invalid('设备型号不存在或已停用', field)
}
