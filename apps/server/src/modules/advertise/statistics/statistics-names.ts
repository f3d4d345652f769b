import type { AdStatRow } from '@oms/contract/advertise/statistics.ts'
import { and, asc, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { isInAnyGroup, GROUP_MEMBERSHIP_COLUMNS } from '#domain/fleet/device-filter.ts'
import { deviceGroups } from '#schema/device.ts'
import { buildNameJoin, DISPLAY_NAME_SQL } from './statistics-source.ts'

/** Maximum number of groups in one table. */
const MOST_GROUPS = 500

export type NamedGroup = Awaited<ReturnType<typeof selectVisibleGroups>>[number]

/** Returns the groups that the account may see. */
export const selectVisibleGroups = ({ db, user }: Pick<Ctx, 'db' | 'user'>) =>
  db
    .select({ ...GROUP_MEMBERSHIP_COLUMNS, name: deviceGroups.groupName, tenantId: deviceGroups.tenantId })
    .from(deviceGroups)
    .where(
      and(notDeleted(deviceGroups), scoped(user, { tenant: deviceGroups.tenantId, creator: deviceGroups.createBy })),
    )
    .orderBy(asc(deviceGroups.id))
    .limit(MOST_GROUPS)

/**
 * Returns a query of group and device, limited to the devices of `p`: static members, and devices that match a dynamic
 * rule.
 */
export function selectGroupMembers(groups: readonly NamedGroup[]): SQL {
  const parts = groups.map(({ tenantId, ...group }) => {
    const own = tenantId === PLATFORM_TENANT_ID ? sql`true` : sql`devices.tenant_id = ${tenantId}`
    return sql`select devices.id as device_id, ${group.id}::int as id from devices
      where devices.id in (select device_id from p) and ${own} and ${isInAnyGroup(group) ?? sql`true`}`
  })
  return parts.length === 0 ? sql`select 0 as device_id, 0 as id where false` : sql.join(parts, sql` union all `)
}

type Names = Pick<AdStatRow, 'name' | 'detail' | 'programId' | 'adId' | 'sn' | 'groupId' | 'tag'>
const NONE = { detail: '', programId: null, adId: null, sn: null, groupId: null, tag: null } as const

/** Returns the names of the rows of a table, in the order of the rows. */
export async function readStatisticsNames(
  db: Db,
  groupBy: number,
  groups: readonly NamedGroup[],
  rows: readonly { readonly key: string }[],
): Promise<Names[]> {
  if (groupBy === 3) return rows.map(({ key }) => ({ ...NONE, name: key, tag: key }))
  if (groupBy === 2) {
    const nameOf = new Map(groups.map(({ id, name }) => [id, name]))
    return rows.map(({ key }) => ({ ...NONE, name: nameOf.get(Number(key)) ?? '', groupId: Number(key) }))
  }
  return groupBy === 1 ? namesOfScreens(db, rows) : namesOfAds(db, rows)
}

type Keyed = readonly { readonly key: string }[]

async function namesOfScreens(db: Db, rows: Keyed): Promise<Names[]> {
  const ids = rows.map(({ key }) => Number(key))
  const screens = await lookUp(db, 3, ids)
  return ids.map((id) => ({ ...NONE, name: screens.get(id)?.shown ?? '', sn: screens.get(id)?.name ?? null }))
}

async function namesOfAds(db: Db, rows: Keyed): Promise<Names[]> {
  const ids = rows.map(({ key }) => key.split(':').map(Number) as [number, number])
  const programs = await lookUp(
    db,
    2,
    ids.map(([programId]) => programId),
  )
  const ads = await lookUp(
    db,
    1,
    ids.map(([, adId]) => adId),
  )
  return ids.map(([programId, adId]) => ({
    ...NONE,
    name: programs.get(programId)?.shown ?? '',
    detail: ads.get(adId)?.shown ?? '',
    programId,
    adId,
  }))
}

interface Found extends Record<string, unknown> {
  id: number
  name: string | null
  shown: string
}

async function lookUp(db: Db, kind: 1 | 2 | 3 | 4, ids: readonly number[]) {
  const { rows } = await db.execute<Found>(sql`
    select i.id, n.name, ${DISPLAY_NAME_SQL} as shown from unnest(${sql.param([...new Set(ids)])}::int[]) i (id) ${buildNameJoin(kind, sql`i.id`)}`)
  return new Map(rows.map((row) => [row.id, row]))
}
