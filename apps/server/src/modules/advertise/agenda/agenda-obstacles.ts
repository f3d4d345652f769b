import type { KnownObstacles } from '@oms/contract/advertise/engine/conflicts/because.ts'
import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { PROGRAM_STATUS, TARGET_TYPE } from '@oms/contract/advertise/program-words.ts'
import { and, gt, inArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { visiblePrograms } from '../visible-programs.ts'
import { adPrograms } from '../schema.ts'
import { devices } from '#modules/device/schema.ts'
import type { ScreenManifest } from '../screens/screen-manifest.ts'
import { readMissingAds } from '../programs/missing-ads.ts'
import type { StoredProgram } from '../programs/program-rows.ts'
import { buildTargetCondition } from '../programs/targets.ts'

const MAX_IDLE_PROGRAMS = 100
/**
 * Limits the queries of a call. A round reads up to `MAX_IDLE_PROGRAMS` programs, and each program with dynamic groups
 * needs one more query.
 */
const MAX_ROUNDS = 10

/**
 * Returns the obstacles that the schedule engine cannot derive from the manifest: programs that exceed the capacity of
 * the screen or are not in force, and ads that are not approved or disabled.
 */
export const readObstacles = async (
  reader: Pick<Ctx, 'db' | 'user'>,
  device: AgendaDevice,
  { manifest, left }: ScreenManifest,
): Promise<KnownObstacles> => ({
  programs: [
    ...left.map(({ id, name }) => ({ id, name, obstacle: 'beyondCapacity' as const })),
    ...(await idlePrograms(reader, device)),
  ],
  ads: await missingAds(reader.db, manifest),
})

interface AgendaDevice {
  readonly id: number
  readonly tenantId: number
  readonly modelId: number
}

/** Returns the drafts, waiting and paused programs of the caller's data scope whose targets include the device. */
async function idlePrograms({ db, user }: Pick<Ctx, 'db' | 'user'>, device: AgendaDevice) {
  const found = []
  let after = 0
  for (let round = 0; round < MAX_ROUNDS && found.length < MAX_IDLE_PROGRAMS; round++) {
    const some = await db
      .select()
      .from(adPrograms)
      .where(
        and(
          visiblePrograms(user),
          gt(adPrograms.id, after),
          inArray(adPrograms.status, [PROGRAM_STATUS.draft, PROGRAM_STATUS.waiting, PROGRAM_STATUS.paused]),
          sql`${adPrograms.dateTo} >= current_date - 1`,
          mayTarget(device),
        ),
      )
      .orderBy(adPrograms.id)
      .limit(MAX_IDLE_PROGRAMS)
    if (some.length === 0) break
    after = some.at(-1)!.id
    found.push(...(await targetingOf(db, some, device)))
  }
  return found.slice(0, MAX_IDLE_PROGRAMS)
}

/** Returns the condition for programs that may target a device. Assumes that dynamic groups contain the device. */
const mayTarget = ({ id, tenantId, modelId }: AgendaDevice) =>
  and(
    inArray(adPrograms.tenantId, [PLATFORM_TENANT_ID, tenantId]),
    sql`(${adPrograms.isDefault} = 1 or case ${adPrograms.targetType}
      when ${TARGET_TYPE.devices} then ${id}::int when ${TARGET_TYPE.models} then ${modelId}::int
      when ${TARGET_TYPE.tenants} then ${tenantId}::int end = any(${adPrograms.targetIds})
      or (${adPrograms.targetType} = ${TARGET_TYPE.groups} and exists (select from device_groups g
        where g.id = any(${adPrograms.targetIds}) and g.deleted_at is null and g.status = 1
          and (g.kind <> 1 or exists (select from device_group_members m
            where m.group_id = g.id and m.device_id = ${id}::int)))))`,
  )

/** Returns the programs whose targets include the device. */
async function targetingOf(db: Db, idle: readonly StoredProgram[], device: AgendaDevice) {
  const members: SQL[] = []
  for (const program of idle)
    members.push(sql`case when ${await buildTargetCondition(db, program)} then ${program.id}::int end`)
  const { rows } = await db.execute<{ ids: number[] }>(sql`
    select array_remove(array[${sql.join(members, sql`, `)}], null) as ids from devices where ${devices.id} = ${device.id}`)
  const targeted = new Set(rows[0]?.ids ?? [])
  return idle
    .filter(({ id }) => targeted.has(id))
    .map(({ id, programName, status }) => ({
      id,
      name: programName,
      obstacle: status === PROGRAM_STATUS.paused ? ('paused' as const) : ('unpublished' as const),
    }))
}

/** Returns the disabled and not approved ads that the programs use. */
function missingAds(db: Db, { programs, ads: present }: Manifest) {
  const wanted = new Set(programs.flatMap(({ items }) => items.map(({ adId }) => adId)))
  for (const { id } of present) wanted.delete(id)
  return readMissingAds(db, [...wanted])
}
