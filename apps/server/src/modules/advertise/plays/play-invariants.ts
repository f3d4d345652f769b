const SUM_COLUMNS = 'array[sum(plays), sum(complete), sum(partial), sum(failed), sum(ms), sum(untrusted)]::numeric[]'
const TRUSTED = 'array[sum(plays), sum(complete), sum(partial), sum(failed), sum(ms)]::numeric[]'

/**
 * Query that returns the violated invariants of plays, one row each with its name in `what`. The sums by hour, the sums
 * by day and the single plays must be equal. Plays without a trusted clock are compared by hour and day only.
 * Parameters: the console's time zone, and the first local day whose single plays are all kept.
 */
export const AD_PLAY_INVARIANT_QUERY = `
  with columns_of_days as (
      select day, tenant_id, plays, complete, partial, failed, ms, untrusted from ad_play_days
      union all select day, tenant_id, plays, complete, partial, failed, ms, untrusted from ad_play_fresh),
    columns_of_hours as (
      select tenant_id, plays, complete, partial, failed, ms, untrusted from ad_play_hours
      union all select tenant_id, plays, complete, partial, failed, ms, untrusted from ad_play_fresh),
    hours as (
      select tenant_id, ${SUM_COLUMNS} as sums
      from columns_of_hours group by 1),
    totals as (
      select tenant_id, ${SUM_COLUMNS} as sums
      from columns_of_days group by 1),
    days as (
      select day, tenant_id, ${TRUSTED} as sums
      from columns_of_days where day >= $2::date group by 1, 2),
    plays as (
      select (to_timestamp(start_ms / 1000.0) at time zone $1)::date as day, tenant_id,
        array[coalesce(sum(count) filter (where result < 3), 0), coalesce(sum(count) filter (where result = 1), 0),
          coalesce(sum(count) filter (where result = 2), 0), coalesce(sum(count) filter (where result = 3), 0),
          coalesce(sum(ms) filter (where result < 3), 0)]::numeric[] as sums
      from ad_plays where clock > 0 and play_day >= $2::date - 1 group by 1, 2),
    empty as (select array[0, 0, 0, 0, 0]::numeric[] as sums)
  select 'hours and days of tenant ' || tenant_id as what from hours full join totals using (tenant_id)
    where hours.sums is distinct from totals.sums
  union all select 'plays of ' || day || ' of tenant ' || tenant_id from (select * from plays where day >= $2::date) p
    full join days using (day, tenant_id) cross join empty
    where coalesce(p.sums, empty.sums) <> coalesce(days.sums, empty.sums)
  limit 100`
