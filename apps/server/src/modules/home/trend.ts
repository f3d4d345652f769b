import type { home as calls, TrendMetric } from '@oms/contract/home/home.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, type SQL, sql } from 'drizzle-orm'
import { devices } from '#modules/device/schema.ts'
import { tickets } from '#modules/ticket/schema.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { readCachedDeviceStatistic, formatScopeKey } from '#modules/device/fleet/fleet-counts.ts'
import { forbidden } from '#core/http/api-error.ts'
import { canSeeDevices, canSeeTenants, readDeviceDistribution } from './fleet-figures.ts'
import { ALL_DEVICES_TENANT_ID, SAMPLE_SPAN } from './fleet-samples.ts'
import { visibleTickets } from '#modules/ticket/ticket.ts'
import { canSeeTickets } from './ticket-figures.ts'

/**
 * Permissions of the trends. They cover all devices of a tenant, so accounts with scope "own records" cannot see
 * them.
 */
const MAY: Readonly<Record<TrendMetric, (user: User) => boolean>> = {
  activated: canSeeDevices,
  online: (user) => canSeeDevices(user) && !user.scope.ownOnly,
  tickets: canSeeTickets,
}

export const listVisibleTrends = (user: User) =>
  (['activated', 'online', 'tickets'] as const).filter((key) => MAY[key](user))
export const listVisibleDistributions = (user: User) =>
  (['type', 'model', 'version', 'region', 'tenant'] as const).filter(
    (by) => canSeeDevices(user) && (by !== 'tenant' || canSeeTenants(user)),
  )

export async function getTrend(ctx: Ctx, { metric, days }: ParsedOf<typeof calls.trend>) {
  if (!MAY[metric](ctx.user)) throw forbidden()
  const { points } = await readCachedDeviceStatistic(
    ctx.services,
    `trend ${metric} ${days} ${formatScopeKey(ctx.user)}`,
    () => LOAD[metric](ctx, days),
  )
  return { points }
}

type Points = Promise<{ rows: number; points: { day: string; value: number | null }[] }>

/** Returns one point for each day up to today, also for days without events. */
async function byDay({ db }: Ctx, days: number, counted: SQL, none: SQL): Points {
  const { rows } = await db.execute<{ day: string; value: number | null }>(sql`
    with found as (${counted})
    select to_char(d, 'YYYY-MM-DD') as day, coalesce(n, ${none})::int as value
    from generate_series(date_trunc('day', now()) - make_interval(days => ${days - 1}), date_trunc('day', now()), '1 day') d
    left join found on found.at = d order by d`)
  return { points: rows, rows: rows.reduce((sum, { value }) => sum + (value ?? 0), 0) }
}

const from = (days: number) => sql`date_trunc('day', now()) - make_interval(days => ${days - 1})`
const zero = sql`0`

const LOAD: Readonly<Record<TrendMetric, (ctx: Ctx, days: number) => Points>> = {
  activated: (ctx, days) =>
    byDay(
      ctx,
      days,
      sql`select date_trunc('day', activate_time) as at, count(*) as n from devices
        where ${and(visibleDevices(ctx.user), sql`${devices.activateTime} >= ${from(days)}`)} group by 1`,
      zero,
    ),
  tickets: (ctx, days) =>
    byDay(
      ctx,
      days,
      sql`select date_trunc('day', create_time) as at, count(*) as n from tickets
        where ${and(visibleTickets(ctx.user), sql`${tickets.createTime} >= ${from(days)}`)} group by 1`,
      zero,
    ),
  online: (ctx, days) =>
    byDay(
      ctx,
      days,
      sql`select start as at, sum(online) as n from fleet_samples
        where span = ${SAMPLE_SPAN.day} and start >= ${from(days)} and ${visibleSamples(ctx.user)} group by 1`,
      sql`null`,
    ),
}

/** Returns the tenants whose samples the account reads: the total row, or the rows of its tenants. */
export function visibleSamples({ scope: { tenants } }: User) {
  if (tenants === 'all') return sql`tenant_id = ${ALL_DEVICES_TENANT_ID}`
  return sql`tenant_id = any(${sql.param([...tenants])}::int[])`
}

export async function getDistribution(ctx: Ctx, { by }: ParsedOf<typeof calls.distribution>) {
  if (!listVisibleDistributions(ctx.user).includes(by)) throw forbidden()
  return readDeviceDistribution(ctx, by)
}
