import type { AdStatRow, adStats as calls } from '@oms/contract/advertise/statistics.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { computePercentage } from '@oms/contract/core/percent.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { computePageOffset } from '#core/database/lists/list-query.ts'
import type { Ctx } from '#core/http/context.ts'
import { formatLocalTime } from '#core/time/zone.ts'
import {
  selectAdAttributeKeys,
  selectGroupMembers,
  type NamedGroup,
  selectVisibleGroups,
  type AdAttribute,
  nameAdAttribute,
} from './statistics-filters.ts'
import {
  selectDaySums,
  selectHourSums,
  EXPOSURE_SQL,
  PLAY_TOTALS,
  type PlayTotals,
  buildNameJoin,
  DISPLAY_NAME_SQL,
} from './statistics-source.ts'
import { sumPlays } from './statistics.ts'

type Query = ParsedOf<typeof calls.detail>
/** Part of the context that calls and jobs have. */
type Reader = Pick<Ctx, 'db' | 'user' | 'services'>

interface FoundFigures extends PlayTotals, Record<string, unknown> {
  key: string
  /** Number of distinct screens. Figures of single screens are null in an analysis by hour. */
  screens: number | null
  /** Played milliseconds of all ads on the screens of the row: the denominator of the share. */
  all: number | null
  exposure: number | null
  first: number | null
  last: number | null
}

type Page = FoundFigures & { total: number; allTotal: number | null }

const SORTED: Readonly<Record<NonNullable<Query['orderByColumn']>, string>> = {
  plays: 'plays',
  complete: 'complete',
  partial: 'partial',
  failed: 'failed',
  ms: 'ms',
  screens: 'screens',
  completeRate: 'complete / nullif(plays - untrusted, 0)',
  share: 'ms / nullif("all", 0)',
  exposure: 'exposure',
}

function pageOf(input: Query) {
  const direction = input.isAsc === 'asc' ? 'asc nulls first' : 'desc nulls last'
  const order = sql.raw(`${SORTED[input.orderByColumn ?? 'plays']} ${direction}, key`)
  return sql`order by ${order} limit ${input.pageSize} offset ${computePageOffset(input)}`
}

/** Returns one page of the table with the row of totals, in which every screen counts once. */
export async function listDetails(ctx: Reader, input: Query) {
  const groups = input.groupBy === 2 ? await selectVisibleGroups(ctx) : []
  const isByHour = input.weekday !== undefined || input.hour !== undefined
  const { rows, sum } = isByHour ? await hourRows(ctx, input) : await dayRows(ctx, input, groups)
  const named = await readStatisticsNames(ctx.db, input.groupBy, groups, rows)
  const present = presenter(ctx)
  return {
    list: rows.map((row, at) => present(row, named[at]!)),
    total: rows[0]?.total ?? 0,
    sum: present(sum, NO_NAMES),
  }
}

/** Returns a query that adds the `key` of the chosen grouping to `p`, the sums by program, ad and device. */
function keyed({ user }: Reader, groupBy: Query['groupBy'], groups: readonly NamedGroup[]): SQL {
  if (groupBy === 1) return sql`select device_id::text as key, p.* from p`
  if (groupBy === 2)
    return sql`select m.id::text as key, p.* from p join (${selectGroupMembers(groups)}) m using (device_id)`
  if (groupBy === 3)
    return sql`select m.tag as key, p.* from p join (select id as device_id, unnest(tags) as tag from devices
      where id in (select device_id from p)) m using (device_id)`
  return keyedByAd(user, groupBy)
}

/** Returns a query that adds the `key` of program and ad, or of an attribute of the ad, to `p`. */
const keyedByAd = (user: Ctx['user'], groupBy: Query['groupBy']): SQL =>
  groupBy === 4 || groupBy === 5
    ? sql`select f.key, p.* from p join (${selectAdAttributeKeys(user, groupBy === 4 ? 'advertiser' : 'contractNo')}) f using (ad_id)`
    : sql`select program_id || ':' || ad_id as key, p.* from p`

const PLAIN_SUMS =
  sql.raw(`sum(plays) as plays, sum(complete) as complete, sum(partial) as partial, sum(failed) as failed,
  sum(untrusted) as untrusted, sum(ms) as ms`)

async function dayRows(ctx: Reader, input: Query, groups: readonly NamedGroup[]) {
  const { programId, adId, advertiser, contractNo, ...rest } = input
  const isPart = [programId, adId, advertiser, contractNo].some((filter) => filter !== undefined)
  const everything = isPart
    ? sql`select device_id, sum(ms) as ms from ${await selectDaySums(ctx, rest)} e
        where device_id in (select device_id from p) group by 1`
    : sql`select device_id, sum(ms) as ms from p group by 1`
  const { rows } = await ctx.db.execute<Page>(sql`
    with p as materialized (select program_id, ad_id, device_id, ${PLAIN_SUMS}, sum(exposure) as exposure, min(first_start) as first, max(last_end) as last
        from ${await selectDaySums(ctx, input)} d group by 1, 2, 3),
      a as materialized (${everything}),
      s as (select key, device_id, ${PLAIN_SUMS}, sum(exposure) as exposure, min(first) as first, max(last) as last
        from (${keyed(ctx, input.groupBy, groups)}) k group by 1, 2),
      g as (select key, ${PLAY_TOTALS}, count(*) filter (where plays + untrusted > 0)::int as screens, sum(a.all_ms)::float8 as "all",
          ${EXPOSURE_SQL} as exposure,
          min(first)::float8 as first, max(last)::float8 as last
        from s join (select device_id, ms as all_ms from a) a using (device_id)
        group by key)
    select *, count(*) over ()::int as total, (select sum(ms) from a)::float8 as "allTotal" from g ${pageOf(input)}`)
  const totals = await sumPlays(ctx, input)
  return { rows, sum: { ...totals, key: '', all: rows[0]?.allTotal ?? null } }
}

const NO_SCREENS =
  sql.raw(`null::int as screens, null::float8 as "all", null::float8 as exposure, null::float8 as first,
  null::float8 as last`)

async function hourRows(ctx: Reader, input: Query) {
  const source = selectHourSums(ctx, input)
  const { rows } = await ctx.db.execute<Page>(sql`
    with p as (select * from ${source} w),
      h as materialized (select key, ${HOUR_SUMS} from (${keyedByAd(ctx.user, input.groupBy)}) k group by 1)
    select *, ${NO_SCREENS}, count(*) over ()::int as total from h where plays + failed > 0 ${pageOf(input)}`)
  const { rows: sums } = await ctx.db.execute<FoundFigures>(sql`
    select '' as key, ${HOUR_SUMS}, ${NO_SCREENS} from ${source} w`)
  return { rows, sum: sums[0]! }
}

/** Sums without the plays of an unknown hour. */
const HOUR_SUMS = sql.raw(`coalesce(sum(plays), 0)::float8 as plays, coalesce(sum(complete), 0)::float8 as complete,
  coalesce(sum(partial), 0)::float8 as partial, coalesce(sum(failed), 0)::float8 as failed, 0::float8 as untrusted,
  coalesce(sum(ms), 0)::float8 as ms`)

function presenter({ services }: Reader) {
  const timeOf = (ms: number | null) => (ms === null ? null : formatLocalTime(ms, services.config.timeZone))
  return (
    { key, plays, complete, partial, failed, untrusted, ms, screens, all, exposure, first, last }: FoundFigures,
    names: Omit<
      AdStatRow,
      keyof PlayTotals | 'key' | 'completeRate' | 'screens' | 'share' | 'exposure' | 'firstTime' | 'lastTime'
    >,
  ): AdStatRow => ({
    key,
    ...names,
    plays,
    complete,
    partial,
    failed,
    untrusted,
    ms,
    completeRate: computePercentage(complete, plays - untrusted),
    screens,
    share: all === null ? null : computePercentage(ms, all),
    exposure,
    firstTime: timeOf(first),
    lastTime: timeOf(last),
  })
}

type Names = Pick<
  AdStatRow,
  'name' | 'detail' | 'programId' | 'adId' | 'sn' | 'groupId' | 'tag' | 'advertiser' | 'contractNo'
>
const NONE = {
  detail: '',
  programId: null,
  adId: null,
  sn: null,
  groupId: null,
  tag: null,
  advertiser: null,
  contractNo: null,
} as const
/** Empty names, for the row of totals. */
const NO_NAMES = { ...NONE, name: '' } as const

/** Returns the names of the rows of a table, in the order of the rows. */
async function readStatisticsNames(
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
  if (groupBy === 4) return namesOfAdAttributes('advertiser', rows)
  if (groupBy === 5) return namesOfAdAttributes('contractNo', rows)
  return groupBy === 1 ? namesOfScreens(db, rows) : namesOfAds(db, rows)
}

type Keyed = readonly { readonly key: string }[]

const namesOfAdAttributes = (attribute: AdAttribute, rows: Keyed): Names[] =>
  rows.map(({ key }) => {
    const { name, value } = nameAdAttribute(attribute, key)
    return { ...NONE, name, [attribute]: value }
  })

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

interface FoundName extends Record<string, unknown> {
  id: number
  name: string | null
  shown: string
}

async function lookUp(db: Db, kind: 1 | 2 | 3 | 4, ids: readonly number[]) {
  const { rows } = await db.execute<FoundName>(sql`
    select i.id, n.name, ${DISPLAY_NAME_SQL} as shown from unnest(${sql.param([...new Set(ids)])}::int[]) i (id) ${buildNameJoin(kind, sql`i.id`)}`)
  return new Map(rows.map((row) => [row.id, row]))
}
