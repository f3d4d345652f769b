import { GRANT_STATE_CODE } from '@oms/contract/agent/orders/order-grant.ts'
import { ALLOWANCE_UNIT } from '@oms/contract/agent/packages/package-terms.ts'

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
export type PackLimit =
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
