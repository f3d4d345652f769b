/**
 * Query that returns one row with `what` for each violated invariant of cloud storage. Every sum of the statistics must
 * equal its rows, and every entitlement must equal its ledger. `$1` is the current time, which tests replace.
 */
export const STORAGE_INVARIANT_QUERY = `
  select 'current entitlements of ' || device_id || ':' || channel as what from oss_entitlements
    where state in (1, 3) group by device_id, channel having count(*) > 1
  union all select 'overlapping span ' || id from (select id, from_time, lag(to_time) over (
      partition by device_id, channel order by from_time, to_time) as before from oss_spans) s where from_time < before
  union all select 'future span ' || id from oss_spans where to_time > $1::timestamptz + interval '1 second'
  union all select 'span of ' || e.id from oss_entitlements e where e.used_seconds <> (
      select coalesce(sum(extract(epoch from to_time - from_time)), 0) from oss_spans s where s.entitlement_id = e.id)
  union all select 'ledger of ' || e.id from oss_entitlements e where (
      select coalesce(sum(seconds), 0) from oss_ledger l where l.entitlement_id = e.id) <> case
        when state in (2, 4, 5) then 0
        when state = 1 then extract(epoch from end_time - run_from)
        when state = 3 then left_seconds
        else coalesce(left_seconds, total_seconds) end
  union all select 'ledger line ' || id from (select id, balance, sum(seconds) over (
      partition by entitlement_id order by id) as run from oss_ledger) l where balance <> run
  union all select 'amount of ' || e.id from oss_entitlements e where e.source <> 5 and e.amount <> (
      select coalesce(sum(amount), 0) from oss_ledger l where l.entitlement_id = e.id and l.kind = 1)
  union all select 'queue ' || q.device_id || ':' || q.channel from oss_queues q join lateral (
      select count(*) filter (where state = 3) as held, max(end_time) as last, count(*) as n from oss_entitlements e
      where e.device_id = q.device_id and e.channel = q.channel and e.state in (0, 1, 3)) e on true
    where q.suspended <> e.held or (e.held = 1 and q.end_time is not null)
      or (e.held = 0 and e.n > 0 and q.end_time is distinct from e.last)
  union all select 'counts of state ' || coalesce(a.state, b.state) from (
      select state, tenant_id, package_id, count(*)::int as n from oss_entitlements group by 1, 2, 3) a
    full join (select state, tenant_id, package_id, sum(n)::int as n from oss_counts group by 1, 2, 3) b
      on a.state = b.state and a.tenant_id = b.tenant_id and a.package_id = b.package_id
    where coalesce(a.n, 0) <> coalesce(b.n, 0)
  union all select 'ends of ' || coalesce(a.day, b.day) from (
      select end_time::date as day, tenant_id, count(*)::int as n from oss_queues
      where end_time is not null and next_time is not null group by 1, 2) a
    full join (select day, tenant_id, sum(n)::int as n from oss_ends group by 1, 2) b using (day, tenant_id)
    where coalesce(a.n, 0) <> coalesce(b.n, 0)
  union all select 'flows of ' || coalesce(a.day, b.day) || ' kind ' || coalesce(a.kind, b.kind) from (
      select at_time::date as day, tenant_id, package_id, source, case when kind = 1 then 1 + is_renewal
        when kind = 2 and balance = 0 then 3 when kind = 4 then 4 when kind = 3 then 5 end as kind,
        count(*)::int as n, sum(amount)::bigint as amount from oss_ledger group by 1, 2, 3, 4, 5) a
    full join (select day, tenant_id, package_id, source, kind, sum(n)::int as n, sum(amount)::bigint as amount
      from oss_flows group by 1, 2, 3, 4, 5) b using (day, tenant_id, package_id, source, kind)
    where kind is not null and (coalesce(a.n, 0) <> coalesce(b.n, 0) or coalesce(a.amount, 0) <> coalesce(b.amount, 0))
  union all select 'items of order ' || o.id from oss_orders o where o.amount <> (
      select coalesce(sum(amount), 0) from oss_order_items i where i.order_id = o.id)
  union all select 'entitlements of order item ' || i.id from oss_order_items i join oss_orders o on o.id = i.order_id
    where (o.pay_status in (1, 2, 3)) <> exists (select from oss_entitlements e where e.order_item_id = i.id)
      or (o.pay_status in (1, 2, 3) and i.amount <> (select coalesce(sum(amount), 0) from oss_entitlements e
        where e.order_item_id = i.id and e.source <> 5))
  union all select 'refunds of order ' || o.id from oss_orders o where o.refunded <> (
      select coalesce(sum(amount), 0) from oss_refunds r where r.order_id = o.id and r.state = 1)
      or o.refunded <> (select coalesce(sum(refunded), 0) from oss_order_items i where i.order_id = o.id)
      or (o.pay_status = 3) <> (o.refunded = o.amount and o.refunded > 0)
      or (o.pay_status = 2) <> (o.refunded > 0 and o.refunded < o.amount)
  union all select 'refunded amount of order item ' || i.id from oss_order_items i where i.refunded <> (
      select coalesce(-sum(l.amount), 0) from oss_ledger l join oss_entitlements e on e.id = l.entitlement_id
      where e.order_item_id = i.id and l.kind = 3)
  union all select 'allowance ' || a.id from oss_allowances a where a.quota - a.used <> (
      select coalesce(sum(amount), 0) from oss_allowance_ledger l where l.allowance_id = a.id)
  limit 100`

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
