import type { ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import {
  formatDuration,
  TRANSITION_NAME,
  formatDayParts,
  formatWeekdays,
  INSERT_MODE_NAME,
} from '@oms/contract/advertise/program-words.ts'

export type ReviewedItem = ReviewedVersionView['items'][number]

/** An item of the reviewed version with its changes since the version in force. */
export interface ComparedItem {
  readonly item: ReviewedItem
  readonly isNew: boolean
  /** Changed fields with their former values, such as `时长 00:10`. Empty for a new item. */
  readonly former: readonly string[]
}

interface ComparedItems {
  readonly items: readonly ComparedItem[]
  readonly removed: readonly ReviewedItem[]
  readonly isReordered: boolean
}

interface ItemField {
  readonly title: string
  /** Value as text; empty for the default value. */
  readonly value: string
  /** Text of the default value. */
  readonly defaultText: string
}

/** Returns the rules of an item as text, one entry per field. */
export const describeItem = (item: ReviewedItem): readonly ItemField[] => [
  { title: '时长', value: formatDuration(item.duration), defaultText: '' },
  { title: '权重', value: item.weight === 1 ? '' : String(item.weight), defaultText: '1' },
  { title: '每小时最多', value: item.maxPlaysPerHour === 0 ? '' : `${item.maxPlaysPerHour} 次`, defaultText: '不限' },
  { title: '自', value: item.startDt ?? '', defaultText: '不限' },
  { title: '至', value: item.endDt ?? '', defaultText: '不限' },
  { title: '切换', value: item.transition === 0 ? '' : TRANSITION_NAME[1], defaultText: TRANSITION_NAME[0] },
]

/** Compares the items of two versions. An item keeps its id from version to version. */
export function compareItems(now: readonly ReviewedItem[], before: readonly ReviewedItem[] | undefined): ComparedItems {
  if (!before)
    return { items: now.map((item) => ({ item, isNew: false, former: [] })), removed: [], isReordered: false }
  const old = new Map(before.map((item) => [item.itemId, item]))
  const kept = new Set(now.map(({ itemId }) => itemId))
  const orderOf = (list: readonly ReviewedItem[], others: { has(id: number): boolean }) =>
    list.flatMap(({ itemId }) => (others.has(itemId) ? [itemId] : [])).join()
  return {
    items: now.map((item) => {
      const former = old.get(item.itemId)
      return { item, isNew: !former, former: former ? listFormerValues(item, former) : [] }
    }),
    removed: before.filter(({ itemId }) => !kept.has(itemId)),
    isReordered: orderOf(now, old) !== orderOf(before, kept),
  }
}

function listFormerValues(item: ReviewedItem, former: ReviewedItem) {
  const values = describeItem(item)
  return describeItem(former).flatMap(({ title, value, defaultText }, at) =>
    value === values[at]?.value ? [] : [`${title} ${value || defaultText}`],
  )
}

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

interface TargetChange {
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
