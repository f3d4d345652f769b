import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'

/** A grant of an order, with times in milliseconds. */
export interface RefundedGrant {
  readonly unit: number
  readonly isUnlimited: boolean
  readonly state: number
  readonly total: number
  readonly remaining: number
  readonly validDays: number
  readonly endsAt: number | null
}

interface Share {
  readonly part: bigint
  readonly whole: bigint
}

const DAY = 86_400_000
const lengthOf = ({ validDays }: RefundedGrant) => validDays * DAY

/** Returns the unused time of an unlimited grant in milliseconds. */
function unusedTime(grant: RefundedGrant, now: number) {
  if (grant.state === GRANT_STATE_CODE.waiting) return lengthOf(grant)
  if (grant.state !== GRANT_STATE_CODE.running) return 0
  return Math.min(Math.max(grant.endsAt! - now, 0), lengthOf(grant))
}

function unusedShare(grants: readonly RefundedGrant[], now: number): Share {
  let [part, whole] = [0n, 0n]
  for (const grant of grants) {
    part += BigInt(grant.isUnlimited ? unusedTime(grant, now) : grant.remaining)
    whole += BigInt(grant.isUnlimited ? lengthOf(grant) : grant.total)
  }
  return { part, whole }
}

const smaller = (a: Share, b: Share) => (b.part * a.whole < a.part * b.whole ? b : a)

/**
 * Returns the refund of an order in fen: the paid amount times the smallest unused share of its units, rounded down.
 * The unused share of an unlimited unit is its unused share of time. Returns 0 for an order without grants.
 */
export function computeRefundAmount(paid: number, grants: readonly RefundedGrant[], now: number): number {
  if (grants.length === 0) return 0
  const shares = [...Map.groupBy(grants, ({ unit }) => unit).values()].map((some) => unusedShare(some, now))
  const { part, whole } = shares.reduce(smaller)
  return Number((BigInt(paid) * part) / whole)
}
