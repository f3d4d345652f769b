import { GRANT_STATE_CODE, GRANT_LEDGER_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { ORDER_STATE_CODE, PENDING_DAYS } from '@oms/contract/agent/orders/order-entities.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { runSteps } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { mergeUsage } from '../usage/fold-usage.ts'

const KIND = 'agent-grant-clock'
/** Grants and orders that one transaction changes. */
const MAX_CHANGED_ROWS = 5000

export function registerGrantSchedule(services: Services) {
  services.jobs.schedule(KIND, () => closeDueGrants(services), {
    title: '智能体套餐到期处理',
    cron: '40 */5 * * * *',
  })
}

/**
 * Lapses the rest of ended grants, closes orders that nobody confirmed, and finishes orders without open grants. First
 * merges and spends the use, so that use before the end of a grant is still spent.
 */
export async function closeDueGrants({ database, now, events, log }: Services) {
  const at = now().toISOString()
  await mergeUsage(database.db, { log })
  const done = { lapsed: 0, closed: 0, finished: 0 }
  const run = async (step: keyof typeof done, work: (db: Db, at: string) => Promise<number>) => {
    for (let count = MAX_CHANGED_ROWS; count === MAX_CHANGED_ROWS; done[step] += count)
      count = await database.db.transaction((db) => work(db, at))
  }
  const failedItems = await runSteps(
    { log, kind: KIND },
    {
      lapsed: () => run('lapsed', lapseGrants),
      closed: () => run('closed', closeOrders),
      finished: () => run('finished', finishOrders),
    },
  )
  if (done.lapsed + done.closed + done.finished > 0)
    await events.publish(database.db, 'changed', { resource: 'agent', tenantId: null })
  return { ...done, failedItems }
}

const count = async (db: Db, query: ReturnType<typeof sql>) => {
  const { rows } = await db.execute<{ n: number }>(query)
  return rows[0]!.n
}

const lapseGrants = (db: Db, at: string) =>
  count(
    db,
    sql`with due as materialized (
      select id, remaining from agent_grants
      where state < ${GRANT_STATE_CODE.used} and is_frozen = 0 and coalesce(valid_until, activate_until) <= ${at}::timestamptz
      order by coalesce(valid_until, activate_until), id limit ${MAX_CHANGED_ROWS} for update skip locked),
    done as (update agent_grants g set state = ${GRANT_STATE_CODE.lapsed}, lapsed = g.lapsed + due.remaining, remaining = 0
      from due where g.id = due.id returning g.id, g.tenant_id, g.order_id, g.valid_until is null as unused, due.remaining),
    lines as (insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day, oper_name, reason)
      select tenant_id, id, order_id, ${GRANT_LEDGER_CODE.lapse}, remaining, ${at}::timestamptz::date, '系统',
        case when unused then '未在激活期限内使用' else '有效期已过' end from done where remaining > 0)
    select count(*)::int as n from done`,
  )

const closeOrders = (db: Db, at: string) =>
  count(
    db,
    sql`with due as materialized (select id from agent_orders where state = ${ORDER_STATE_CODE.pending}
        and create_time <= ${at}::timestamptz - make_interval(days => ${PENDING_DAYS})
      order by id limit ${MAX_CHANGED_ROWS} for update skip locked),
    done as (update agent_orders o set state = ${ORDER_STATE_CODE.closed}, close_time = ${at}::timestamptz, update_time = ${at}::timestamptz,
        close_reason = ${`${PENDING_DAYS}天内未确认，自动关闭`}, rev = o.rev + 1 from due where o.id = due.id returning 1)
    select count(*)::int as n from done`,
  )

/**
 * Finishes paid orders without open grants. Locks the orders first and reads their grants again in the next statement,
 * because a call that changes the grants of an order locks the order.
 */
async function finishOrders(db: Db, at: string) {
  const hasNoOpenGrant = sql`not exists (select from agent_grants g where g.order_id = o.id and g.state < ${GRANT_STATE_CODE.used})`
  const { rows } = await db.execute<{ id: number }>(sql`select id from agent_orders o
    where state = ${ORDER_STATE_CODE.paid} and ${hasNoOpenGrant} order by id limit ${MAX_CHANGED_ROWS} for update skip locked`)
  const ids = sql.param(rows.map(({ id }) => id))
  return count(
    db,
    sql`with done as (update agent_orders o set state = ${ORDER_STATE_CODE.finished}, finish_time = ${at}::timestamptz,
        update_time = ${at}::timestamptz, rev = o.rev + 1 where id = any(${ids}::int[]) and ${hasNoOpenGrant} returning 1)
    select count(*)::int as n from done`,
  )
}
