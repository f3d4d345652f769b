import type { Conflict } from './conflict.ts'

const HOUR = 3_600_000

/** Rounds up to tenths of an hour: a short overlap is not shown as 0. */
const hours = (ms: number) => `${Math.ceil((ms * 10) / HOUR) / 10} 小时`

/** Returns the sentence of a conflict. This function contains all Chinese texts of the conflict check. */
export function formatConflict(conflict: Omit<Conflict, 'text'>): string {
  const { code, ms, dueMs, by, adName, date, detail } = conflict
  const other = by ? `《${by.name}》` : ''
  const ad = `广告《${adName ?? ''}》`
  switch (code) {
    case 'sharesAbove100':
      return `份额合计超过100%：${detail}，共 ${hours(ms)}`
    case 'takeoverSamePriority':
      return `与插播${other}优先级相同，重叠 ${hours(ms)}`
    case 'adNotApproved':
      return `${ad}未通过审核`
    case 'adDisabled':
      return `${ad}已停用`
    case 'adEndsEarlier':
      return `${ad}有效期至 ${date}，早于节目单的最后投放日期`
    case 'approvalEndsEarlier':
      return `${ad}的批准文号有效期至 ${date}，早于节目单的最后投放日期`
    case 'neverSeen':
      return by ? `因${other}在全部 ${hours(dueMs)}内不会播放` : `在全部 ${hours(dueMs)}内不会播放`
    case 'partlyHidden':
      return `因${other}有 ${hours(ms)}不会播放（共 ${hours(dueMs)}）`
    case 'hides':
      return `将使${other}有 ${hours(ms)}不会播放`
    case 'equalPriority':
      return `与${other}优先级相同，有 ${hours(ms)}平分播放时间`
    case 'itemLongerThanPart':
      return `${ad}比时段 ${detail} 长，在该时段不会播放`
  }
}
