import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { StorageSettings } from '@oms/contract/storage/setting.ts'
import type { storageStats as calls, Simulation } from '@oms/contract/storage/statistics.ts'
import { MIN_SAMPLE } from '@oms/contract/storage/statistics.ts'
import { sql } from 'drizzle-orm'
import type { Ctx } from '#core/http/context.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { readStorageSettings } from '#domain/storage/settings.ts'

type Input = ParsedOf<typeof calls.simulate>
/** Approximate number of rows in a sample. A row has the uploads of one channel on one day under one entitlement. */
const SAMPLE = 50_000
const DAYS_A_MONTH = 30
const GIGABYTE = 1e9
/** Length of a period in months, by type: weeks, months, years. */
const MONTHS: Readonly<Record<Input['periodType'], number>> = { 1: 7 / DAYS_A_MONTH, 2: 1, 3: 12 }

interface Sample extends Record<string, unknown> {
  readonly devices: number
  readonly median: number | null
  readonly p90: number | null
  readonly segments: number | null
}

/**
 * Estimates cost and margin of a package per device-month. The sample measures one channel, and the price covers all
 * channels of the package.
 */
export async function simulatePackage(ctx: Ctx, input: Input): Promise<Simulation> {
  const [sample, settings] = [await sampleOf(ctx, input), await readStorageSettings(ctx.db)]
  const measured = await measurePlayedShare(ctx, input)
  const costs = { ...settings, playedShare: measured ?? settings.playedShare }
  const revenue = input.price / (MONTHS[input.periodType] * input.periodCount)
  const none = { medianMb: null, p90Mb: null, store: null, put: null, out: null, cost: null, p90Cost: null }
  const { devices } = sample
  const share = { playedShare: Math.round(costs.playedShare * 10) / 10, isShareMeasured: measured !== null }
  if (devices < MIN_SAMPLE || sample.median === null || sample.p90 === null)
    return { devices, ...share, ...none, revenue: Math.round(revenue), margin: null }
  const [median, p90] = [sample.median * input.channels, sample.p90 * input.channels]
  const segments = (sample.segments ?? 0) * input.channels
  const parts = computeMonthlyCosts({ bytes: median, segments }, input.storageDays, costs)
  const high = computeMonthlyCosts({ bytes: p90, segments }, input.storageDays, costs)
  return {
    devices,
    ...share,
    medianMb: megabytes(median),
    p90Mb: megabytes(p90),
    ...parts,
    p90Cost: high.cost,
    revenue: Math.round(revenue),
    margin: Math.round(revenue - parts.cost),
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10

/** Returns the costs of a device-month in fen. The settings are in thousandths of a fen. */
export function computeMonthlyCosts(
  day: { readonly bytes: number; readonly segments: number },
  storageDays: number,
  { storeCost, putCost, outCost, playedShare }: StorageSettings,
) {
  const gigabytes = day.bytes / GIGABYTE
  const store = (gigabytes * storageDays * storeCost) / 1000
  const put = ((DAYS_A_MONTH * day.segments) / 10_000) * (putCost / 1000)
  const out = (gigabytes * DAYS_A_MONTH * playedShare * outCost) / 100 / 1000
  const round = (fen: number) => Math.round(fen * 10) / 10
  return { store: round(store), put: round(put), out: round(out), cost: round(store + put + out) }
}

/**
 * Measures the uploads of a channel on each of the last seven complete days. A large table is sampled by pages at random,
 * so that no tenant and no day is preferred.
 */
async function sampleOf({ db, now, services }: Ctx, { recordType, modelIds }: Input): Promise<Sample> {
  const today = formatLocalDay(now, services.config.timeZone)
  const ofModels = modelIds.length === 0 ? sql`true` : sql`model_id = any(${sql.param(modelIds)}::int[])`
  const inRange = sql`day between ${today}::date - 7 and ${today}::date - 1 and record_type = ${recordType} and ${ofModels}`
  const { rows: sums } = await db.execute<{ total: number }>(
    sql`select coalesce(sum(device_days), 0)::float8 as total from oss_usage_days where ${inRange}`,
  )
  const percent = Math.min(100, (SAMPLE / Math.max(1, sums[0]!.total)) * 100)
  const { rows } = await db.execute<Sample>(sql`
    select count(distinct device_id)::int as devices, avg(segments)::float8 as segments,
      percentile_cont(0.5) within group (order by bytes)::float8 as median,
      percentile_cont(0.9) within group (order by bytes)::float8 as p90
    from (select device_id, sum(segments) as segments, sum(bytes) as bytes
      from oss_device_days tablesample system (${percent}) repeatable (1) where ${inRange}
      group by device_id, channel, day) d`)
  return rows[0]!
}

/** Number of complete days over which the played share is measured. */
const PLAY_DAYS = 30
/** Minimum age of the first counted play, in days. */
const MIN_PLAY_DAYS = 7

/**
 * Returns the percentage of the uploaded bytes that was played in the same complete days. Returns null when the first
 * counted play is less than seven days old, or when nothing was uploaded.
 */
async function measurePlayedShare({ db, now, services }: Ctx, { recordType, modelIds }: Input): Promise<number | null> {
  const today = formatLocalDay(now, services.config.timeZone)
  const ofModels = modelIds.length === 0 ? sql`true` : sql`model_id = any(${sql.param(modelIds)}::int[])`
  const { rows } = await db.execute<{ share: number | null }>(sql`
    with range as (select greatest(${today}::date - ${PLAY_DAYS}::int, min(day)) as first from oss_play_days
      having min(day) is not null),
    bytes as (
      select (select sum(bytes) from oss_play_days where day >= first and day < ${today}::date
          and record_type = ${recordType} and ${ofModels}) as played,
        (select sum(bytes) from oss_usage_days where day >= first and day < ${today}::date
          and record_type = ${recordType} and ${ofModels}) as uploaded
      from range where first <= ${today}::date - ${MIN_PLAY_DAYS}::int)
    select (100 * coalesce(played, 0) / nullif(uploaded, 0))::float8 as share from bytes`)
  return rows[0]?.share ?? null
}
