import type { adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type Column, eq, sql, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { buildExposureExpression } from '../plays/play-sums.ts'
import { adPlayDays, adPlayFresh, adPlayHours } from '../schema-play.ts'
import { buildAdAttributeConditions, buildStatisticsGroupCondition } from './statistics-filters.ts'

type Query = ParsedOf<typeof calls.summary>
/** Filter of plays; `days` is the range of days. */
export type PlayFilter = Partial<Query> & Pick<Query, 'startDate' | 'endDate'>

interface Columns {
  readonly tenantId: Column
  readonly programId: Column
  readonly adId: Column
}

/** Returns the condition for devices of a serial number, a group and a tag; undefined without such a filter. */
export async function buildScreenCondition(
  db: Db,
  user: User,
  { sn, groupId, tag }: PlayFilter,
): Promise<SQL | undefined> {
  const conditions = [
    // `ad_names` keeps the serial numbers of deleted devices.
    sn ? sql`device_id in (select id from ad_names where kind = 3 and name = ${sn})` : undefined,
    groupId === undefined
      ? undefined
      : sql`device_id in (select id from devices where ${await buildStatisticsGroupCondition(db, user, groupId)})`,
    tag ? sql`device_id in (select id from devices where tags @> array[${tag}]::text[])` : undefined,
  ].filter((condition) => condition !== undefined)
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` and `)
}

/** Returns the condition for the plays that the account may see, limited by tenant, program, ad and ad attributes. */
export function buildPlayCondition(user: User, columns: Columns, filter: Partial<Query>): SQL {
  const { tenantId, programId, adId } = filter
  const { ownOnly } = user.scope
  const conditions = [
    scoped(user, { tenant: columns.tenantId }),
    // Plays have no creator. Accounts that see only their own records see the plays of their programs.
    ownOnly ? sql`${columns.programId} in (select id from ad_programs where create_by = ${user.uid})` : undefined,
    tenantId === undefined ? undefined : eq(columns.tenantId, tenantId),
    programId === undefined ? undefined : eq(columns.programId, programId),
    adId === undefined ? undefined : eq(columns.adId, adId),
    ...buildAdAttributeConditions(user, columns.adId, filter),
  ].filter((condition) => condition !== undefined)
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

const VALUES = sql.raw('plays, complete, partial, failed, ms, untrusted')

/** Returns a query of the sums by day, device, program and ad: merged rows and differences in one snapshot. */
export async function selectDaySums({ db, user }: Pick<Ctx, 'db' | 'user'>, filter: PlayFilter): Promise<SQL> {
  const screens = (await buildScreenCondition(db, user, filter)) ?? sql`true`
  const part = (table: typeof adPlayDays | typeof adPlayFresh, exposure: SQL) => sql`
    select day, device_id, program_id, ad_id, tenant_id, ${VALUES}, ${exposure} as exposure, first_start, last_end from ${table}
    where day between ${filter.startDate}::date and ${filter.endDate}::date and ${screens} and ${buildPlayCondition(user, table, filter)}`
  return sql`(${part(adPlayDays, sql`exposure`)} union all ${part(adPlayFresh, buildExposureExpression('ad_play_fresh'))})`
}

/** Returns the expression for the start in the zone of the day that is `days` days after `day`. */
export const buildDayStart = (day: string, days: number, zone: string): SQL =>
  sql`((${day}::date + ${days}::int)::timestamp at time zone ${zone})`

export interface HourFilter extends Omit<PlayFilter, 'sn' | 'groupId' | 'tag'> {
  readonly weekday?: number | undefined
  readonly hour?: number | undefined
}

/**
 * Returns a query of the sums by hour for a range of days, with `date`, `weekday` (1 to 7) and `hour` in the console's
 * zone. The sums by hour do not contain screens.
 */
export function selectHourSums({ user, services }: Pick<Ctx, 'user' | 'services'>, filter: HourFilter): SQL {
  const zone = services.config.timeZone
  const at = (day: string, days: number) => sql`extract(epoch from ${buildDayStart(day, days, zone)}) * 1000`
  const part = (table: typeof adPlayHours | typeof adPlayFresh) => sql`
    select to_timestamp(hour / 1000) at time zone ${zone} as local, tenant_id, program_id, ad_id, ${VALUES} from ${table}
    where hour >= ${at(filter.startDate, 0)} and hour < ${at(filter.endDate, 1)} and ${buildPlayCondition(user, table, filter)}`
  const chosen = [
    filter.weekday === undefined ? undefined : sql`weekday = ${filter.weekday}::int`,
    filter.hour === undefined ? undefined : sql`hour = ${filter.hour}::int`,
  ].filter((condition) => condition !== undefined)
  return sql`(select * from (
      select local::date as date, extract(isodow from local)::int as weekday, extract(hour from local)::int as hour, tenant_id, program_id, ad_id, ${VALUES}
      from (${part(adPlayHours)} union all ${part(adPlayFresh)}) h) w
    where ${chosen.length === 0 ? sql`true` : sql.join(chosen, sql` and `)})`
}

/** Sums of plays in the order of the contract. `plays` contains the plays without a trusted clock. */
export const PLAY_TOTALS =
  sql.raw(`coalesce(sum(plays + untrusted), 0)::float8 as plays, coalesce(sum(complete), 0)::float8 as complete,
  coalesce(sum(partial), 0)::float8 as partial, coalesce(sum(failed), 0)::float8 as failed,
  coalesce(sum(untrusted), 0)::float8 as untrusted, coalesce(sum(ms), 0)::float8 as ms`)

/** Returns the name of a record of `ad_names`, with a mark when it is deleted; empty without a record. */
export const buildMarkedName = (kind: 1 | 2 | 3 | 4, id: SQL): SQL =>
  sql`coalesce((select name || case when deleted = 1 then '（已删除）' else '' end from ad_names
    where kind = ${kind}::int and id = ${id}), '')`

/** Sum of the estimated exposure of rows of days, rounded to whole contacts. */
export const EXPOSURE_SQL = sql.raw('round(coalesce(sum(exposure), 0) / 100)::float8')

/** Columns of `PLAY_TOTALS`. */
export type PlayTotals = {
  plays: number
  complete: number
  partial: number
  failed: number
  untrusted: number
  ms: number
}

/** Name of a row of `ad_names` with the alias `n`; deleted rows are marked. */
export const DISPLAY_NAME_SQL = sql.raw(
  `coalesce(n.name || case when n.deleted = 1 then '（已删除）' else '' end, '未知')`,
)

/** Joins `ad_names` as `n`: kind 1 ad, 2 program, 3 device, 4 tenant. */
export const buildNameJoin = (kind: 1 | 2 | 3 | 4, column: SQL) =>
  sql`left join ad_names n on n.kind = ${sql.raw(String(kind))} and n.id = ${column}`
