import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { computeValidUntil } from '@oms/contract/agent/packages/pack-clock.ts'

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
