import { type Fields, isEmptyValue, isRecord, isSameValue } from './merge-conflict.ts'

/** How a list differs from the list that it is compared with. */
export interface ListChanges {
  readonly added: readonly unknown[]
  readonly removed: readonly unknown[]
  /** The new values of items that both lists contain. */
  readonly changed: readonly unknown[]
}

/** Fields that identify an item, the most specific first. */
const IDENTITY = ['adId', 'fileId', 'providerCode', 'unit', 'code', 'sn', 'uid', 'url', 'name', 'key', 'id']
/** Fields that identify a row of the editor or of the database, and no content. */
const ROW_IDS = new Set(['key', 'itemId'])

/** Compares two lists item by item. Items are matched by their identity, and equal items in their order. */
export function compareLists(from: readonly unknown[], to: readonly unknown[]): ListChanges {
  const before = indexItems(from)
  const after = indexItems(to)
  const isChanged = ([key, item]: [string, unknown]) =>
    before.has(key) && !isSameValue(contentOf(before.get(key)), contentOf(item))
  return {
    added: [...after].flatMap(([key, item]) => (before.has(key) ? [] : [item])),
    removed: [...before].flatMap(([key, item]) => (after.has(key) ? [] : [item])),
    changed: [...after].filter(isChanged).map(([, item]) => item),
  }
}

/** Indexes items by identity. The second item of the same identity gets another key than the first item. */
function indexItems(items: readonly unknown[]) {
  const counts = new Map<string, number>()
  return new Map(
    items.map((item) => {
      const identity = identityOf(item)
      const nth = counts.get(identity) ?? 0
      counts.set(identity, nth + 1)
      return [`${identity}#${nth}`, item]
    }),
  )
}

function identityOf(item: unknown) {
  if (!isRecord(item)) return String(item)
  const field = IDENTITY.find((each) => !isEmptyValue(item[each]))
  return field === undefined ? JSON.stringify(item) : `${field}:${String(item[field])}`
}

const contentOf = (item: unknown): unknown =>
  isRecord(item) ? Object.fromEntries(Object.entries(item).filter(([field]) => !ROW_IDS.has(field))) : item

/** Returns the name that an item contains: `name`, `label`, `title` or a field such as `adName`. */
export function findItemName(item: Fields): string | undefined {
  const fields = ['name', 'label', 'title', ...Object.keys(item).filter((field) => field.endsWith('Name')), 'url', 'sn']
  const names = fields.map((field) => item[field])
  return names.find((name): name is string => typeof name === 'string' && name !== '')
}

const TIMES = [
  ['start', 'end'],
  ['from', 'to'],
  ['begin', 'end'],
] as const

/**
 * Describes an item without a name by its content: a period as `08:00–18:00`, a stage of a release as `第 1 阶段 10%`.
 * A percentage is in hundredths of a percent, as in release plans.
 */
export function describeUnnamedItem(item: Fields, position: number): string | undefined {
  const times = TIMES.map(([from, to]) => [item[from], item[to]]).find((pair) =>
    pair.every((time) => typeof time === 'string' && time !== ''),
  )
  if (times) return times.join('–')
  const { percent } = item
  return typeof percent === 'number' ? `第 ${position + 1} 阶段 ${percent / 100}%` : undefined
}

/** Maximum number of items that a text names. */
export const MOST_NAMED = 10

interface ListSide {
  readonly value: readonly unknown[]
  /** The list of the other side. */
  readonly other: readonly unknown[]
  /** The list when the form was opened; undefined for a restored draft. */
  readonly base: readonly unknown[] | undefined
}

/**
 * Describes one side of a conflict: how the list changed since the form was opened, one line for each kind of change.
 * Without the opened list, the text names what the other side does not contain.
 */
export function describeListChanges({ value, other, base }: ListSide, nameOf: (item: unknown) => string | undefined) {
  const { added, removed, changed } = compareLists(base ?? other, value)
  const parts = base
    ? ([
        ['新增', added],
        ['移除', removed],
        ['修改', changed],
      ] as const)
    : ([
        ['另一方没有', added],
        ['与另一方不同', changed],
      ] as const)
  const lines = parts.flatMap(([word, items]) => (items.length > 0 ? [`${word}：${nameItems(items, nameOf)}`] : []))
  if (lines.length > 0) return [`共 ${value.length} 项`, ...lines].join('\n')
  if (!base) return `共 ${value.length} 项`
  return `共 ${value.length} 项，${isSameValue(base, value) ? '未修改' : '只调整了顺序'}`
}

/** Returns the names of the first items, and the number of all items when some are not named. */
function nameItems(items: readonly unknown[], nameOf: (item: unknown) => string | undefined) {
  const names = items.flatMap((item) => nameOf(item) ?? []).slice(0, MOST_NAMED)
  if (names.length === 0) return `${items.length} 项`
  return `${names.join('、')}${names.length < items.length ? ` 等 ${items.length} 项` : ''}`
}
