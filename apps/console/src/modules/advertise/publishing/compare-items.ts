import type { ReviewedVersionView } from '@oms/contract/advertise/program-publish.ts'
import { formatDuration, TRANSITION_NAME } from '@oms/contract/advertise/program-words.ts'

export type ReviewedItem = ReviewedVersionView['items'][number]

/** An item of the reviewed version with its changes since the version in force. */
export interface ComparedItem {
  readonly item: ReviewedItem
  readonly isNew: boolean
  /** Changed fields with their former values, such as `时长 00:10`. Empty for a new item. */
  readonly former: readonly string[]
}

export interface ComparedItems {
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
