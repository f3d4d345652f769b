import { GRANT } from '@oms/contract/agent/order-grant.ts'

/** A grant of an order, with times in milliseconds. */
export interface RefundedGrant {
  readonly unit: number
  readonly isUnlimited: boolean
  readonly state: number
  readonly total: number
  readonly remaining: number
  readonly beginsAt: number | null
  readonly endsAt: number | null
}

interface Share {
  readonly part: bigint
  readonly whole: bigint
}

/** Whole of one unlimited grant. Its unused share is the share of its time. */
const WHOLE_TIME = 1_000_000_000_000n

function unusedTime({ state, beginsAt, endsAt }: RefundedGrant, now: number): bigint {
  if (state === GRANT.waiting) return WHOLE_TIME
  if (state !== GRANT.running || now >= endsAt!) return 0n
  const left = BigInt(endsAt! - Math.max(now, beginsAt!))
  return (left * WHOLE_TIME) / BigInt(endsAt! - beginsAt!)
}

function unusedShare(grants: readonly RefundedGrant[], now: number): Share {
  let [part, whole] = [0n, 0n]
  for (const grant of grants) {
    part += grant.isUnlimited ? unusedTime(grant, now) : BigInt(grant.remaining)
    whole += grant.isUnlimited ? WHOLE_TIME : BigInt(grant.total)
  }
  return { part, whole }
}

const smaller = (a: Share, b: Share) => (b.part * a.whole < a.part * b.whole ? b : a)

/**
 * Returns the refund of an order in fen: the paid amount times the smallest unused share of its units, rounded down. The
 * refund is the whole amount while no grant began.
 */
export function refundAmount(paid: number, grants: readonly RefundedGrant[], now: number): number {
  if (grants.every(({ state }) => state === GRANT.waiting)) return paid
  const shares = [...Map.groupBy(grants, ({ unit }) => unit).values()].map((some) => unusedShare(some, now))
  const { part, whole } = shares.reduce(smaller)
  return Number((BigInt(paid) * part) / whole)
}
