/** Condition of days after the last day whose row has no entitlement. */
const HAS_ENTITLEMENT = `day > coalesce((select max(day) from oss_device_days where entitlement_id = 0), '-infinity'::date)`
/** Condition of rows of `oss_device_days` whose partitions all exist. */
const IS_LIVE = `${HAS_ENTITLEMENT} and expire_days <> '{}' and not exists (
  select from oss_days x where x.state = 3 and x.expire_day = any(expire_days))`

/**
 * Query that returns one row with `what` for each violated invariant of stored videos. Every sum must equal its rows.
 */
export const VIDEO_INVARIANT_QUERY = `
  select 'stored of ' || coalesce(a.day, b.day) as what from (
      select expire_day as day, tenant_id, model_id, record_type, count(*)::int as n, sum(bytes)::bigint as bytes
      from oss_segments where status <> 2 group by 1, 2, 3, 4) a
    full join (select expire_day as day, tenant_id, model_id, record_type, sum(segments)::int as n, sum(bytes)::bigint as bytes
      from oss_stored group by 1, 2, 3, 4) b using (day, tenant_id, model_id, record_type)
    where coalesce(a.n, 0) <> coalesce(b.n, 0) or coalesce(a.bytes, 0) <> coalesce(b.bytes, 0)
  union all select 'usage of ' || coalesce(a.day, b.day) from (
      select day, tenant_id, model_id, sum(segments)::int as n, sum(bytes)::bigint as bytes,
        sum(duration_ms)::bigint as ms, count(*)::int as days from oss_device_days
      where day > (select min(day) from oss_device_days) group by 1, 2, 3) a
    full join (select day, tenant_id, model_id, sum(segments)::int as n, sum(bytes)::bigint as bytes,
        sum(duration_ms)::bigint as ms, sum(device_days)::int as days from oss_usage_days
      where day > (select min(day) from oss_device_days) group by 1, 2, 3) b using (day, tenant_id, model_id)
    where (coalesce(a.n, 0), coalesce(a.bytes, 0), coalesce(a.ms, 0), coalesce(a.days, 0))
      <> (coalesce(b.n, 0), coalesce(b.bytes, 0), coalesce(b.ms, 0), coalesce(b.days, 0))
  union all select 'usage by recording type of ' || coalesce(a.day, b.day) from (
      select day, tenant_id, model_id, record_type, sum(segments)::int as n, sum(bytes)::bigint as bytes,
        count(*)::int as days from oss_device_days where ${HAS_ENTITLEMENT} group by 1, 2, 3, 4) a
    full join (select day, tenant_id, model_id, record_type, sum(segments)::int as n, sum(bytes)::bigint as bytes,
        sum(device_days)::int as days from oss_usage_days
      where ${HAS_ENTITLEMENT} and day >= (select min(day) from oss_device_days) group by 1, 2, 3, 4) b
      using (day, tenant_id, model_id, record_type)
    where (coalesce(a.n, 0), coalesce(a.bytes, 0), coalesce(a.days, 0))
      <> (coalesce(b.n, 0), coalesce(b.bytes, 0), coalesce(b.days, 0))
  union all select 'videos of entitlement ' || o.entitlement_id || ' on ' || o.day from (
      select * from oss_device_days where ${IS_LIVE}) o
    join lateral (select count(*)::int as n, coalesce(sum(bytes), 0)::bigint as bytes from oss_segments s
      where s.status <> 2 and s.expire_day = any(o.expire_days) and s.device_id = o.device_id and s.channel = o.channel and s.day = o.day
        and s.tenant_id = o.tenant_id and s.owner_id = o.owner_id and s.entitlement_id = o.entitlement_id) s on true
    where (o.segments - o.removed_segments, o.bytes - o.removed_bytes) <> (s.n, s.bytes)
  union all select 'videos of a day of ' || o.device_id from oss_device_days o
    join lateral (select count(*)::int as n, coalesce(sum(bytes), 0)::bigint as bytes from oss_segments s
      where s.status <> 2 and s.expire_day = any(o.expire_days) and s.device_id = o.device_id and s.channel = o.channel and s.day = o.day
        and s.tenant_id = o.tenant_id and s.owner_id = o.owner_id
        and (o.entitlement_id = 0 or s.entitlement_id = o.entitlement_id)) s on true
    where o.removed_segments > 0 and (o.segments - o.removed_segments < s.n or o.bytes - o.removed_bytes < s.bytes)
  union all select 'rows of a dropped day ' || s.expire_day from oss_segments s
    join oss_days d on d.expire_day = s.expire_day and d.state = 3 group by s.expire_day
  union all select 'row without a partition ' || device_id from oss_segments_other
  limit 100`
