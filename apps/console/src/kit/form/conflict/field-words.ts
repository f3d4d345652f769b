import { formatFenAsYuan } from '@oms/contract/core/money.ts'
import { formatDateTime } from '#core/text/format.ts'
import { isSecret } from '#core/auth/draft.ts'
import { describeListChanges, describeUnnamedItem, findItemName, formatQuantity, MOST_NAMED } from './list-changes.ts'
import { type FieldPath, isEmptyValue, isRecord, isSameValue } from './merge-conflict.ts'
import { findOptionLabel } from '#kit/form/option-labels.ts'

/** The part of a contract schema that names a field. Both zod schemas and the recorded ones have it. */
interface Described {
  readonly shape?: Readonly<Record<string, Described | undefined>>
  meta?(): Readonly<Record<string, unknown>> | undefined
}

/** A form on the page, and the contract's schema of its values. */
export interface FormPlace {
  /** Name of antd's form, the prefix of the ids of its controls. */
  readonly form: string
  readonly input: unknown
}

const idOf = ({ form }: FormPlace, path: FieldPath) => [form, ...path].join('_')

const metaOf = ({ input }: FormPlace, path: FieldPath) =>
  path.reduce<Described | undefined>((schema, name) => schema?.shape?.[name], input as Described)?.meta?.() ?? {}

/** Returns the label of a field on the page, or its title in the contract. */
export function formatFieldLabel(place: FormPlace, path: FieldPath): string {
  const id = idOf(place, path)
  const label = document.querySelector(`label[for="${CSS.escape(id)}"]`)?.textContent.trim()
  const aria = document.getElementById(id)?.getAttribute('aria-label')
  const { title } = metaOf(place, path)
  if (label || aria || title) return String(label || aria || title)
  return path.length > 1 ? formatFieldLabel(place, path.slice(0, -1)) : String(path[0])
}

/** Records that may contain the name of a referenced record beside its id: `modelId` and `modelName`. */
type Named = readonly Readonly<Record<string, unknown>>[]

/** The value of one side of a conflict. */
interface Side {
  readonly value: unknown
  readonly other: unknown
  /** The value when the form was opened. `hasBase` is false for a restored draft, whose opened record is not known. */
  readonly base: unknown
  readonly hasBase: boolean
}

/** Returns the text of a field's value as the form shows it; an empty text for an empty value. */
export function formatFieldValue(place: FormPlace, path: FieldPath, side: Side, named: Named = []) {
  const { value } = side
  if (isEmptyValue(value)) return ''
  if (isHidden(place, path, value)) return '（已填写）'
  return Array.isArray(value)
    ? formatList(place, path, { ...side, value })
    : (formatOne(place, path, value, named) ?? '（已填写）')
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns all values of a short list of plain values, and otherwise the names of the items that changed. */
function formatList(place: FormPlace, path: FieldPath, side: Side & { readonly value: readonly unknown[] }) {
  const [value, other] = [side.value, listOf(side.other)]
  const texts = value.map((each) => (isRecord(each) ? undefined : formatOne(place, path, each, [])))
  const isShort = Math.max(value.length, other.length) <= MOST_NAMED
  if (isShort && texts.every((each) => each !== undefined)) return texts.join('、')
  const base = side.hasBase ? listOf(side.base) : undefined
  return describeListChanges({ value, other, base }, (item) => {
    const name = formatItem(place, path, item, value.length)
    if (name !== undefined || !isRecord(item)) return name
    // A removed item is only in the list that the form was opened with, or in the list of the other side.
    const list = [value, base ?? [], other].find((each) => each.includes(item))
    return describeUnnamedItem(item, list?.indexOf(item) ?? 0)
  })
}

/**
 * Returns the name of an item: the published name, the name in the item, or the label of its select. The label of a select
 * does not identify the item alone, so its quantity follows: `对话轮数 500`.
 */
function formatItem(place: FormPlace, path: FieldPath, item: unknown, rows: number): string | undefined {
  if (!isRecord(item)) return formatOne(place, path, item, [])
  const name = findOptionLabel(idOf(place, path), item) ?? findItemName(item)
  if (name !== undefined) return name
  const labels = Object.entries(item).flatMap(([field, value]) => {
    const ids = Array.from({ length: rows }, (_, row) => idOf(place, [...path, row, field]))
    return ids.map((id) => findOptionLabel(id, value)).find((label) => label !== undefined) ?? []
  })
  return labels[0] === undefined ? undefined : `${labels[0]}${formatQuantity(item)}`
}

const isHidden = (place: FormPlace, path: FieldPath, value: unknown) =>
  path.some((part) => isSecret(String(part), value)) ||
  document.getElementById(idOf(place, path))?.getAttribute('type') === 'password'

/** A time with its zone, such as `2026-10-19T07:24:45.013Z`. */
const ZONED_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/
const ID = /Ids?$/

/** Returns the text of one value; undefined for an object and for an id without a known name. */
function formatOne(place: FormPlace, path: FieldPath, value: unknown, named: Named): string | undefined {
  const { labels, unit } = metaOf(place, path) as { labels?: Record<string, string>; unit?: string }
  const field = String(path.at(-1))
  const id = idOf(place, path)
  const label = findOptionLabel(id, value) ?? formatSwitch(id, value) ?? labels?.[String(value)]
  if (label !== undefined) return label
  if (unit === 'fen' && typeof value === 'number') return `${formatFenAsYuan(value)}元`
  if (ID.test(field)) return findName(field, value, named) ?? (named.length > 0 ? `编号${String(value)}` : undefined)
  if (typeof value === 'boolean') return value ? '是' : '否'
  if (typeof value === 'object') return undefined
  const text = String(value)
  return ZONED_TIME.test(text) ? formatDateTime(text) : text
}

/** Returns the word of a switch on the page for 1 and 0. */
function formatSwitch(id: string, value: unknown) {
  const control = document.getElementById(id)
  if (control?.getAttribute('role') !== 'switch') return undefined
  const side = Number(value) === 1 ? 'checked' : 'unchecked'
  return control.querySelector(`.ant-switch-inner-${side}`)?.textContent || undefined
}

/** Returns the name of a referenced record from a record that contains the same id. */
function findName(field: string, value: unknown, named: Named) {
  const base = field.replace(ID, '')
  const record = named.find(
    (each) => isSameValue(each[field], value) && !isEmptyValue(each[`${base}Name`] ?? each[base]),
  )
  const name = record?.[`${base}Name`] ?? record?.[base]
  return typeof name === 'string' ? name : undefined
}

/** Characters before the first difference that stay in front of a shortened text. */
const LEAD = 20
const LONG = 120

/** Shortens the common beginning of two long texts, so that their first difference is within the visible lines. */
export function cutCommonStart(one: string, other: string): [string, string] {
  if (Math.min(one.length, other.length) < LONG) return [one, other]
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const from = at - LEAD
  return from <= 0 ? [one, other] : [`…${one.slice(from)}`, `…${other.slice(from)}`]
}
