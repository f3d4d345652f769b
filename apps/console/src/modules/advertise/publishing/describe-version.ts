import type { ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import { formatDayParts, formatWeekdays, INSERT_MODE_NAME } from '@oms/contract/advertise/program-words.ts'

type Fields = readonly (readonly [field: string, title: string, value: string])[]

/** Returns the rules of a reviewed version as text. The review shows the changes of targets and ads separately. */
export function describeReviewed(version: ReviewedVersionView, playMode: (code: number) => string) {
  const fields: Fields = [
    ['programName', '节目单名称', version.programName],
    ['dates', '投放日期', `${version.dateFrom} ~ ${version.dateTo}`],
    ['weekdays', '星期', formatWeekdays(version.weekdays)],
    ['dayParts', '时段', formatDayParts(version.dayParts)],
    ['playMode', '播放方式', playMode(version.playMode)],
    ['priority', '优先级', String(version.priority)],
    ['insertMode', '插播', INSERT_MODE_NAME[version.insertMode as 0]],
    ['shareOfVoice', '份额', version.shareOfVoice === null ? '不限' : `${version.shareOfVoice}%`],
    ['resolution', '分辨率', version.resolution || '不限'],
    ['isDefault', '默认节目单', version.isDefault === 1 ? '是，没有其他节目单时播放' : '否'],
  ]
  return fields.map(([field, title, value]) => ({ field, title, value }))
}

/** Returns the names of the targets. Deleted and hidden targets are summed in a last entry. */
export function listTargetNames({ targets, targetCount }: Pick<ReviewedVersionView, 'targets' | 'targetCount'>) {
  const unnamed = targetCount - targets.length
  return [...targets.map(({ name }) => name), ...(unnamed > 0 ? [`另 ${unnamed} 个已删除或无权查看`] : [])]
}

export interface TargetChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

type Targets = Pick<ReviewedVersionView, 'targetType' | 'targets' | 'isDefault'>

/** Returns the added and removed targets. Targets of another kind replace all former targets. */
export function compareTargets(now: Targets, before: Targets | null): TargetChange {
  if (!before || now.isDefault === 1 || before.isDefault === 1) return { added: [], removed: [] }
  const keyOf = ({ targetType }: Targets, id: number) => `${targetType}.${id}`
  const [mine, theirs] = [now, before].map((each) => new Set(each.targets.map(({ id }) => keyOf(each, id))))
  return {
    added: now.targets.flatMap(({ id, name }) => (theirs!.has(keyOf(now, id)) ? [] : [name])),
    removed: before.targets.flatMap(({ id, name }) => (mine!.has(keyOf(before, id)) ? [] : [name])),
  }
}
