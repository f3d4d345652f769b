/**
 * Query that returns one row with `what` for each violated invariant of stored videos. Every sum must equal its rows.
 */
export const VIDEO_BREACHES = `
  select 'stored of ' || coalesce(a.day, b.day) as what from (
      select expire_day as day, tenant_id, model_id, record_type, count(*)::int as n, sum(bytes)::bigint as bytes
      from oss_segments group by 1, 2, 3, 4) a
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
  union all select 'videos of a day of ' || o.device_id from oss_device_days o
    join lateral (select count(*)::int as n, coalesce(sum(bytes), 0)::bigint as bytes from oss_segments s
      where s.expire_day = any(o.expire_days) and s.device_id = o.device_id and s.channel = o.channel and s.day = o.day
        and s.tenant_id = o.tenant_id and s.owner_id = o.owner_id) s on true
    where o.removed_segments > 0 and (o.segments - o.removed_segments < s.n or o.bytes - o.removed_bytes < s.bytes)
  union all select 'rows of a dropped day ' || s.expire_day from oss_segments s
    join oss_days d on d.expire_day = s.expire_day and d.state = 3 group by s.expire_day
  union all select 'row without a partition ' || device_id from oss_segments_other
  limit 100`
