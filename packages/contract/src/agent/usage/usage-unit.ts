/** Units in which the usage of agents is measured, stored in `agent_usage.unit`. */
export const USAGE_UNIT = {
  sessions: 1,
  /** Reported turns of users, agents and tools, as the history counts them. */
  turns: 2,
  toolCalls: 3,
  /** Characters that agents speak. */
  characters: 4,
  /** Seconds of speech of users and agents. */
  seconds: 5,
  tokensIn: 6,
  tokensOut: 7,
  /** Part of `tokensIn` that the vendor read from its cache. */
  tokensCached: 8,
} as const
export type UsageUnit = (typeof USAGE_UNIT)[keyof typeof USAGE_UNIT]

/** Causes of usage, stored in `agent_usage.source`. */
export const USAGE_SOURCE = { device: 1, tryOut: 2, background: 3 } as const
export const SOURCE_NAMES = { 1: '设备对话', 2: '试用', 3: '后台任务' } as const
export type UsageSource = (typeof USAGE_SOURCE)[keyof typeof USAGE_SOURCE]
