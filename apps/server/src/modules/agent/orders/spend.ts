import { GRANT_STATE_CODE, GRANT_LEDGER_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { computeValidUntil } from '@oms/contract/agent/packages/pack-clock.ts'
import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/** An open grant. Times in milliseconds, amounts in base units. */
export interface OpenGrant {
  readonly id: number
  readonly orderId: number
  /** 1 device, 2 agent, 3 tenant. */
  readonly scope: number
  readonly targetId: number
  readonly packNo: number
  readonly unit: number
  readonly isUnlimited: boolean
  readonly paidAt: number
  readonly activateUntil: number
  readonly validDays: number
  state: number
  remaining: number
  /** Null while the grant waits. */
  beginsAt: number | null
  endsAt: number | null
}

/** Use of one unit by one device. */
export interface GrantUse {
  readonly at: number
  readonly tenantId: number
  readonly agentId: number
  readonly deviceId: number
  readonly unit: number
  readonly amount: number
}

interface Spent {
  readonly grantId: number
  readonly amount: number
}

const DEVICE = 1
const AGENT = 2
const DEVICE_DAYS = 1

const targetOf = ({ scope }: OpenGrant, use: GrantUse) =>
  scope === DEVICE ? use.deviceId : scope === AGENT ? use.agentId : use.tenantId

const covers = (grant: OpenGrant, use: GrantUse) =>
  grant.unit === use.unit && targetOf(grant, use) === grant.targetId && grant.paidAt <= use.at

const isRunningAt = (grant: OpenGrant, at: number) =>
  grant.state === GRANT_STATE_CODE.running && grant.beginsAt! <= at && at < grant.endsAt!

const canBeginAt = (grant: OpenGrant, at: number) =>
  grant.state === GRANT_STATE_CODE.waiting && at < grant.activateUntil

/**
 * Returns the grant with the earliest time. Among equal times, device comes before agent before tenant, then the order
 * of issue decides.
 */
const first = (grants: readonly OpenGrant[], timeOf: (grant: OpenGrant) => number) =>
  grants.toSorted(
    (a, b) => timeOf(a) - timeOf(b) || a.scope - b.scope || a.orderId - b.orderId || a.packNo - b.packNo || a.id - b.id,
  )[0]

/** Begins all waiting grants of a pack. */
function beginPack(grants: readonly OpenGrant[], { orderId, targetId, packNo }: OpenGrant, at: number) {
  for (const grant of grants) {
    const isOfPack = grant.orderId === orderId && grant.targetId === targetId && grant.packNo === packNo
    if (!isOfPack || grant.state !== GRANT_STATE_CODE.waiting) continue
    grant.state = GRANT_STATE_CODE.running
    grant.beginsAt = at
    grant.endsAt = computeValidUntil(grant, at)
  }
}

/** Returns the running grant with a balance that ends first. This grant is spent first. */
const firstRunning = (covering: readonly OpenGrant[], at: number) =>
  first(
    covering.filter((grant) => isRunningAt(grant, at) && (grant.isUnlimited || grant.remaining > 0)),
    ({ endsAt }) => endsAt!,
  )

/** Returns the waiting grant with the earliest last time to begin. Its pack begins first. */
const firstWaiting = (covering: readonly OpenGrant[], at: number) =>
  first(
    covering.filter((grant) => canBeginAt(grant, at)),
    ({ activateUntil }) => activateUntil,
  )

/**
 * Begins the packs of a session when its device connects. For each unit that no running grant with a balance covers,
 * begins the waiting pack with the earliest last time to begin. Ignores device days, whose packs begin with the first
 * use of a day. Changes the given grants.
 */
export function beginNeededPacks(grants: readonly OpenGrant[], use: GrantUse) {
  const units = [...new Set(grants.map(({ unit }) => unit))].filter((unit) => unit !== DEVICE_DAYS)
  for (const unit of units.toSorted((a, b) => a - b)) {
    const covering = grants.filter((grant) => covers(grant, { ...use, unit }))
    const next = firstRunning(covering, use.at) ? undefined : firstWaiting(covering, use.at)
    if (next) beginPack(grants, next, use.at)
  }
}

/**
 * Spends a use from the grants that cover it: earliest end first, then device before agent before tenant. When no
 * running grant covers the use, begins the waiting pack with the earliest last time to begin. Use without a grant is
 * not spent. Changes the given grants and returns the spent amounts. Unlimited grants spend nothing.
 */
export function spendFromGrants(grants: readonly OpenGrant[], use: GrantUse): Spent[] {
  const covering = grants.filter((grant) => covers(grant, use))
  const spent: Spent[] = []
  let rest = use.amount
  while (rest > 0) {
    const grant = firstRunning(covering, use.at)
    if (!grant) {
      const next = firstWaiting(covering, use.at)
      if (!next) return spent
      beginPack(grants, next, use.at)
      continue
    }
    if (grant.isUnlimited) return spent
    const amount = Math.min(rest, grant.remaining)
    grant.remaining -= amount
    if (grant.remaining === 0) grant.state = GRANT_STATE_CODE.used
    spent.push({ grantId: grant.id, amount })
    rest -= amount
  }
  return spent
}

/** Merged use that grants may cover: one row of the statement `SELECT_SPENDABLE_USAGE`. */
export interface SpendableUse extends GrantUse {
  /** Local day of `at`. */
  readonly day: string
}

const { turns, characters, seconds, tokensIn, tokensOut, connections } = USAGE_UNIT
/** Unit of a connection, which spends nothing and only begins waiting packs. */
const CONNECTION_UNIT = 0

/** Rows: usage unit, unit of the allowance, base units of the allowance in one usage unit. */
const ALLOWANCES = [
  [turns, 2, 1],
  [seconds, 3, 10],
  [characters, 4, 1],
  [tokensIn, 5, 1],
  [tokensOut, 5, 1],
].map((row) => `(${row.join(', ')})`)

/**
 * Selects the usage of devices that open grants may cover, as a part of a WITH query. `gone` contains the rows that are
 * merged. A device day is the first use of a device on a day. A connection has the unit 0 and no amount.
 */
export const SELECT_SPENDABLE_USAGE = sql.raw(`
  select extract(epoch from used_time)::float8 * 1000 as at, used_time::date::text as day, tenant_id as "tenantId",
    agent_id as "agentId", device_id as "deviceId", unit, amount
  from (
    select used_time, tenant_id, agent_id, device_id, a.unit, round(sum(n * a.base))::float8 as amount
    from gone join (values ${ALLOWANCES.join(', ')}) as a (measured, unit, base) on a.measured = gone.unit
    where source = ${USAGE_SOURCE.device} and device_id > 0 group by 1, 2, 3, 4, 5
    union all select * from (
      select distinct on (day, device_id) used_time, tenant_id, agent_id, device_id, 1, 1.0 from gone
      where source = ${USAGE_SOURCE.device} and device_id > 0 and not exists (select from agent_usage u
        where u.device_id = gone.device_id and u.day = gone.day and u.source = ${USAGE_SOURCE.device} and u.folded = 1)
      order by day, device_id, used_time) d
    union all select used_time, tenant_id, agent_id, device_id, ${CONNECTION_UNIT}, 0.0 from gone
    where source = ${USAGE_SOURCE.device} and device_id > 0 and unit = ${connections}) u
  where (amount > 0 or unit = ${CONNECTION_UNIT}) and exists (select from agent_grants g where g.state < ${GRANT_STATE_CODE.used} and g.is_frozen = 0
    and g.tenant_id = u.tenant_id and ((g.scope = 1 and g.target_id = u.device_id) or (g.scope = 2 and g.target_id = u.agent_id)
    or (g.scope = 3 and g.target_id = u.tenant_id)))`)

interface StoredGrant extends OpenGrant {
  readonly tenantId: number
}

const unique = (values: readonly number[]) => sql.param([...new Set(values)])

/** Returns the open grants that may cover the uses, locked in the order of ids. */
async function lockGrants(db: Db, uses: readonly GrantUse[]): Promise<StoredGrant[]> {
  const { rows } = await db.execute<StoredGrant & Record<string, unknown>>(sql`
    select id::float8 as id, tenant_id as "tenantId", order_id as "orderId", scope, target_id as "targetId",
      pack_no as "packNo", unit, is_unlimited = 1 as "isUnlimited", state, remaining::float8 as remaining,
      valid_days as "validDays", extract(epoch from create_time)::float8 * 1000 as "paidAt",
      extract(epoch from activate_until)::float8 * 1000 as "activateUntil",
      extract(epoch from begin_time)::float8 * 1000 as "beginsAt",
      extract(epoch from valid_until)::float8 * 1000 as "endsAt"
    from agent_grants where state < ${GRANT_STATE_CODE.used} and is_frozen = 0 and (
      (scope = 1 and target_id = any(${unique(uses.map(({ deviceId }) => deviceId))}::int[]))
      or (scope = 2 and target_id = any(${unique(uses.map(({ agentId }) => agentId))}::int[]))
      or (scope = 3 and target_id = any(${unique(uses.map(({ tenantId }) => tenantId))}::int[])))
    order by id for update`)
  return rows
}

/** Spends merged use from grants. `db` is the transaction that merges the use, so that use is spent exactly once. */
export async function spendMergedUsage(db: Db, uses: readonly SpendableUse[]) {
  if (uses.length === 0) return
  const grants = await lockGrants(db, uses)
  if (grants.length === 0) return
  const before = new Map(grants.map(({ id, state, remaining }) => [id, { state, remaining }]))
  const byTarget = Map.groupBy(grants, ({ scope, targetId }) => `${scope}:${targetId}`)
  const lines: { grantId: number; day: string; amount: number }[] = []
  for (const use of uses) {
    const reachable = [`1:${use.deviceId}`, `2:${use.agentId}`, `3:${use.tenantId}`]
      .flatMap((key) => byTarget.get(key) ?? [])
      .filter(({ tenantId }) => tenantId === use.tenantId)
    if (use.unit === CONNECTION_UNIT) beginNeededPacks(reachable, use)
    else for (const spent of spendFromGrants(reachable, use)) lines.push({ ...spent, day: use.day })
  }
  const changed = grants.filter(({ id, state, remaining }) => {
    const stored = before.get(id)!
    return stored.state !== state || stored.remaining !== remaining
  })
  await saveGrants(db, changed, before)
  await writeLines(db, lines)
}

async function saveGrants(
  db: Db,
  grants: readonly StoredGrant[],
  before: ReadonlyMap<number, { readonly remaining: number }>,
) {
  if (grants.length === 0) return
  const rows = grants.map(({ id, state, remaining, beginsAt, endsAt }) => {
    const spent = before.get(id)!.remaining - remaining
    return { id, state, spent, beginsAt, endsAt }
  })
  await db.execute(sql`
    update agent_grants g set state = n.state, remaining = g.remaining - n.spent, spent = g.spent + n.spent,
      begin_time = to_timestamp(n."beginsAt" / 1000), valid_until = to_timestamp(n."endsAt" / 1000)
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (id bigint, state smallint, spent bigint,
      "beginsAt" float8, "endsAt" float8)
    where g.id = n.id`)
}

/** Adds the spent amounts to the ledger: one line a grant and day. */
async function writeLines(db: Db, lines: readonly { grantId: number; day: string; amount: number }[]) {
  if (lines.length === 0) return
  await db.execute(sql`
    insert into agent_ledger (tenant_id, grant_id, order_id, kind, amount, day, oper_name)
    select g.tenant_id, g.id, g.order_id, ${GRANT_LEDGER_CODE.spend}, n.amount, n.day, '系统'
    from (select "grantId" as id, day, sum(amount)::bigint as amount
      from json_to_recordset(${JSON.stringify(lines)}::json) as l ("grantId" bigint, day date, amount bigint)
      group by 1, 2) n join agent_grants g on g.id = n.id order by g.id, n.day
    on conflict (grant_id, day) where kind = 2 do update set amount = agent_ledger.amount + excluded.amount`)
}
