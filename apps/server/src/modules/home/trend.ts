import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { home as calls, TrendMetric } from '@oms/contract/home/home.ts'
import { sql, and, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { forbidden } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { rebuildFleetCounts, readCachedDeviceStatistic, formatScopeKey } from '#modules/device/fleet/fleet-counts.ts'
import { devices } from '#modules/device/schema.ts'
import { tickets, visibleTickets } from '#modules/ticket/index.ts'
import { canSeePlays, readPlays } from './ad-blocks.ts'
import { canSeeTickets } from './block.ts'
import { firstDay as from, readByDay } from './growth.ts'
import { canSeeDevices, canSeeTenants, readDeviceDistribution } from './fleet-blocks.ts'

export const SAMPLE_SPAN = { hour: 1, day: 2 } as const
/** Tenant id of the sample row for all devices. A sum of the tenants' peaks would exceed the real peak. */
const ALL_DEVICES_TENANT_ID = 0

const KIND = 'fleet-samples'

export function registerFleetSamples(services: Services) {
  services.jobs.schedule(KIND, () => sampleFleet(services), {
    title: '设备在线采样',
    cron: '50 */5 * * * *',
  })
}

/** Counts the devices. Records their number and the peak of online devices for this hour and day. Deletes old samples. */
export async function sampleFleet({ database, now, log }: Pick<Services, 'database' | 'now' | 'log'>) {
  const at = now().toISOString()
  let forgotten = 0
  const failedItems = await runSteps(
    { log, kind: KIND },
    {
      samples: async () => {
        await rebuildFleetCounts({ database })
        await addSamples(database.db, at)
      },
      oldSamples: async () => (forgotten = await deleteOldSamples(database.db, at)),
    },
  )
  return { forgotten, failedItems }
}

const addSamples = (db: Db, at: string) =>
  db.execute(sql`
    with counted as materialized (
      select coalesce(tenant_id, ${ALL_DEVICES_TENANT_ID}) as tenant_id, coalesce(sum(devices), 0)::int as devices,
        coalesce(sum(online), 0)::int as online
      from fleet_counts group by grouping sets ((), (tenant_id)))
    insert into fleet_samples (span, start, tenant_id, devices, online)
    select s.span, date_trunc(s.unit, ${at}::timestamptz), tenant_id, devices, online
    from counted, (values (${SAMPLE_SPAN.hour}::smallint, 'hour'), (${SAMPLE_SPAN.day}::smallint, 'day')) s(span, unit)
    on conflict (span, start, tenant_id)
      do update set devices = excluded.devices, online = greatest(fleet_samples.online, excluded.online)`)

/** Deletes the samples older than their retention. Returns their number. */
async function deleteOldSamples(db: Db, at: string): Promise<number> {
  const { rowCount } = await db.execute(sql`delete from fleet_samples
    where (span = ${SAMPLE_SPAN.hour} and start < ${at}::timestamptz - interval '8 days')
      or (span = ${SAMPLE_SPAN.day} and start < ${at}::timestamptz - interval '400 days')`)
  return rowCount ?? 0
}

/**
 * Permissions of the trends. They cover all devices of a tenant, so accounts with scope "own records" cannot see
 * them.
 */
const MAY: Readonly<Record<TrendMetric, (user: User) => boolean>> = {
  activated: canSeeDevices,
  online: (user) => canSeeDevices(user) && !user.scope.ownOnly,
  tickets: canSeeTickets,
  plays: canSeePlays,
}

export const listVisibleTrends = (user: User) =>
  (['activated', 'online', 'tickets', 'plays'] as const).filter((key) => MAY[key](user))
export const listVisibleDistributions = (user: User) =>
  (['type', 'model', 'version', 'region', 'tenant'] as const).filter(
    (by) => canSeeDevices(user) && (by !== 'tenant' || canSeeTenants(user)),
  )

export async function getTrend(ctx: Ctx, { metric, days }: ParsedOf<typeof calls.trend>) {
  if (!MAY[metric](ctx.user)) throw forbidden()
  const { points } = await readCachedDeviceStatistic(
    ctx.services,
    `trend ${metric} ${days} ${formatScopeKey(ctx.user)}`,
    () => LOAD[metric](ctx, 2 * days),
  )
  return { points: points.slice(-days), previous: points.slice(0, -days).map(({ value }) => value) }
}

type Points = Promise<{ rows: number; points: { day: string; value: number | null }[] }>

/** Returns one point for each day up to today, also for days without events. */
async function byDay({ db }: Ctx, days: number, counted: SQL, none: SQL): Points {
  const points = await readByDay<number | null>(db, days, counted, none)
  return { points, rows: points.reduce((sum, { value }) => sum + (value ?? 0), 0) }
}

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
  plays: async (ctx, days) => {
    const points = await readPlays(ctx, days)
    return { points, rows: points.length }
  },
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
