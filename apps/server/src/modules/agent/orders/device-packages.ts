import { DEVICE_PACKAGE_STATE_CODE } from '@oms/contract/agent/devices/device.ts'
import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
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
