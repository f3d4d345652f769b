import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { computePercentage } from '@oms/contract/core/percent.ts'
import type { feedbackStat, StatRange } from '@oms/contract/ticket/ticket-statistics.ts'
import { and, between, eq, inArray, lt, type SQL, Subquery, sql } from 'drizzle-orm'
import type { Ctx, User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { accounts } from '#core/schema/account.ts'
import { ticketFacts, tickets } from './schema.ts'
import { isTicketOpen, visibleTickets } from './ticket.ts'

export type TicketStatQuery = ParsedOf<typeof feedbackStat.summary>
const DAY_MS = 86_400_000
/** Meaning of `ticket_facts.dim`; see the migration. */
export const FACT_DIMENSION = {
  created: 1,
  closed: 2,
  responded: 3,
  reopened: 4,
  rated: 5,
  late: 6,
  hours: 7,
  versions: 8,
  handlerClosed: 9,
  hardware: 11,
  software: 12,
  structure: 13,
  handlerReopened: 14,
  handlerRated: 15,
} as const

const ofType = (column: SQL, typeId: number | undefined) =>
  typeId === undefined ? undefined : sql`${column} in (select id from device_models where type_id = ${typeId}::int)`

/**
 * Returns the source of the facts, always with the name `ticket_facts`. Accounts that see only their own records get
 * the facts of their visible tickets; other accounts get the counted table. The counted table does not know whose
 * tickets it counts. `offset 0` keeps PostgreSQL from merging the function into the query, which then fails with
 * `variable not found in subplan target list`.
 */
export const selectFactSource = (user: User) =>
  (user.scope.ownOnly
    ? new Subquery(
        sql`select f.dim, f.day, ${tickets.tenantId}, coalesce(${tickets.modelId}, 0) as model_id, f.key, f.n, f.total
          from ${tickets} cross join lateral (select * from oms_ticket_facts(${tickets}) offset 0) f where ${visibleTickets(user) ?? sql`true`}`,
        {},
        'ticket_facts',
      )
    : ticketFacts) as unknown as typeof ticketFacts

/** Selects the counted facts that match a filter within the account's data scope. */
export const buildFactFilter = (
  user: User,
  { tenantId, typeId, modelId }: Partial<StatRange>,
  dims: readonly number[],
) =>
  and(
    inArray(ticketFacts.dim, [...dims]),
    scoped(user, { tenant: ticketFacts.tenantId }),
    tenantId === undefined ? undefined : eq(ticketFacts.tenantId, tenantId),
    modelId === undefined ? undefined : eq(ticketFacts.modelId, modelId),
    ofType(sql`${ticketFacts.modelId}`, typeId),
  )

/** Selects open tickets that match the filter. The period does not apply to open tickets. */
const buildOpenTicketFilter = (user: User, { tenantId, typeId, modelId }: Partial<StatRange>) =>
  and(
    isTicketOpen,
    visibleTickets(user),
    tenantId === undefined ? undefined : eq(tickets.tenantId, tenantId),
    modelId === undefined ? undefined : eq(tickets.modelId, modelId),
    ofType(sql`${tickets.modelId}`, typeId),
  )

const n = sql<number>`sum(${ticketFacts.n})::int`
const total = sql<number>`sum(${ticketFacts.total})::float8`

const countDaysOfPeriod = ({ startDate, endDate }: TicketStatQuery) =>
  Math.round((Date.parse(endDate) - Date.parse(startDate)) / DAY_MS) + 1

const rounded = (value: number, digits = 0) => Math.round(value * 10 ** digits) / 10 ** digits
const average = ({ n, total }: { n: number; total: number }, digits = 0) => (n > 0 ? rounded(total / n, digits) : null)

export async function getTicketSummary({ db, user }: Ctx, input: TicketStatQuery) {
  const { startDate, endDate } = input
  const since = addDays(startDate, -countDaysOfPeriod(input))
  const dims = [
    FACT_DIMENSION.created,
    FACT_DIMENSION.closed,
    FACT_DIMENSION.responded,
    FACT_DIMENSION.reopened,
    FACT_DIMENSION.rated,
    FACT_DIMENSION.late,
  ]
  const now = sql<boolean>`${ticketFacts.day} >= ${startDate}`
  const rows = await db
    .select({ dim: ticketFacts.dim, now, n, total })
    .from(selectFactSource(user))
    .where(and(buildFactFilter(user, input, dims), between(ticketFacts.day, since, endDate)))
    .groupBy(sql`1, 2`)
  const of = (dim: number, current = true) =>
    rows.find((row) => row.dim === dim && row.now === current) ?? { n: 0, total: 0 }
  const live = await standing({ db, user }, input)
  const created = of(FACT_DIMENSION.created).n
  return {
    created,
    closed: of(FACT_DIMENSION.closed).n,
    ...live,
    respondMinutes: average(of(FACT_DIMENSION.responded)),
    solveMinutes: average(of(FACT_DIMENSION.closed)),
    reopened: of(FACT_DIMENSION.reopened).n,
    reopenRate: computePercentage(of(FACT_DIMENSION.reopened).n, created),
    satisfaction: average(of(FACT_DIMENSION.rated), 2),
    rated: of(FACT_DIMENSION.rated).n,
    hitRate: computePercentage(created - of(FACT_DIMENSION.late).n, created),
    before: {
      created: of(FACT_DIMENSION.created, false).n,
      closed: of(FACT_DIMENSION.closed, false).n,
      respondMinutes: average(of(FACT_DIMENSION.responded, false)),
      solveMinutes: average(of(FACT_DIMENSION.closed, false)),
    },
  }
}

async function standing({ db, user }: Pick<Ctx, 'db' | 'user'>, input: TicketStatQuery) {
  const [row] = await db
    .select({
      backlog: sql<number>`count(*)::int`,
      unassigned: sql<number>`(count(*) filter (where ${tickets.handlerId} is null))::int`,
      breached: sql<number>`(count(*) filter (where ${tickets.slaState} = 3))::int`,
    })
    .from(tickets)
    .where(buildOpenTicketFilter(user, input))
  return row ?? { backlog: 0, unassigned: 0, breached: 0 }
}

export async function getTicketTrend(ctx: Ctx, input: TicketStatQuery) {
  const { db, user } = ctx
  const { startDate, endDate } = input
  const dims = [FACT_DIMENSION.created, FACT_DIMENSION.closed]
  const rows = await db
    .select({ dim: ticketFacts.dim, day: ticketFacts.day, n })
    .from(selectFactSource(user))
    .where(and(buildFactFilter(user, input, dims), between(ticketFacts.day, startDate, endDate)))
    .groupBy(ticketFacts.dim, ticketFacts.day)
  const [base] = await db
    .select({
      open: sql<number>`coalesce(sum(case when ${ticketFacts.dim} = 1 then ${ticketFacts.n} else -${ticketFacts.n} end), 0)::int`,
    })
    .from(selectFactSource(user))
    .where(and(buildFactFilter(user, input, dims), lt(ticketFacts.day, startDate)))
  const counts = new Map(rows.map((row) => [`${row.dim} ${row.day}`, row.n]))
  let backlog = base?.open ?? 0
  const days = Array.from({ length: countDaysOfPeriod(input) }, (_, at) => {
    const day = addDays(startDate, at)
    const created = counts.get(`${FACT_DIMENSION.created} ${day}`) ?? 0
    const closed = counts.get(`${FACT_DIMENSION.closed} ${day}`) ?? 0
    backlog += created - closed
    return { day, created, closed, backlog }
  })
  return { days: upToToday(ctx, days), releases: await releasesIn(ctx, input) }
}

/** Removes future days. */
function upToToday<D extends { day: string }>({ services, now }: Ctx, days: D[]) {
  const today = formatLocalDay(now, services.config.timeZone)
  return days.filter(({ day }) => day <= today)
}

/** Lists firmware enabled within the period, as markers of the chart. */
async function releasesIn({ db, user }: Ctx, { startDate, endDate, typeId, modelId }: TicketStatQuery) {
  const { rows } = await db.execute<{ day: string; modelName: string; verName: string; modelId: number }>(sql`
    select to_char(v.enable_time, 'YYYY-MM-DD') as day, m.model_name as "modelName", v.ver_name as "verName",
      v.model_id as "modelId"
    from ota_versions v join device_models m on m.id = v.model_id
    where v.deleted_at is null and v.enable_time >= ${startDate} and v.enable_time < ${endDate}::date + 1
      ${user.scope.tenants === 'all' ? sql`` : sql`and v.tenant_id = any(${sql.param([1, ...user.scope.tenants])}::int[])`}
      ${modelId === undefined ? sql`` : sql`and v.model_id = ${modelId}`}
      ${typeId === undefined ? sql`` : sql`and m.type_id = ${typeId}`}
    order by v.enable_time limit 200`)
  return rows
}

export async function getProblemStatistic({ db, user }: Ctx, input: TicketStatQuery) {
  const dims = [FACT_DIMENSION.created, FACT_DIMENSION.hardware, FACT_DIMENSION.software, FACT_DIMENSION.structure]
  const rows = await db
    .select({ dim: ticketFacts.dim, key: ticketFacts.key, count: n })
    .from(selectFactSource(user))
    .where(and(buildFactFilter(user, input, dims), between(ticketFacts.day, input.startDate, input.endDate)))
    .groupBy(ticketFacts.dim, ticketFacts.key)
    .having(sql`sum(${ticketFacts.n}) > 0`)
  const of = (dim: number) =>
    rows
      .filter((row) => row.dim === dim)
      .map(({ key, count }) => ({ key, count }))
      .sort((a, b) => b.count - a.count || Number(a.key) - Number(b.key))
  return {
    types: of(FACT_DIMENSION.created),
    hardware: of(FACT_DIMENSION.hardware),
    software: of(FACT_DIMENSION.software),
    structure: of(FACT_DIMENSION.structure),
  }
}

export async function getHandlerStatistic({ db, user }: Ctx, input: TicketStatQuery) {
  const dims = [FACT_DIMENSION.handlerClosed, FACT_DIMENSION.handlerReopened, FACT_DIMENSION.handlerRated]
  const rows = await db
    .select({ dim: ticketFacts.dim, key: ticketFacts.key, n, total })
    .from(selectFactSource(user))
    .where(and(buildFactFilter(user, input, dims), between(ticketFacts.day, input.startDate, input.endDate)))
    .groupBy(ticketFacts.dim, ticketFacts.key)
  const open = await db
    .select({ uid: tickets.handlerId, name: sql<string>`max(${tickets.handler})`, count: sql<number>`count(*)::int` })
    .from(tickets)
    .where(and(buildOpenTicketFilter(user, input), sql`${tickets.handlerId} is not null`))
    .groupBy(tickets.handlerId)
  const uids = [...new Set([...rows.map(({ key }) => Number(key)), ...open.map(({ uid }) => uid ?? 0)])]
  const names = await namesOf({ db }, uids)
  const of = (dim: number, uid: number) =>
    rows.find((row) => row.dim === dim && Number(row.key) === uid) ?? { n: 0, total: 0 }
  return uids
    .map((uid) => ({
      uid,
      realname: names.get(uid) ?? open.find((row) => row.uid === uid)?.name ?? `账号${uid}`,
      open: open.find((row) => row.uid === uid)?.count ?? 0,
      closed: of(FACT_DIMENSION.handlerClosed, uid).n,
      solveMinutes: average(of(FACT_DIMENSION.handlerClosed, uid)),
      reopened: of(FACT_DIMENSION.handlerReopened, uid).n,
      satisfaction: average(of(FACT_DIMENSION.handlerRated, uid), 2),
    }))
    .filter(({ open, closed, reopened }) => open + closed + reopened > 0)
    .sort((a, b) => b.closed - a.closed || b.open - a.open)
    .slice(0, 100)
}

async function namesOf({ db }: Pick<Ctx, 'db'>, uids: number[]) {
  if (uids.length === 0) return new Map<number, string>()
  const rows = await db
    .select({ uid: accounts.uid, name: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account})` })
    .from(accounts)
    .where(inArray(accounts.uid, uids))
  return new Map(rows.map(({ uid, name }) => [uid, name]))
}

export async function getTicketHeatmap({ db, user }: Ctx, input: TicketStatQuery) {
  const rows = await db
    .select({ key: ticketFacts.key, count: n })
    .from(selectFactSource(user))
    .where(
      and(
        buildFactFilter(user, input, [FACT_DIMENSION.hours]),
        between(ticketFacts.day, input.startDate, input.endDate),
      ),
    )
    .groupBy(ticketFacts.key)
    .having(sql`sum(${ticketFacts.n}) > 0`)
  return rows.map(({ key, count }) => {
    const [weekday = 1, hour = 0] = key.split('-').map(Number)
    return { weekday, hour, count }
  })
}

/** Age classes of open tickets in days: 0-1, 2-3, 4-7, 8-15, more. */
const AGES = [
  [0, 1],
  [2, 3],
  [4, 7],
  [8, 15],
  [16, null],
] as const

export async function getBacklogAges({ db, user }: Ctx, input: TicketStatQuery) {
  const days = sql`floor(extract(epoch from now() - ${tickets.createTime}) / 86400)`
  const bucket = sql<number>`case when ${days} <= 1 then 0 when ${days} <= 3 then 1 when ${days} <= 7 then 2
    when ${days} <= 15 then 3 else 4 end`
  const rows = await db
    .select({
      bucket,
      count: sql<number>`count(*)::int`,
      breached: sql<number>`(count(*) filter (where ${tickets.slaState} = 3))::int`,
    })
    .from(tickets)
    .where(buildOpenTicketFilter(user, input))
    .groupBy(sql`1`)
  return AGES.map(([minAge, maxAge], at) => {
    const found = rows.find(({ bucket }) => bucket === at)
    const label = maxAge === null ? '15 天以上' : `${minAge}-${maxAge} 天`
    return { label, minAge, maxAge, count: found?.count ?? 0, breached: found?.breached ?? 0 }
  })
}
