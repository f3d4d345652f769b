import { DEVICE_PACKAGE_STATE_CODE } from '@oms/contract/agent/devices/device.ts'
import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { LIMIT_STATE_CODE, USAGE_LIMIT } from '@oms/contract/agent/usage/usage-limit.ts'
import { type SQL, sql, not } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/lists/list-query.ts'
import type { Services } from '#core/services.ts'
import { agentDevices } from '../schema/agent-device.ts'

const { none, running, waiting, frozen } = DEVICE_PACKAGE_STATE_CODE

/** The package that a device uses now, else the package that begins next. */
type DevicePackage = {
  readonly packageName: string
  readonly packageState: number
  readonly packageEnd: string | null
}
interface Bound {
  /** Id of the device. */
  readonly id: number
  readonly agentId: number
  readonly tenantId: number
}
interface Best extends Record<string, unknown> {
  readonly scope: number
  readonly target: number
  readonly tenantId: number
  readonly packageName: string
  readonly packageState: number
  readonly packageEnd: string
}

const NOTHING: DevicePackage = { packageName: '', packageState: none, packageEnd: null }
/** States of a package, the preferred one first: running, waiting, frozen. */
const RANK = [running, waiting, frozen] as const
const stateOf = sql`case when g.is_frozen = 1 then ${frozen}::int when g.state = ${GRANT_STATE_CODE.running} then ${running}::int
  else ${waiting}::int end`
const endOf = sql`coalesce(g.valid_until, g.activate_until)`

/** Returns the targets whose grants the device may use. Grants of another tenant do not count. */
const targetsOf = ({ id, agentId, tenantId }: Bound) =>
  [id, agentId, tenantId].map((target, at) => ({ scope: at + 1, target, tenantId }))
const keyOf = ({ scope, target, tenantId }: ReturnType<typeof targetsOf>[number]) => `${scope}:${target}:${tenantId}`

/** Returns the best open grant of each target by one query: earliest end within the best state. */
async function bestGrants(db: Db, rows: readonly Bound[]): Promise<ReadonlyMap<string, Best>> {
  const keys = new Map(rows.flatMap(targetsOf).map((target) => [keyOf(target), target]))
  const { rows: found } = await db.execute<Best>(sql`
    select distinct on (g.scope, g.target_id, g.tenant_id) g.scope, g.target_id as target, g.tenant_id as "tenantId", coalesce(o.package_name, '') as "packageName",
      ${stateOf} as "packageState", to_char(${endOf}, 'YYYY-MM-DD HH24:MI:SS') as "packageEnd"
    from json_to_recordset(${JSON.stringify([...keys.values()])}::json) as t (scope smallint, target int, "tenantId" int)
    join agent_grants g on g.scope = t.scope and g.target_id = t.target and g.tenant_id = t."tenantId" and g.state < ${GRANT_STATE_CODE.used}
    left join agent_orders o on o.id = g.order_id
    order by g.scope, g.target_id, g.tenant_id, g.is_frozen, g.state desc, ${endOf}, g.id`)
  return new Map(found.map((best) => [keyOf(best), best]))
}

const before = (a: Best, b: Best) =>
  RANK.indexOf(a.packageState as 1) - RANK.indexOf(b.packageState as 1) ||
  a.packageEnd.localeCompare(b.packageEnd) ||
  a.scope - b.scope

/** Adds the package to each row of a page of bound devices. */
export async function addPackages<T extends Bound>(db: Db, rows: readonly T[]): Promise<(T & DevicePackage)[]> {
  if (rows.length === 0) return []
  const best = await bestGrants(db, rows)
  return rows.map((row) => {
    const open = targetsOf(row).flatMap((target) => best.get(keyOf(target)) ?? [])
    const [first] = open.toSorted(before)
    if (!first) return { ...row, ...NOTHING }
    const { packageName, packageState, packageEnd } = first
    return { ...row, packageName, packageState, packageEnd }
  })
}

/**
 * Returns the condition for bound devices with an open grant of their own, of their agent or of their tenant. The query
 * reads each set of targets once.
 */
function reaches(condition: SQL): SQL {
  const targets = (scope: number) =>
    sql`(select g.target_id, g.tenant_id from agent_grants g where g.scope = ${scope} and g.state < ${GRANT_STATE_CODE.used} and ${condition})`
  const { deviceId, agentId, tenantId } = agentDevices
  return sql`((${deviceId}, ${tenantId}) in ${targets(1)} or (${agentId}, ${tenantId}) in ${targets(2)}
    or (${tenantId}, ${tenantId}) in ${targets(3)})`
}

/** Returns the condition for bound devices whose package has a state. */
export function hasPackageState(state: number): SQL {
  const isRunning = reaches(sql`g.is_frozen = 0 and g.state = ${GRANT_STATE_CODE.running}`)
  const isOpen = reaches(sql`g.is_frozen = 0`)
  if (state === running) return isRunning
  if (state === waiting) return sql`(${isOpen} and not ${isRunning})`
  if (state === frozen) return sql`(${reaches(sql`g.is_frozen = 1`)} and not ${isOpen})`
  return sql`not ${reaches(sql`true`)}`
}

/** Returns the condition for bound devices of the tenants whose parameter `usage.limit` has the given value. */
type OfMode = (mode: string) => SQL

/** Reads the parameter `usage.limit` of all tenants once. */
export async function readLimitModes({ agentParameters }: Pick<Services, 'agentParameters'>): Promise<OfMode> {
  const { standard, own } = await agentParameters.valuesOf('usage.limit')
  return (mode) => {
    const isStandard = mode === standard
    const listed = [...own].filter(([, value]) => (value === mode) !== isStandard).map(([tenantId]) => tenantId)
    const isListed = among(agentDevices.tenantId, listed)
    return isStandard ? not(isListed) : isListed
  }
}

/**
 * SQL of the devices without a complete pack. Implements the rule of `computePackLimit` as one statement. Units are bits of a
 * number. `paid`: the units that the grants of a target pay. `packs`: the units that each pack of the target needs.
 * `open`: the packs that count, as in `GRANTS` of open-packs.ts. A grant that has ended pays nothing.
 */
const REACHED = sql.raw(`(
  with open as (
    select distinct order_id, target_id, pack_no from agent_grants where state < 2 or state = 2 and valid_until > now()),
  packs as (
    select g.scope, g.target_id, g.tenant_id, bit_or(1 << g.unit) as needed, coalesce(bit_or(1 << g.unit) filter (where g.is_frozen = 0
      and coalesce(g.valid_until, g.activate_until) > now() and (
      g.state = 0 or g.state = 1 and (g.is_unlimited = 1 or g.remaining > 0) or g.state = 2 and g.unit = 1 and exists (
        select from agent_ledger l where l.grant_id = g.id and l.kind = 2 and l.day = current_date))), 0) as paid
    from open o join agent_grants g on g.order_id = o.order_id and g.target_id = o.target_id and g.pack_no = o.pack_no
    group by g.scope, g.target_id, g.tenant_id, g.order_id, g.pack_no),
  targets as (
    select scope, target_id, tenant_id, bit_or(paid) as paid, array_agg(distinct needed) as packs from packs group by 1, 2, 3)
  select b.device_id from agent_devices b
    left join targets d on d.scope = 1 and d.target_id = b.device_id and d.tenant_id = b.tenant_id
    left join targets a on a.scope = 2 and a.target_id = b.agent_id and a.tenant_id = b.tenant_id
    left join targets t on t.scope = 3 and t.target_id = b.tenant_id and t.tenant_id = b.tenant_id
  where not exists (select from unnest(d.packs || a.packs || t.packs) needed
    where needed & ~(coalesce(d.paid, 0) | coalesce(a.paid, 0) | coalesce(t.paid, 0)) = 0))`)

const MODE = { [LIMIT_STATE_CODE.exceeded]: USAGE_LIMIT.warn, [LIMIT_STATE_CODE.stopped]: USAGE_LIMIT.stop } as const

/** Returns the condition for bound devices whose limit has the given state. */
export function hasLimit(state: number, ofMode: OfMode): SQL {
  const isIn = (limit: keyof typeof MODE) => sql`(${ofMode(MODE[limit])} and ${agentDevices.deviceId} in ${REACHED})`
  if (state === LIMIT_STATE_CODE.exceeded || state === LIMIT_STATE_CODE.stopped) return isIn(state)
  const isLimited = sql`(${ofMode(USAGE_LIMIT.warn)} or ${ofMode(USAGE_LIMIT.stop)})`
  return sql`not (${isLimited} and ${agentDevices.deviceId} in ${REACHED})`
}
