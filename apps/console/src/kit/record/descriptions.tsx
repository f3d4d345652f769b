import { about } from '@oms/contract/core/fields.ts'
import { Fragment, isValidElement, type ReactNode, useState } from 'react'
import type * as z from 'zod'
import './details.css'
import { createFieldFormatter } from './plain-text.ts'

interface Detail<Row> {
  readonly key: string
  readonly title: string
  readonly wide: boolean
  readonly render: (row: Row) => ReactNode
}

/** A titled group of items. */
interface DetailGroup<Row> {
  readonly title: string
  readonly items: readonly Detail<Row>[]
}

/** Items of a record's descriptions, titled by the schema: `item` for two columns, `wide` for the full width. */
export function createDescriptions<S extends z.ZodObject>(schema: S) {
  type Row = z.output<S>
  const make =
    (wide: boolean) =>
    <K extends keyof Row & string>(key: K, render?: (value: Row[K], row: Row) => ReactNode): Detail<Row> => {
      const { title } = about(schema, key)
      const show = render ?? createFieldFormatter(schema, key)
      return { key, title, wide, render: (row) => show(row[key], row) }
    }
  return { item: make(false), wide: make(true) }
}

const isNothing = (value: unknown) => value === '' || value == null || (Array.isArray(value) && value.length === 0)

/** Returns whether an item has no content: no text, or an element such as a time for a field without a value. */
function isEmptyItem<Row>({ key, render }: Detail<Row>, row: Row) {
  const shown = render(row)
  const field = (row as Record<string, unknown>)[key]
  return isNothing(shown) || (isValidElement(shown) && key in (row as object) && isNothing(field))
}

/** Splits items into those with content and the number of those without. */
function useFold<Row>(row: Row, canFold = true) {
  const [isShown, setOpen] = useState(false)
  const isOpen = isShown || !canFold
  return {
    shownOf: (items: readonly Detail<Row>[]) => (isOpen ? items : items.filter((item) => !isEmptyItem(item, row))),
    toggle: (items: readonly Detail<Row>[]) => {
      const empty = items.filter((item) => isEmptyItem(item, row)).length
      if (empty === 0 || !canFold) return null
      return (
        <button
          type="button"
          className="kit-link kit-fold-empty"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? '收起空字段' : `显示 ${empty} 个空字段`}
        </button>
      )
    },
  }
}

interface DescriptionsProps<Row> {
  readonly row: Row
  readonly items: readonly Detail<Row>[]
  /** False for a page that names every field, also those without a value. */
  readonly canFold?: boolean
}

/**
 * Renders the fields of a record as titles and values in two columns. Fields without a value are folded. On phones, a
 * full-width text is beside its title, and other full-width content is below its title.
 */
export function Descriptions<Row>({ row, items, canFold = true }: DescriptionsProps<Row>) {
  const { shownOf, toggle } = useFold(row, canFold)
  return (
    <>
      <dl className="kit-details">
        <Items row={row} items={shownOf(items)} />
      </dl>
      {toggle(items)}
    </>
  )
}

/** Renders the fields of a record in titled groups side by side. Fields without a value are folded. */
export function GroupedDescriptions<Row>({ row, groups }: { row: Row; groups: readonly DetailGroup<Row>[] }) {
  const { shownOf, toggle } = useFold(row)
  return (
    <>
      <div className="kit-groups">
        {groups.map(({ title, items }) => {
          const shown = shownOf(items)
          return shown.length === 0 ? (
            <Fragment key={title} />
          ) : (
            <section key={title} aria-label={title}>
              <h3>{title}</h3>
              <dl className="kit-details">
                <Items row={row} items={shown} />
              </dl>
            </section>
          )
        })}
      </div>
      {toggle(groups.flatMap(({ items }) => items))}
    </>
  )
}

function Items<Row>({ row, items }: { row: Row; items: readonly Detail<Row>[] }) {
  return items.map(({ key, title, wide, render }) => {
    const value = render(row)
    const isText = typeof value === 'string' || typeof value === 'number'
    return (
      <div key={key} className={wide ? (isText ? 'kit-wide kit-wide-text' : 'kit-wide') : undefined}>
        <dt>{title}</dt>
        <dd>{value === '' || value == null ? <span className="kit-none">-</span> : value}</dd>
      </div>
    )
  })
}
