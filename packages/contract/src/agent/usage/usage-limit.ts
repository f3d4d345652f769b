import * as z from 'zod'

/** Values of the parameter `usage.limit`: the effect when a device has no package left. */
export const USAGE_LIMIT = { count: '0', warn: '1', stop: '2' } as const

/** States of a device by its packages and the parameter `usage.limit`. */
export const LIMIT_STATE = { 0: '正常', 1: '已超出', 2: '已停止' } as const
export const LIMIT_STATE_CODE = { normal: 0, exceeded: 1, stopped: 2 } as const

/** Maximum length of the parameter `usage.notice`, which a device speaks. */
export const MAX_NOTICE = 200
const CONTROL = /\p{Cc}/u

/** Returns the Chinese error of a `usage.notice`, or undefined. */
export function findNoticeError(value: string): string | undefined {
  if (value.trim() === '') return '请输入设备播报的提示语'
  if (CONTROL.test(value)) return '提示语不能换行'
  return value.length > MAX_NOTICE ? `提示语不能超过${MAX_NOTICE}个字` : undefined
}

/** Chinese text about the accuracy of the limit, for screens that show the limit. */
export const LIMIT_ACCURACY_TEXT =
  '用量最多晚 30 秒计入：到达上限时，最多多用一台设备的一次会话，经平台调用的大语言模型最多多用 30 秒的 Token'

/** Usage limit of a device, for the page of the device. */
export const DeviceLimit = z.object({
  state: z.int().meta({ title: '套餐', labels: LIMIT_STATE }),
  /** Reason why the limit is reached; empty otherwise. */
  reason: z.string().meta({ title: '原因' }),
  /**
   * Chinese text about what a person notices while the device is at its limit. Empty while the limit is not reached.
   */
  heard: z.string().meta({ title: '设备的表现' }),
})
export type DeviceLimit = z.output<typeof DeviceLimit>
