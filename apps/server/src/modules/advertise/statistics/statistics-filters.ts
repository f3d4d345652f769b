import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, sql, eq, ne, type Column, type SQL } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { contains } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { GROUP_MEMBERSHIP_COLUMNS, matchesRule } from '#modules/device/device-filter.ts'
import { deviceGroups, type GroupRule } from '#modules/device/schema.ts'
import { HIDDEN_AD_NAME } from '../programs/program-items.ts'
import { adPrograms, ads } from '../schema.ts'

type Query = ParsedOf<typeof calls.ads>
const MAX_OPTIONS = 100
/** Prefix of the key of a value. */
const VALUE_KEY = '='
/** Key of all ads outside the data scope, whose attributes are hidden. */
const HIDDEN_KEY = '-'
/** Maximum number of groups in one table. */
const MAX_GROUPS = 500
const STATIC = 1

/** Name of a record with a mark when it is deleted. The statistics include deleted records. */
const markDeleted = (name: AnyPgColumn, { deletedAt }: Readonly<Record<'deletedAt', AnyPgColumn>>) =>
  sql<string>`${name} || case when ${deletedAt} is null then '' else '（已删除）' end`

type Listed = typeof ads | typeof adPrograms | typeof deviceGroups

/** Returns records as options of a filter, deleted ones last. */
async function listMarked(
  { db, user }: Ctx,
  keyword: string | undefined,
  table: Listed,
  name: AnyPgColumn,
  order = desc,
) {
  const list = await db
    .select({ id: table.id, name: markDeleted(name, table) })
    .from(table as typeof ads)
    .where(and(scoped(user, { tenant: table.tenantId, creator: table.createBy }), contains(name, keyword)))
    .orderBy(sql`${table.deletedAt} is not null`, order(table.id))
    .limit(MAX_OPTIONS)
  return { list }
}

export const listPlayedAds = (ctx: Ctx, { keyword }: Query) => listMarked(ctx, keyword, ads, ads.adName)
export const listProgramOptions = (ctx: Ctx, { keyword }: Query) =>
  listMarked(ctx, keyword, adPrograms, adPrograms.programName)
export const listGroupOptions = (ctx: Ctx, { keyword }: Query) =>
  listMarked(ctx, keyword, deviceGroups, deviceGroups.groupName, asc)

/**
 * Attributes of an ad by which plays are filtered and grouped. All plays of an ad count for its present values. Deleted ads
 * keep their values.
 */
const COLUMNS = { advertiser: ads.advertiser, contractNo: ads.contractNo } as const
export type AdAttribute = keyof typeof COLUMNS
const NOT_ENTERED: Readonly<Record<AdAttribute, string>> = { advertiser: '未填写广告主', contractNo: '未填写合同编号' }

/** Limits the attributes to ads of the data scope. The statistics show only the names of other ads. */
const inScope = (user: User) => scoped(user, { tenant: ads.tenantId })

/** Returns the conditions for plays of ads with these attributes. */
export function buildAdAttributeConditions(
  user: User,
  adId: Column,
  filter: Partial<Record<AdAttribute, string | undefined>>,
): SQL[] {
  const chosen = (Object.keys(COLUMNS) as AdAttribute[]).flatMap((attribute) => {
    const value = filter[attribute]
    return value ? [eq(COLUMNS[attribute], value)] : []
  })
  if (chosen.length === 0) return []
  return [sql`${adId} in (select ${ads.id} from ${ads} where ${and(...chosen, inScope(user))})`]
}

/** Returns a query of `ad_id` and `key` for the ads of `p`. Ads with the same value have the same key. */
export const selectAdAttributeKeys = (user: User, attribute: AdAttribute): SQL => sql`
  select i.ad_id, coalesce(${VALUE_KEY} || ${COLUMNS[attribute]}, ${HIDDEN_KEY}) as key
  from (select distinct ad_id from p) i left join ${ads} on ${and(sql`${ads.id} = i.ad_id`, inScope(user))}`

/** Returns the display name of a key, and the filter value that selects its plays; null when no filter selects them. */
export function nameAdAttribute(attribute: AdAttribute, key: string): { name: string; value: string | null } {
  if (key === HIDDEN_KEY) return { name: HIDDEN_AD_NAME, value: null }
  const value = key.slice(VALUE_KEY.length)
  return value === '' ? { name: NOT_ENTERED[attribute], value: null } : { name: value, value }
}

/**
 * Returns the distinct values of an attribute as options of a filter. Includes deleted ads, whose plays still count.
 */
async function listValues({ db, user }: Ctx, { keyword }: ParsedOf<typeof calls.advertisers>, attribute: AdAttribute) {
  const column = COLUMNS[attribute]
  const rows = await db
    .selectDistinct({ name: column })
    .from(ads)
    .where(
      and(scoped(user, { tenant: ads.tenantId, creator: ads.createBy }), ne(column, ''), contains(column, keyword)),
    )
    .orderBy(asc(column))
    .limit(MAX_OPTIONS)
  return { list: rows }
}

export const listAdvertisers = (ctx: Ctx, input: ParsedOf<typeof calls.advertisers>) =>
  listValues(ctx, input, 'advertiser')
export const listContractNos = (ctx: Ctx, input: ParsedOf<typeof calls.contracts>) =>
  listValues(ctx, input, 'contractNo')

export type NamedGroup = Awaited<ReturnType<typeof selectVisibleGroups>>[number]

/** Returns the groups that the account may see, deleted groups last. */
export const selectVisibleGroups = ({ db, user }: Pick<Ctx, 'db' | 'user'>) =>
  db
    .select({
      ...GROUP_MEMBERSHIP_COLUMNS,
      name: markDeleted(deviceGroups.groupName, deviceGroups),
      tenantId: deviceGroups.tenantId,
    })
    .from(deviceGroups)
    .where(scoped(user, { tenant: deviceGroups.tenantId, creator: deviceGroups.createBy }))
    .orderBy(sql`${deviceGroups.deletedAt} is not null`, asc(deviceGroups.id))
    .limit(MAX_GROUPS)

interface Group {
  readonly id: number
  readonly kind: number
  readonly rule: GroupRule | null
  readonly tenantId: number
}

/**
 * Returns the condition for the devices of a group. Devices of a static group are its present members and its members
 * at the deletion of the device or of the group. Devices of a dynamic group match its rule. A tenant's group contains
 * only devices of the tenant.
 */
function buildMemberCondition({ id, kind, rule, tenantId }: Group): SQL {
  const own = tenantId === PLATFORM_TENANT_ID ? sql`true` : sql`devices.tenant_id = ${tenantId}`
  const member =
    kind === STATIC
      ? sql`devices.id in (select device_id from device_group_members where group_id = ${id}
          union all select device_id from ad_former_members where group_id = ${id})`
      : (matchesRule(rule ?? {}) ?? sql`true`)
  return sql`${own} and ${member}`
}

/** Returns the condition for the devices of a group, which may be deleted. An invisible group matches no device. */
export async function buildStatisticsGroupCondition(db: Db, user: User, groupId: number): Promise<SQL> {
  const [group] = await db
    .select({ ...GROUP_MEMBERSHIP_COLUMNS, tenantId: deviceGroups.tenantId })
    .from(deviceGroups)
    .where(and(eq(deviceGroups.id, groupId), scoped(user, { tenant: deviceGroups.tenantId })))
  return group ? buildMemberCondition(group) : sql`false`
}

/** Returns a query of group and device ids, limited to the devices of `p`. */
export function selectGroupMembers(groups: readonly NamedGroup[]): SQL {
  const parts = groups.map(
    (group) => sql`select devices.id as device_id, ${group.id}::int as id from devices
      where devices.id in (select device_id from p) and ${buildMemberCondition(group)}`,
  )
  return parts.length === 0 ? sql`select 0 as device_id, 0 as id where false` : sql.join(parts, sql` union all `)
}
