import type { ProgramVersionView } from '@oms/contract/advertise/program.ts'
import type { ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import {
  formatDayParts,
  formatDuration,
  formatWeekdays,
  INSERT_MODE_NAME,
} from '@oms/contract/advertise/program-words.ts'
import { formatTarget } from '../programs/program-cells.tsx'

/** A field of a version as text. */
export interface VersionField {
  readonly field: string
  readonly title: string
  readonly value: string
}

type PlayModeLabel = (code: number) => string
const toFields = (fields: readonly (readonly [field: string, title: string, value: string])[]): VersionField[] =>
  fields.map(([field, title, value]) => ({ field, title, value }))

/** Returns the rules of a version as text, without ads and targets, one entry per field. */
const describeRules = (version: ProgramVersionView, playMode: PlayModeLabel) =>
  toFields([
    ['programName', '节目单名称', version.programName],
    ['dates', '投放日期', `${version.dateFrom} ~ ${version.dateTo}`],
    ['weekdays', '星期', formatWeekdays(version.weekdays)],
    ['dayParts', '时段', formatDayParts(version.dayParts)],
    ['playMode', '播放方式', playMode(version.playMode)],
    ['priority', '优先级', String(version.priority)],
    ['insertMode', '插播', INSERT_MODE_NAME[version.insertMode as 0]],
    ['shareOfVoice', '份额', version.shareOfVoice === null ? '不限' : `${version.shareOfVoice}%`],
    ['resolution', '分辨率', version.resolution || '不限'],
  ])

/** Returns the rules, targets and ads of a version as text, for the comparison with an earlier version. */
export function describeVersion(version: ProgramVersionView | undefined, playMode: PlayModeLabel): VersionField[] {
  if (!version) return []
  return [
    ...describeRules(version, playMode),
    ...toFields([
      ['targets', '投放对象', [formatTarget(version), ...listTargetNames(version)].join('、')],
      ['ads', '广告', version.adNames.join('、')],
      ['totalDuration', '总时长', formatDuration(version.totalDuration)],
    ]),
  ]
}

/** Returns the names of the targets. Deleted and hidden targets are summed in a last entry. */
export function listTargetNames({ targets, targetCount }: Pick<ProgramVersionView, 'targets' | 'targetCount'>) {
  const unnamed = targetCount - targets.length
  return [...targets.map(({ name }) => name), ...(unnamed > 0 ? [`另 ${unnamed} 个已删除或无权查看`] : [])]
}

/** Returns the rules of a reviewed version as text. The review shows the changes of targets and ads separately. */
export const describeReviewed = (version: ReviewedVersionView, playMode: PlayModeLabel): VersionField[] => [
  ...describeRules(version, playMode),
  ...toFields([['isDefault', '默认节目单', version.isDefault === 1 ? '是，没有其他节目单时播放' : '否']]),
]

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
