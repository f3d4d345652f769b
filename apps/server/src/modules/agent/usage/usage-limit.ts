import { LIMIT_STATE_CODE, USAGE_LIMIT } from '@oms/contract/agent/usage/usage-limit.ts'
import type { AgentReads } from '../agents/agent-reads.ts'
import { computePackLimit } from '../orders/limit.ts'
import type { PackConsumer } from '../orders/open-packs.ts'
import type { ParameterValues } from '../parameters/parameters.ts'

/** Usage limit of a device, computed from its packs and from the parameters of its tenant. */
export interface UsageLimit {
  readonly state: (typeof LIMIT_STATE_CODE)[keyof typeof LIMIT_STATE_CODE]
  /** Reason why the limit is reached; empty otherwise. */
  readonly reason: string
  /** Characters that the device may still speak; undefined: not limited. */
  readonly characters: number | undefined
  /** Sentence that a stopped device says. */
  readonly notice: string
}

interface Parts {
  readonly reads: Pick<AgentReads, 'packs'>
  /** Parameters of the tenant of the device. */
  readonly params: Pick<ParameterValues, 'text'>
  readonly now: number
}

/**
 * Returns the usage limit of a device. Reads no grants when the parameter `usage.limit` only counts. Amounts are at
 * most 30 seconds old. A device may therefore exceed its limit by one session, or by the tokens of 30 seconds.
 */
export async function readUsageLimit({ reads, params, now }: Parts, device: PackConsumer): Promise<UsageLimit> {
  const mode = params.text('usage.limit')
  const notice = params.text('usage.notice')
  const normal = { state: LIMIT_STATE_CODE.normal, reason: '', characters: undefined, notice }
  if (mode !== USAGE_LIMIT.warn && mode !== USAGE_LIMIT.stop) return normal
  const limit = computePackLimit(await reads.packs.of(device), now)
  if (!limit.isReached) return mode === USAGE_LIMIT.stop ? { ...normal, characters: limit.characters } : normal
  return {
    ...normal,
    state: mode === USAGE_LIMIT.stop ? LIMIT_STATE_CODE.stopped : LIMIT_STATE_CODE.exceeded,
    reason: limit.reason,
  }
}
