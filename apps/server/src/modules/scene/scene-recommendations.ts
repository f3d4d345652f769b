import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { deviceTypes } from '#schema/device.ts'
import type { FieldChange } from '#schema/system.ts'
import { industries, sceneDeviceTypes, sceneIndustries } from '#schema/tenant.ts'
import { invalid } from '#core/http/api-error.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

/** Recommended industries and device types of a scene in a request. */
export interface SceneRecommendations {
  readonly industryIds: readonly number[]
  readonly deviceTypeIds: readonly number[]
}
interface Named {
  readonly id: number
  readonly name: string
}
const NONE: readonly Named[] = []

/** Adds the recommended industries and device types to scenes, with two queries for any number of scenes. */
export async function addRecommendations<Row extends { readonly id: number }>(db: Db, rows: readonly Row[]) {
  const ids = rows.map(({ id }) => id)
  const forIndustries = await industriesOf(db, ids)
  const forTypes = await typesOf(db, ids)
  return rows.map((row) => {
    const [industry, type] = [forIndustries.get(row.id) ?? NONE, forTypes.get(row.id) ?? NONE]
    return {
      ...row,
      industryIds: industry.map(({ id }) => id),
      industryNames: industry.map(({ name }) => name),
      deviceTypeIds: type.map(({ id }) => id),
      deviceTypeNames: type.map(({ name }) => name),
    }
  })
}

async function industriesOf(db: Db, sceneIds: readonly number[]) {
  if (sceneIds.length === 0) return new Map<number, Named[]>()
  const rows = await db
    .select({ sceneId: sceneIndustries.sceneId, id: industries.id, name: industries.name })
    .from(sceneIndustries)
    .innerJoin(industries, eq(industries.id, sceneIndustries.industryId))
    .where(and(inArray(sceneIndustries.sceneId, [...sceneIds]), notDeleted(industries)))
    .orderBy(asc(industries.sort), asc(industries.id))
  return Map.groupBy(rows, ({ sceneId }) => sceneId)
}

async function typesOf(db: Db, sceneIds: readonly number[]) {
  if (sceneIds.length === 0) return new Map<number, Named[]>()
  const rows = await db
    .select({ sceneId: sceneDeviceTypes.sceneId, id: deviceTypes.id, name: deviceTypes.typeName })
    .from(sceneDeviceTypes)
    .innerJoin(deviceTypes, eq(deviceTypes.id, sceneDeviceTypes.deviceTypeId))
    .where(and(inArray(sceneDeviceTypes.sceneId, [...sceneIds]), notDeleted(deviceTypes)))
    .orderBy(asc(deviceTypes.sort), asc(deviceTypes.id))
  return Map.groupBy(rows, ({ sceneId }) => sceneId)
}

/** Returns the condition for scenes that name this industry or its parent. */
export const isRecommendedForIndustry = (id: number | undefined): SQL | undefined =>
  id === undefined
    ? undefined
    : sql`scenes.id in (select si.scene_id from scene_industries si where si.industry_id = ${id}
        or si.industry_id = (select i.parent_id from industries i where i.id = ${id} and i.deleted_at is null))`

export const isRecommendedForDeviceType = (id: number | undefined): SQL | undefined =>
  id === undefined
    ? undefined
    : sql`scenes.id in (select sd.scene_id from scene_device_types sd where sd.device_type_id = ${id})`

/**
 * Throws unless the recommended entries exist, locks them against deletion, and returns the differences. Must run
 * before the scene is locked, because a deletion locks in this order. Refuses a disabled entry only when newly
 * added.
 */
export async function assertRecommendationsExist(
  db: Db,
  wanted: SceneRecommendations,
  sceneId?: number,
): Promise<FieldChange[]> {
  const [had] = await addRecommendations(db, [{ id: sceneId ?? 0 }])
  const { industryIds, deviceTypeIds } = wanted
  const forIndustries = industryIds.length
    ? await db
        .select({ id: industries.id, name: industries.name, status: industries.status })
        .from(industries)
        .where(and(inArray(industries.id, [...industryIds]), notDeleted(industries)))
        .orderBy(asc(industries.id))
        .for('share')
    : []
  assertAllFound(forIndustries, { wanted: industryIds, had: had!.industryIds, field: 'industryIds', noun: '行业' })
  const types = deviceTypeIds.length
    ? await db
        .select({ id: deviceTypes.id, name: deviceTypes.typeName, status: deviceTypes.status })
        .from(deviceTypes)
        .where(and(inArray(deviceTypes.id, [...deviceTypeIds]), notDeleted(deviceTypes)))
        .orderBy(asc(deviceTypes.id))
        .for('share')
    : []
  assertAllFound(types, { wanted: deviceTypeIds, had: had!.deviceTypeIds, field: 'deviceTypeIds', noun: '设备类型' })
  const names = (rows: readonly Named[]) => rows.map(({ name }) => name)
  return [
    ...(sameIds(industryIds, had!.industryIds)
      ? []
      : [{ field: 'industryIds', title: '推荐行业', from: had!.industryNames, to: names(forIndustries) }]),
    ...(sameIds(deviceTypeIds, had!.deviceTypeIds)
      ? []
      : [{ field: 'deviceTypeIds', title: '适用设备类型', from: had!.deviceTypeNames, to: names(types) }]),
  ]
}

const sameIds = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length && a.every((each) => b.includes(each))

function assertAllFound(
  found: readonly (Named & { status: number })[],
  about: { wanted: readonly number[]; had: readonly number[]; field: string; noun: string },
) {
  const { wanted, had, field, noun } = about
  const lost = wanted.length - found.length
  if (lost > 0) throw invalid(`所选${noun}中有${lost}个不存在或已被删除，请重新选择`, field)
  const off = found.find(({ id, status }) => status !== 1 && !had.includes(id))
  if (off) throw invalid(`${noun}「${off.name}」已停用，不能新选`, field)
}

/** Replaces the recommended industries and device types of a scene. */
export async function setRecommendations(
  db: Db,
  sceneId: number,
  { industryIds, deviceTypeIds }: SceneRecommendations,
) {
  await db.delete(sceneIndustries).where(eq(sceneIndustries.sceneId, sceneId))
  if (industryIds.length)
    await db.insert(sceneIndustries).values(industryIds.map((industryId) => ({ sceneId, industryId })))
  await db.delete(sceneDeviceTypes).where(eq(sceneDeviceTypes.sceneId, sceneId))
  if (deviceTypeIds.length)
    await db.insert(sceneDeviceTypes).values(deviceTypeIds.map((deviceTypeId) => ({ sceneId, deviceTypeId })))
}
