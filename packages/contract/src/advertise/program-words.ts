import { INSERT_MODE, PLAY_MODE } from './engine/manifest.ts'

/** Error message when an account edits a program that is also delivered to tenants outside its data scope. */
export const BEYOND_SCOPE_MESSAGE = '该节目单投放到您数据范围之外的客户，您只能查看'
export const PLAY_MODE_NAME = {
  [PLAY_MODE.sequence]: '顺序',
  [PLAY_MODE.block]: '整组',
  [PLAY_MODE.random]: '随机',
  [PLAY_MODE.weighted]: '按权重',
} as const
export const INSERT_MODE_NAME = {
  [INSERT_MODE.normal]: '普通',
  [INSERT_MODE.takeover]: '插播(占满时段)',
  [INSERT_MODE.once]: '插播一次',
} as const
export const TARGET_TYPE = { devices: 1, groups: 2, models: 3, tenants: 4 } as const
export const PROGRAM_TARGET_NAME = { 1: '设备', 2: '分组', 3: '型号', 4: '客户' } as const
export const TRANSITION_NAME = { 0: '无', 1: '淡入' } as const
export const YES_NO = { 1: '是', 0: '否' } as const

/** State of a program. 3 is derived: delivering, and nearly all screens are ready. */
export const PROGRAM_STATUS = { draft: 0, waiting: 1, delivering: 2, delivered: 3, paused: 4, ended: 5 } as const
export const PROGRAM_STATUS_NAME = {
  0: '草稿',
  1: '待发布',
  2: '发布中',
  3: '投放中',
  4: '已暂停',
  5: '已结束',
} as const
export const PROGRAM_VERSION_STATE = { waiting: 1, inForce: 2, replaced: 3, rejected: 4, withdrawn: 5 } as const
export const PROGRAM_VERSION_STATE_NAME = { 1: '待审批', 2: '生效中', 3: '已停止', 4: '已驳回', 5: '已撤回' } as const
/** Values of the filter for programs with a version that waits for the approval of the account. */
export const PROGRAM_TODO = { 1: '待我审批的节目单' } as const

/** Names of the weekdays in the order of the bit mask: Monday is bit 0. */
export const WEEKDAY_NAMES = ['周一', '周二', '周三', '周四', '周五', '周六', '周日'] as const
export const ALL_WEEKDAYS = 127

export const MAX_PROGRAM_ITEMS = 100
export const MAX_DAY_PARTS = 6
export const MAX_TARGETS = 1000
/** Maximum number of days from the first to the last date of a program, and from today to its last date. */
export const MAX_PROGRAM_DAYS = 3653
/** Number of screens above which a program requires approval by a second account. */
export const MAX_SCREENS_WITHOUT_SECOND_PERSON = 100

/** Returns the days of a bit mask: `每天`, `周一至周五`, `周一、周三`. */
export function formatWeekdays(mask: number): string {
  const days = WEEKDAY_NAMES.flatMap((name, bit) => ((mask >> bit) & 1 ? [{ name, bit }] : []))
  if (days.length === 7) return '每天'
  const first = days[0]
  const last = days.at(-1)
  if (!first || !last) return ''
  const isRun = last.bit - first.bit === days.length - 1
  return isRun && days.length > 2 ? `${first.name}至${last.name}` : days.map(({ name }) => name).join('、')
}

/** Returns dayparts as text: `06:30–10:00、22:00–次日02:00`; `全天` without dayparts. */
export const formatDayParts = (parts: readonly { start: string; end: string }[]): string =>
  parts.length === 0 ? '全天' : parts.map(({ start, end }) => `${start}–${end < start ? '次日' : ''}${end}`).join('、')

/** Returns seconds as `mm:ss`, above one hour as `h:mm:ss`. */
export function formatDuration(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor((seconds % 3600) / 60))}:${two(Math.floor(seconds % 60))}`
  return hours > 0 ? `${hours}:${rest}` : rest
}
