import { about } from '@oms/contract/core/fields.ts'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import './details.css'
import { createFieldFormatter } from './plain-text.ts'

interface Detail<Row> {
  readonly key: string
  readonly title: string
  readonly wide: boolean
  readonly render: (row: Row) => ReactNode
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

/**
 * Renders the fields of a record as titles and values in two columns. On phones, a full-width text is beside its title,
 * and other full-width content is below its title.
 */
export function Descriptions<Row>({ row, items }: { row: Row; items: readonly Detail<Row>[] }) {
  return (
    <dl className="kit-details">
      {items.map(({ key, title, wide, render }) => {
        const value = render(row)
        const isText = typeof value === 'string' || typeof value === 'number'
        return (
          <div key={key} className={wide ? (isText ? 'kit-wide kit-wide-text' : 'kit-wide') : undefined}>
            <dt>{title}</dt>
            <dd>{value === '' || value == null ? <span className="kit-none">-</span> : value}</dd>
          </div>
        )
      })}
    </dl>
  )
}
