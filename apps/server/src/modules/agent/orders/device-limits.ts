import { LIMIT_STATE_CODE, USAGE_LIMIT } from '@oms/contract/agent/usage/usage-limit.ts'
import { not, type SQL, sql } from 'drizzle-orm'
import type { Services } from '#core/services.ts'
import { among } from '#core/database/lists/list-query.ts'
import { agentDevices } from '../schema/agent-device.ts'

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
