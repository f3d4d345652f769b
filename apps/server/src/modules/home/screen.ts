import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { and, isNull, sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { readCachedDeviceStatistic, formatScopeKey } from '#modules/device/fleet/fleet-counts.ts'
import { tickets, isTicketOpen as openTickets, visibleTickets } from '#modules/ticket/index.ts'
import { otaVersions, visibleTasks } from '#modules/upgrade/index.ts'
import { canSeeTickets } from './block.ts'
import { readFleetCounts, canSeeDevices, canSeeTenants, readDeviceDistribution } from './fleet-blocks.ts'
import { SAMPLE_SPAN, visibleSamples } from './trend.ts'

const MAX_RELEASES = 6
const FLOW_DAYS = 14
const today = sql`date_trunc('day', now())`

export async function getBigScreenFleet(ctx: Ctx) {
  if (!canSeeDevices(ctx.user)) return null
  const { state } = await readFleetCounts(ctx)
  return {
    state,
    regions: await readDeviceDistribution(ctx, 'region'),
    models: await readDeviceDistribution(ctx, 'model'),
    tenants: canSeeTenants(ctx.user) ? await readDeviceDistribution(ctx, 'tenant') : null,
  }
}

export async function getBigScreenOnlineCounts({ db, user }: Ctx) {
  if (!canSeeDevices(user) || user.scope.ownOnly) return null
  const { rows } = await db.execute<{ hour: string; value: number | null }>(sql`
    with found as (select start, sum(online) as n from fleet_samples
      where span = ${SAMPLE_SPAN.hour} and start >= date_trunc('hour', now()) - interval '23 hours' and ${visibleSamples(user)}
      group by start)
    select to_char(h, 'HH24:MI') as hour, n::int as value
    from generate_series(date_trunc('hour', now()) - interval '23 hours', date_trunc('hour', now()), '1 hour') h
    left join found on found.start = h order by h`)
  return { points: rows }
}

interface Release extends Record<string, unknown> {
  otaId: number
  modelName: string
  verName: string
  verCode: number
  state: number
  percent: number
}

const FIRMWARE = 1
const SOFTWARE = 2

/** Lists running and paused formal releases with the results of their tasks, newest first. */
export async function getBigScreenReleases(ctx: Ctx) {
  const { db, user, services } = ctx
  const kinds = [
    ...(user.can('upgrade:ota:list') ? [FIRMWARE] : []),
    ...(user.can('upgrade:GeneralSoftware:list') ? [SOFTWARE] : []),
  ]
  if (kinds.length === 0) return null
  const seen = and(
    notDeleted(otaVersions),
    scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }),
  )
  const { rows } = await db.execute<Release>(sql`
    select ota_versions.ota_id as "otaId", m.model_name as "modelName", ver_name as "verName", ver_code as "verCode",
      p.state, p.percent
    from ota_policies p join ota_versions on ota_versions.ota_id = p.ota_id join device_models m on m.id = model_id
    where p.mode = 2 and p.state in (0, 3) and ota_versions.kind = any(${sql.param(kinds)}::int[]) and ota_versions.status = 1 and ${seen ?? sql`true`}
    order by p.update_time desc, p.ota_id desc limit ${MAX_RELEASES}`)
  const ids = rows.map(({ otaId }) => otaId)
  const counts = await readCachedDeviceStatistic(services, `releases ${ids.join(',')} ${formatScopeKey(user)}`, () =>
    progressOf(ctx, ids),
  )
  const none = { total: 0, succeeded: 0, failed: 0 }
  return { list: rows.map((row) => ({ ...row, ...none, ...counts.of.get(row.otaId) })) }
}

async function progressOf({ db, user }: Ctx, ids: readonly number[]) {
  const { rows } = await db.execute<{ otaId: number; total: number; succeeded: number; failed: number }>(sql`
    select ota_id as "otaId", count(*)::int as total,
      count(*) filter (where state = ${TASK_STATE_CODE.succeeded})::int as succeeded,
      count(*) filter (where state = ${TASK_STATE_CODE.failed} and not retried)::int as failed
    from ota_tasks where ota_id = any(${sql.param(ids)}::int[])
      and ${visibleTasks(user) ?? sql`true`} and not (state >= ${TASK_STATE_CODE.succeeded} and retried)
    group by ota_id`)
  return { of: new Map(rows.map((row) => [row.otaId, row])), rows: rows.reduce((sum, { total }) => sum + total, 0) }
}

/** Counts pending tickets, and the new and closed tickets of the last days. */
export async function getBigScreenTickets({ db, user }: Ctx) {
  if (!canSeeTickets(user)) return null
  const seen = visibleTickets(user)
  const [open] = await db
    .select({
      open: sql<number>`count(*)::int`,
      unassigned: sql<number>`count(*) filter (where ${isNull(tickets.handlerId)})::int`,
      breached: sql<number>`count(*) filter (where sla_state = 3)::int`,
    })
    .from(tickets)
    .where(and(seen, openTickets))
  const from = sql`${today} - make_interval(days => ${FLOW_DAYS - 1})`
  const { rows: days } = await db.execute<{ day: string; created: number; closed: number }>(sql`
    with came as (select date_trunc('day', create_time) as at, count(*) as n from tickets
        where create_time >= ${from} and ${seen ?? sql`true`} group by 1),
      went as (select date_trunc('day', close_time) as at, count(*) as n from tickets
        where close_time is not null and close_time >= ${from} and ${seen ?? sql`true`} group by 1)
    select to_char(d, 'MM-DD') as day, coalesce(came.n, 0)::int as created, coalesce(went.n, 0)::int as closed
    from generate_series(${from}, ${today}, '1 day') d left join came on came.at = d left join went on went.at = d
    order by d`)
  const last = days.at(-1)
  return {
    ...(open ?? { open: 0, unassigned: 0, breached: 0 }),
    createdToday: last?.created ?? 0,
    closedToday: last?.closed ?? 0,
    days,
  }
}
