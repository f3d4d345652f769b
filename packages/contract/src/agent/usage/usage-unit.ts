/** Units in which the usage of agents is measured, stored in `agent_usage.unit`. */
export const USAGE_UNIT = {
  sessions: 1,
  /** Turns of the conversation. A turn is the speech of a user together with the whole answer. */
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
  /** Device days of old days, whose use is no longer kept by device: each device counts once a day. */
  deviceDays: 9,
  /** Device days of old days by model: a device counts once a day for each model. */
  modelDeviceDays: 10,
  /**
   * First connection of a device on a day, or a connection that begins a pack. The first connection makes the day a
   * device day, even without a turn.
   */
  connections: 11,
} as const
export type UsageUnit = (typeof USAGE_UNIT)[keyof typeof USAGE_UNIT]

/** Causes of usage, stored in `agent_usage.source`. */
export const USAGE_SOURCE = { device: 1, tryOut: 2, background: 3 } as const
export const SOURCE_NAMES = { 1: '设备对话', 2: '试用', 3: '后台任务' } as const
export type UsageSource = (typeof USAGE_SOURCE)[keyof typeof USAGE_SOURCE]
