import { about } from '@oms/contract/core/fields.ts'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import type { CallAccess } from '#core/auth/session.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { formatPlainText, createFieldFormatter } from '#kit/record/plain-text.ts'
import type { ConfigurableColumn } from './table-settings.ts'

/** One column of DataTable. */
export interface Column<Row> extends ConfigurableColumn {
  /** Server column name for sorting. */
  readonly sort?: string | undefined
  readonly align?: 'left' | 'right' | 'center' | undefined
  /** Help text of a question mark in the header. */
  readonly help?: string | undefined
  /** A picture without text, which the title of a card shows in front of the first column with text. */
  readonly picture?: true | undefined
  readonly render: (row: Row) => ReactNode
  /**
   * Plain value of a cell: cells with an unchanged value are not rendered again. Absent when `render` uses other
   * data.
   */
  readonly plain?: ((row: Row) => unknown) | undefined
  /** The column is hidden when the account may use none of these calls. Absent: the column is always shown. */
  readonly calls?: readonly CallAccess[] | undefined
}

export interface ColumnOptions {
  readonly title?: string
  readonly width?: number
  readonly pin?: 'left' | 'right'
  readonly hidden?: true
  readonly align?: 'left' | 'right' | 'center'
  readonly help?: string
  readonly picture?: true
  /** `true` when the server sorts by the field's own name. */
  readonly sort?: true | string
}

type Render<Row, K extends keyof Row> = (value: Row[K], row: Row) => ReactNode

/**
 * Creates the columns of a row schema, with titles from the schema and type-checked keys: `col` for a field,
 * `actions` for the last column.
 */
export function createColumns<S extends z.ZodObject>(schema: S) {
  type Row = z.output<S>
  function col<K extends keyof Row & string>(key: K, options?: ColumnOptions): Column<Row>
  function col<K extends keyof Row & string>(key: K, render: Render<Row, K>, options?: ColumnOptions): Column<Row>
  function col<K extends keyof Row & string>(
    key: K,
    second: Render<Row, K> | ColumnOptions = {},
    third: ColumnOptions = {},
  ): Column<Row> {
    const { sort, ...options } = typeof second === 'function' ? third : second
    const { title, unit } = about(schema, key)
    const text = createFieldFormatter(schema, key)
    const show = typeof second === 'function' ? second : (value: Row[K]) => textCell(text(value))
    return {
      key,
      title,
      ...(unit === 'fen' && { align: 'right' as const }),
      ...options,
      sort: sort === true ? key : sort,
      render: (row) => show(row[key], row),
      plain: typeof second === 'function' ? undefined : (row) => row[key],
    }
  }
  return {
    col,
    /**
     * Creates the last column with the row actions, pinned to the right edge. `calls` are the calls of all actions; omit
     * them when every account that sees the list may use an action.
     */
    actions: (render: (row: Row) => ReactNode, width = 160, calls?: readonly CallAccess[]): Column<Row> => ({
      key: 'actions',
      title: '操作',
      width,
      align: 'right',
      pin: 'right',
      fixed: true,
      calls,
      render,
    }),
  }
}

/** Renders a value: labels for codes, 是/否, lists joined by 、, a dash for absent values, tooltips for long text. */
export function renderPlainCell(value: unknown, labels?: Readonly<Record<number, string>>): ReactNode {
  return textCell(formatPlainText(value, labels))
}

function textCell(text: string) {
  return text === '' ? <span className="kit-none">-</span> : <Ellipsis text={text} />
}
