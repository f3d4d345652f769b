import { TARGET_TYPE } from '@oms/contract/advertise/program-words.ts'
import { type SQL, sql } from 'drizzle-orm'

/** Id that stands for any tenant, in the rows of `selectGroupTenants` and `selectTargetTenants`. */
export const ANY_TENANT = 0
const PLATFORM = sql`1`
const STATIC = sql`1`

/** SQL expressions of the targets of a program, or of a version of a program. */
interface TargetColumns {
  readonly targetType: SQL
  readonly targetIds: SQL
  /**
   * True for a default program, which ignores the targets and reaches all devices. The condition never yields NULL.
   */
  readonly isDefault: SQL
}
/** `counted` includes deleted groups and devices. Used for texts that may still name deleted rows. */
type DeletedRows = 'ignored' | 'counted'

const isPresent = (alias: SQL, deletedRows: DeletedRows) =>
  deletedRows === 'counted' ? sql`true` : sql`${alias}.deleted_at is null`

/**
 * Selects the tenants whose devices the groups may contain (column `id`), with duplicates. A group of a tenant contains
 * devices of that tenant. A dynamic group of the platform may contain devices of any tenant.
 */
export const selectGroupTenants = (groupIds: SQL, deletedRows: DeletedRows = 'ignored'): SQL => sql`
  select case when g.tenant_id <> ${PLATFORM} then g.tenant_id when g.kind <> ${STATIC} then ${ANY_TENANT}::int
    else d.tenant_id end as id
  from device_groups g
  left join device_group_members m on m.group_id = g.id and g.tenant_id = ${PLATFORM} and g.kind = ${STATIC}
  left join devices d on d.id = m.device_id and ${isPresent(sql`d`, deletedRows)}
  where g.id = any(${groupIds}) and ${isPresent(sql`g`, deletedRows)}
    and (g.tenant_id <> ${PLATFORM} or g.kind <> ${STATIC} or d.id is not null)`

/**
 * Selects the tenants that a program of the platform may reach (column `id`), with duplicates. Models and default
 * programs reach any tenant.
 */
export const selectTargetTenants = (
  { targetType, targetIds, isDefault }: TargetColumns,
  deletedRows: DeletedRows = 'ignored',
): SQL => sql`
  select ${ANY_TENANT}::int as id
    where ${isDefault} or (${targetType} = ${TARGET_TYPE.models} and cardinality(${targetIds}) > 0)
  union all select t.id from unnest(${targetIds}) t(id) where ${targetType} = ${TARGET_TYPE.tenants} and not ${isDefault}
  union all select d.tenant_id from devices d where ${targetType} = ${TARGET_TYPE.devices} and not ${isDefault}
    and d.id = any(${targetIds}) and ${isPresent(sql`d`, deletedRows)}
  union all select g.id from (${selectGroupTenants(targetIds, deletedRows)}) g
    where ${targetType} = ${TARGET_TYPE.groups} and not ${isDefault}`
