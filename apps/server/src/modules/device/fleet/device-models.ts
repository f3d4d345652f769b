import { and, asc, desc, eq, or, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceModels, deviceTypes } from '../schema.ts'
import { invalid } from '#core/http/api-error.ts'
import { contains, byName } from '#core/database/lists/list-query.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

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
