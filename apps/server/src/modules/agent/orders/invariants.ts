/**
 * Returns one row with `what` for each violated invariant of voice package orders. Every grant must equal its ledger.
 * Every order must equal its targets, grants and refunds.
 */
export const ORDER_INVARIANT_QUERY = `
  select '套餐权益 ' || g.id as what from agent_grants g left join lateral (
      select coalesce(sum(amount) filter (where kind = 1), 0) as issued, coalesce(sum(amount) filter (where kind = 2), 0) as spent,
        coalesce(sum(amount) filter (where kind = 3), 0) as lapsed, coalesce(sum(amount) filter (where kind = 4), 0) as refunded,
        count(*) filter (where kind = 1) as issues
      from agent_ledger l where l.grant_id = g.id) l on true
    where g.total <> g.remaining + g.spent + g.lapsed + g.refunded or l.issues <> 1
      or l.issued <> g.total or l.spent <> g.spent or l.lapsed <> g.lapsed or l.refunded <> g.refunded
  union all select '已结束的套餐权益 ' || id from agent_grants
    where (state in (2, 3, 4) and remaining <> 0) or (state = 1) > (begin_time is not null and valid_until is not null)
      or (state = 0 and begin_time is not null) or (is_unlimited = 1 and total <> 0)
  union all select '流水 ' || l.id from agent_ledger l where not exists (
      select from agent_grants g where g.id = l.grant_id and g.order_id = l.order_id)
  union all select '订单对象 ' || o.order_no from agent_orders o where o.target_count <> (
      select count(*) from agent_order_targets t where t.order_id = o.id)
  union all select '订单权益 ' || o.order_no from agent_orders o join agent_product_versions v on v.id = o.package_version_id
    where (select count(*) from agent_grants g where g.order_id = o.id) <> case when o.state in (0, 4) then 0
      else o.target_count * o.copies * jsonb_array_length(v.allowances) end
  union all select '订单退款 ' || o.order_no from agent_orders o where o.refunded <> (
      select coalesce(sum(amount), 0) from agent_order_refunds r where r.order_id = o.id and r.state = 1)
      or (o.state = 2) <> exists (select from agent_order_refunds r where r.order_id = o.id and r.state = 0)
      or (o.state = 3) <> exists (select from agent_order_refunds r where r.order_id = o.id and r.state = 1)
  union all select '订单冻结 ' || o.order_no from agent_orders o where exists (select from agent_grants g
      where g.order_id = o.id and g.state < 2 and (g.is_frozen = 1) <> (o.state = 2))
  union all select '订单状态 ' || o.order_no from agent_orders o where o.state in (3, 5)
      and exists (select from agent_grants g where g.order_id = o.id and g.state < 2)
  union all select '订单套餐 ' || o.order_no from agent_orders o join agent_product_versions v on v.id = o.package_version_id
    where v.is_sold = 0 or (o.state not in (0, 4) and v.is_trial = 1 and o.target_count <> (
      select count(*) from agent_trials t where t.order_id = o.id))
  limit 100`
