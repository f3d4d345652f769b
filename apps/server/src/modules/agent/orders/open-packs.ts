import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { ALLOWANCE_UNIT } from '@oms/contract/agent/packages/package-terms.ts'
import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import type { Pool } from 'pg'
import { BatchedRead } from '#core/database/statements/batched-read.ts'

/**
 * Maximum number of open grants of one target that its limit considers. Running grants come first. `MAX_USED`: the same
 * for used grants.
 */
const MAX_OPEN = 200
const MAX_USED = 50

/**
 * Reads all grants of packs with an open grant, or with a used grant before its end. Used grants show which unit of a
 * pack is missing.
 */
const GRANTS = `select k.scope || ':' || k.target_id || ':' || k.tenant_id as target, jsonb_agg(jsonb_build_object(
    'scope', g.scope, 'orderId', g.order_id, 'targetId', g.target_id, 'packNo', g.pack_no, 'unit', g.unit, 'state', g.state,
    'isUnlimited', g.is_unlimited = 1, 'isFrozen', g.is_frozen = 1, 'remaining', g.remaining,
    'activateUntil', extract(epoch from g.activate_until) * 1000, 'endsAt', extract(epoch from g.valid_until) * 1000,
    'isPaidToday', g.unit = 1 and g.state = 2 and exists (select from agent_ledger l
      where l.grant_id = g.id and l.kind = 2 and l.day = current_date))) as grants
  from unnest($1::smallint[], $2::int[], $3::int[]) as k (scope, target_id, tenant_id)
    cross join lateral (
      (select order_id, pack_no from agent_grants o where o.scope = k.scope and o.target_id = k.target_id
          and o.tenant_id = k.tenant_id and o.state < 2
        order by o.state desc, coalesce(o.valid_until, o.activate_until) limit ${MAX_OPEN})
      union (select order_id, pack_no from agent_grants u where u.scope = k.scope and u.target_id = k.target_id
        and u.tenant_id = k.tenant_id and u.state = 2 and u.valid_until > now() order by u.id desc limit ${MAX_USED})) p
    join agent_grants g on g.order_id = p.order_id and g.target_id = k.target_id and g.pack_no = p.pack_no
  group by 1`

const SPOKEN = `select device_id as id, sum(n)::float8 as characters from agent_usage
  where device_id = any($1::int[]) and day = current_date and unit = ${USAGE_UNIT.characters} and source = ${USAGE_SOURCE.device}
  group by 1`

interface GrantRow {
  readonly target: string
  readonly grants: readonly PackGrant[]
}

/** Device, agent and tenant whose packs a device may use. */
export interface PackConsumer {
  readonly deviceId: number
  readonly agentId: number
  readonly tenantId: number
}

/**
 * Reads the packs that devices may use. Caches nothing, but the amounts are as old as the last run of
 * `agent-usage-fold`. Simultaneous calls share a statement. Needs a session without row-level security.
 */
export class OpenPacks {
  readonly #grants: BatchedRead<string, GrantRow, readonly PackGrant[]>
  readonly #spoken: BatchedRead<number, { readonly id: number; readonly characters: number }, number>

  constructor(pool: Pool) {
    const readGrants = async (keys: readonly string[]) => {
      const targets = keys.map((key) => key.split(':').map(Number))
      const values = [0, 1, 2].map((at) => targets.map((parts) => parts[at]))
      const { rows } = await pool.query<GrantRow>({ name: 'agent-open-packs', text: GRANTS, values })
      return new Map(rows.map((row) => [row.target, row]))
    }
    const readSpoken = async (ids: readonly number[]) => {
      const { rows } = await pool.query({ name: 'agent-spoken-today', text: SPOKEN, values: [ids] })
      return new Map(rows.map((row) => [row.id as number, row]))
    }
    this.#grants = new BatchedRead({ read: readGrants, valueOf: ({ grants }) => Object.freeze(grants) })
    this.#spoken = new BatchedRead({ read: readSpoken, valueOf: ({ characters }) => characters })
  }

  /** Returns the grants of a device, of its agent and of its tenant, as far as the tenant owns the grants. */
  async of({ deviceId, agentId, tenantId }: PackConsumer): Promise<PackGrant[]> {
    const found = await this.#grants.getAll(
      [`1:${deviceId}`, `2:${agentId}`, `3:${tenantId}`].map((target) => `${target}:${tenantId}`),
    )
    return [...found.values()].flat()
  }

  /** Returns the characters that a device spoke today, as far as they are merged. */
  async spokenToday(deviceId: number): Promise<number> {
    return (await this.#spoken.get(deviceId)) ?? 0
  }
}

/** A grant that a device may use. Times are in milliseconds, amounts in base units. */
export interface PackGrant {
  /** 1 device, 2 agent, 3 tenant. */
  readonly scope: number
  readonly orderId: number
  readonly targetId: number
  readonly packNo: number
  readonly unit: number
  readonly state: number
  readonly isUnlimited: boolean
  /** True while a refund is undecided. A frozen grant does not pay. */
  readonly isFrozen: boolean
  readonly remaining: number
  readonly activateUntil: number
  /** Null while the grant waits. */
  readonly endsAt: number | null
  /** True for a used grant of device days whose last day was spent today. The rest of that day is paid. */
  readonly isPaidToday: boolean
}

/** `characters`: number of characters that the device may still speak; undefined without a limit of characters. */
type PackLimit =
  | { readonly isReached: false; readonly characters: number | undefined }
  | { readonly isReached: true; readonly reason: string }

const CHARACTERS = 4
export const NO_PACKAGE_TEXT = '没有可用的套餐（未购买、已用完或已过期）'

/** Returns whether a grant pays for use at a time. A waiting grant begins with the use. */
function pays({ state, isFrozen, isUnlimited, remaining, activateUntil, endsAt, isPaidToday }: PackGrant, at: number) {
  if (isFrozen) return false
  if (state === GRANT_STATE_CODE.waiting) return at < activateUntil
  if (endsAt === null || at >= endsAt) return false
  return state === GRANT_STATE_CODE.running ? isUnlimited || remaining > 0 : isPaidToday
}

/**
 * Returns whether a device has reached the limit of its packs. The device may talk while at least one pack is complete.
 * A pack is complete when each of its units is paid. The pack's own grant can pay a unit, or a grant of the same unit
 * in another pack. Units that the complete pack does not name are not limited.
 */
export function computePackLimit(grants: readonly PackGrant[], at: number): PackLimit {
  const paying = grants.filter((grant) => pays(grant, at))
  const units = new Set(paying.map(({ unit }) => unit))
  const packs = packsOf(grants)
  const complete = packs.filter((pack) => pack.every(({ unit }) => units.has(unit)))
  if (complete.length === 0) return { isReached: true, reason: reasonOf(packs[0], units) }
  const isLimited = complete.every((pack) => pack.some(({ unit }) => unit === CHARACTERS))
  return { isReached: false, characters: isLimited ? charactersOf(paying) : undefined }
}

/**
 * Groups grants by pack. Packs of the device come before those of the agent and of the tenant, each in the order of
 * issue.
 */
function packsOf(grants: readonly PackGrant[]): PackGrant[][] {
  const sorted = grants.toSorted((a, b) => a.scope - b.scope || a.orderId - b.orderId || a.packNo - b.packNo)
  const byPack = Map.groupBy(sorted, ({ orderId, targetId, packNo }) => `${orderId}:${targetId}:${packNo}`)
  return [...byPack.values()]
}

function charactersOf(paying: readonly PackGrant[]): number | undefined {
  const grants = paying.filter(({ unit }) => unit === CHARACTERS)
  return grants.some(({ isUnlimited }) => isUnlimited)
    ? undefined
    : grants.reduce((sum, each) => sum + each.remaining, 0)
}

/** Returns the reason why the first pack is not complete. */
function reasonOf(pack: readonly PackGrant[] | undefined, units: ReadonlySet<number>): string {
  const missing = pack?.find(({ unit }) => !units.has(unit))
  if (!missing) return NO_PACKAGE_TEXT
  if (missing.isFrozen) return '套餐正在退款，暂停使用'
  if (missing.state === GRANT_STATE_CODE.used) return `套餐的${ALLOWANCE_UNIT[missing.unit as 1]}已用完`
  return missing.state === GRANT_STATE_CODE.waiting ? '套餐没有在激活期限内使用' : '套餐已过期'
}
