import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'

interface Balance {
  readonly remaining: number
  /** Null while the grant has not begun. */
  readonly beginsAt: number | null
}

/**
 * Returns the state and the rest of a grant after an adjustment by `change` base units, or undefined when the change
 * is larger than the rest. A grant without a rest is used. An increase opens a used grant again.
 */
export function adjustBalance({ remaining, beginsAt }: Balance, change: number) {
  const left = remaining + change
  if (left < 0) return undefined
  if (left === 0) return { state: GRANT_STATE_CODE.used, remaining: 0 }
  return { state: beginsAt === null ? GRANT_STATE_CODE.waiting : GRANT_STATE_CODE.running, remaining: left }
}
