import { ORDER_STATE_CODE, PENDING_DAYS } from '@oms/contract/agent/orders/order-entities.ts'
import { GRANT_STATE_CODE, GRANT_LEDGER_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { ALLOWANCE_UNIT } from '@oms/contract/agent/packages/package-terms.ts'
import { USAGE_LIMIT } from '@oms/contract/agent/usage/usage-limit.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { runSteps, forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { mergeUsage } from '../usage/usage-merge.ts'

const CLOCK_KIND = 'agent-grant-clock'
/** Grants and orders that one transaction changes. */
const MAX_CHANGED_ROWS = 5000

export function registerGrantSchedule(services: Services) {
  services.jobs.schedule(CLOCK_KIND, () => closeDueGrants(services), {
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
    { log, kind: CLOCK_KIND },
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
        close_reason = ${`${PENDING_DAYS} 天内未确认，自动关闭`}, rev = o.rev + 1 from due where o.id = due.id returning 1)
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

const WARNING_KIND = 'agent-grant-notice'
/** Staff with this permission may list grants and receives the messages of its tenant. */
const QUERY = 'agent:order:query'
/** Days before the end, shortest first. A grant that is announced for 7 days is not announced for 30 days any more. */
const DAYS = [7, 30] as const
const SHARES = [5, 20] as const
/** Grants that one transaction announces with one message. */
const MAX_ANNOUNCED_GRANTS = 5000
const MAX_NAMES = 3

export function registerGrantWarnings(services: Services) {
  services.jobs.schedule(WARNING_KIND, () => runGrantWarnings(services), {
    title: '智能体套餐到期与余量提醒',
    cron: '50 */10 * * * *',
  })
}

/**
 * Announces each grant once 30 and 7 days before its end, once at 20 % and 5 % left, and once when it is used up. One
 * message contains all due grants of a tenant. A failure of one tenant does not stop the others. Ended grants are not
 * announced. A late run therefore sends only the most urgent message of each kind, however long the server was down.
 */
export async function runGrantWarnings(services: Services) {
  const at = services.now().toISOString()
  const warnings: readonly Warning[] = [
    ...DAYS.map((days) => endingWithin(days, at)),
    ...SHARES.map((share) => lowAt(share, at)),
    usedUp(at),
  ]
  await markUnneededWarnings(services.database.db, at)
  const due = warnings.map(
    ({ condition }) => sql`exists (select from agent_grants g where g.tenant_id = t.id and ${condition})`,
  )
  const { rows: tenants } = await services.database.db.execute<Tenant>(
    sql`select t.id as "tenantId" from tenants t where ${sql.join(due, sql` or `)} order by 1`,
  )
  const isolation = { log: services.log, kind: WARNING_KIND, name: ({ tenantId }: Tenant) => ({ tenantId }) }
  let warned = 0
  const { failed } = await forEachIsolated(tenants, isolation, async ({ tenantId }) => {
    for (const warning of warnings) warned += await announce(services, tenantId, warning)
  })
  return { warned, failedItems: failed.length }
}

interface Tenant extends Record<string, unknown> {
  readonly tenantId: number
}

/** Titles of units by number, as JSON. */
const UNIT_TITLES = JSON.stringify(ALLOWANCE_UNIT)

interface Announced extends Record<string, unknown> {
  readonly n: number
  readonly names: readonly string[]
  /** Packages with the unit of the grants in the warning, for example `畅聊包（对话轮数）`. */
  readonly packs: readonly string[]
  /** Earliest end of the announced grants. */
  readonly first: string
  /** Days of the earliest and the latest end of the announced grants. */
  readonly firstDay: string
  readonly lastDay: string
}

interface Warning {
  /** SQL condition of the due grants `g`. */
  readonly condition: ReturnType<typeof sql>
  /** SQL assignment that marks the announced grants. */
  readonly mark: ReturnType<typeof sql>
  readonly isUrgent: boolean
  title(n: number): string
  /** Filter of the list of grants to which the message links. */
  filter(announced: Announced): Readonly<Record<string, string>>
  text(announced: Announced): string
}

const RUNNING = String(GRANT_STATE_CODE.running)
const OPEN = sql`g.state = 1 and g.is_frozen = 0`
/** Another grant of the same target and unit that may be spent after `g`. */
const successor = (condition: ReturnType<typeof sql>) => sql`exists (select from agent_grants s
  where s.scope = g.scope and s.target_id = g.target_id and s.state < 2 and s.unit = g.unit and s.is_frozen = 0
    and s.id <> g.id and ${condition})`

/**
 * Returns the warning for grants that end within some days. A pack whose validity is not longer than these days is not
 * announced.
 */
const endingWithin = (days: number, at: string): Warning => ({
  condition: sql`${OPEN} and coalesce(g.warned_days, 100) > 7 and coalesce(g.warned_days, 100) > ${days}::int
    and g.valid_days > ${days}::int and g.valid_until > ${at}::timestamptz
    and g.valid_until <= ${at}::timestamptz + make_interval(days => ${days}::int)
    and not ${successor(sql`coalesce(s.valid_until, s.activate_until) > g.valid_until`)}`,
  mark: sql`warned_days = ${days}::smallint`,
  isUrgent: days <= 7,
  title: (n) => `${n}项语音套餐权益将在 ${days} 天内到期`,
  filter: ({ firstDay, lastDay }) => ({ state: RUNNING, validFrom: firstDay, validTo: lastDay }),
  text: ({ n, names, packs, first }) =>
    `${listText(names, n)}的套餐权益${packs.join('、')}将在 ${days} 天内到期，最早于 ${first} 到期，余量届时失效。`,
})

/** Returns the warning for running grants of which at most `share` percent are left. */
const lowAt = (share: number, at: string): Warning => ({
  condition: sql`${OPEN} and g.low_share < coalesce(g.warned_share, 100) and g.low_share <= ${share}::int
    and g.valid_until > ${at}::timestamptz
    and not ${successor(sql`case when s.state = 0 then s.activate_until > ${at}::timestamptz
      else s.valid_until > ${at}::timestamptz and s.low_share is null end`)}`,
  mark: sql`warned_share = ${share}::smallint`,
  isUrgent: share <= 5,
  title: (n) => `${n}项语音套餐权益剩余不足${share}%`,
  filter: () => ({ state: RUNNING }),
  text: ({ n, names, packs }) => `${listText(names, n)}的套餐权益${packs.join('、')}剩余不足${share}%。`,
})

/**
 * SQL condition for used grants that are neither announced nor settled. `agent_grants_used_up` indexes only these
 * grants.
 */
const USED = sql`g.state = 2 and coalesce(g.warned_share, 100) > 0`

/**
 * Returns the warning for used-up grants. A grant may be used up between two runs, without a run that sees 20 or 5
 * percent left.
 */
const usedUp = (at: string): Warning => ({
  condition: sql`${USED} and g.valid_until > ${at}::timestamptz and not ${hasSuccessor(at)}`,
  mark: sql`warned_share = 0`,
  isUrgent: true,
  title: (n) => `${n}项语音套餐权益已用完`,
  filter: () => ({ state: String(GRANT_STATE_CODE.used) }),
  text: ({ n, names, packs }) => `${listText(names, n)}的套餐权益${packs.join('、')}已用完。`,
})

const hasSuccessor = (at: string) => successor(sql`coalesce(s.valid_until, s.activate_until) > ${at}::timestamptz`)

/**
 * Settles used-up grants that need no message: another grant follows, or their period has ended. The mark keeps the
 * index of unannounced grants small. The grant that follows has a message of its own.
 */
async function markUnneededWarnings(db: Db, at: string) {
  for (let count = MAX_ANNOUNCED_GRANTS; count === MAX_ANNOUNCED_GRANTS; ) {
    const { rowCount } = await db.execute(sql`
      with due as materialized (select g.id from agent_grants g where ${USED}
        and (g.valid_until is null or g.valid_until <= ${at}::timestamptz or ${hasSuccessor(at)})
        order by g.tenant_id, g.id limit ${MAX_ANNOUNCED_GRANTS} for update skip locked)
      update agent_grants g set warned_share = 0 from due where g.id = due.id`)
    count = rowCount ?? 0
  }
}

const listText = (names: readonly string[], n: number) =>
  `${names.map((name) => `「${name}」`).join('、')}${n > names.length ? `等${n}项` : ''}`

/** Marks the due grants of a tenant and sends one message for them, in one transaction. */
async function announce(services: Services, tenantId: number, warning: Warning) {
  let sum = 0
  for (let count = MAX_ANNOUNCED_GRANTS; count === MAX_ANNOUNCED_GRANTS; sum += count)
    count = await services.database.db.transaction(async (db) => {
      const announced = await markDue(db, tenantId, warning)
      if (announced.n > 0) await notify(services, db, { tenantId, announced, warning })
      return announced.n
    })
  return sum
}

async function markDue(db: Db, tenantId: number, { condition, mark }: Warning): Promise<Announced> {
  const { rows } = await db.execute<Announced>(sql`
    with due as materialized (select g.id from agent_grants g where g.tenant_id = ${tenantId} and ${condition}
      order by g.id limit ${MAX_ANNOUNCED_GRANTS} for update skip locked),
    done as (update agent_grants g set ${mark} from due where g.id = due.id returning g.id, g.target_name, g.valid_until,
      g.order_id, g.unit)
    select count(*)::int as n, coalesce(to_char(min(valid_until), 'YYYY-MM-DD HH24:MI'), '') as first,
      coalesce(to_char(min(valid_until), 'YYYY-MM-DD'), '') as "firstDay",
      coalesce(to_char(max(valid_until), 'YYYY-MM-DD'), '') as "lastDay",
      array(select target_name from done group by 1 order by min(valid_until), 1 limit ${MAX_NAMES}) as names,
      array(select distinct '「' || o.package_name || '」（' || (${UNIT_TITLES}::json ->> done.unit::text) || '）'
        from done join agent_orders o on o.id = done.order_id order by 1 limit ${MAX_NAMES}) as packs from done`)
  return rows[0]!
}

interface Notice {
  readonly tenantId: number
  readonly announced: Announced
  readonly warning: Warning
}

/**
 * Returns the accounts that receive the warnings of a tenant: its own staff, else the staff of the platform, which sells
 * the packages. `prefix` names the tenant to the staff of the platform.
 */
async function recipientsOf(db: Db, tenantId: number) {
  const own = await listAccountsWithPermission(db, tenantId, QUERY)
  if (own.length > 0 || tenantId === PLATFORM_TENANT_ID) return { uids: own, prefix: '' }
  const { rows } = await db.execute<{ name: string }>(sql`select name from tenants where id = ${tenantId}`)
  const prefix = `客户「${rows[0]?.name ?? ''}」没有可以接收提醒的账号，请联系该客户。`
  return { uids: await listPlatformStaff(db, QUERY, [tenantId]), prefix }
}

async function notify(services: Services, db: Db, { tenantId, announced, warning }: Notice) {
  const params = await services.agentParameters.of(tenantId)
  const result =
    params.text('usage.limit') === USAGE_LIMIT.stop
      ? '设备没有其他套餐时停止对话，只播报提示语'
      : '设备没有其他套餐时仍可对话，用量不再扣套餐'
  const { uids, prefix } = await recipientsOf(db, tenantId)
  const owner = prefix === '' ? undefined : { tenantId: String(tenantId) }
  const query = new URLSearchParams({ view: 'grants', ...owner, ...warning.filter(announced) })
  await sendMessage(services, db, {
    topic: 'agent',
    title: warning.title(announced.n),
    text: `${prefix}${warning.text(announced)}\n用完或到期后，${result}。需要继续使用的，请续费。`,
    link: { path: `/agent/order?${query}`, text: '查看权益' },
    uids,
    priority: warning.isUrgent ? 3 : 2,
  })
}
