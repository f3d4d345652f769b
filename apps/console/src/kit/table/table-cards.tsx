import { Spin } from 'antd'
import { Fragment } from 'react'
import type { Column } from './columns.tsx'
import { type FindSelectionBlock, RowCheckbox } from './row-selection.tsx'
import '#kit/kit.css'

interface CardsProps<Row> {
  rows: readonly Row[]
  rowKey: keyof Row & string
  columns: readonly Column<Row>[]
  turning: boolean
  picked: readonly Row[] | undefined
  findSelectionBlock?: FindSelectionBlock<Row>
  onPick(row: Row, on: boolean): void
}

/** Number of columns that a card shows besides its title. The others are behind 更多信息. */
const MAIN_FACTS = 3

/**
 * Renders a list on phones: one card per row with the first column as title, three facts, and the actions at the bottom.
 * Pictures are part of the title.
 */
export function TableCards<Row extends object>(props: CardsProps<Row>) {
  const { rows, rowKey, columns, turning, picked, findSelectionBlock, onPick } = props
  const [title, ...others] = columns.filter(({ fixed, picture }) => !fixed && !picture)
  const pictures = columns.filter(({ picture }) => picture)
  const actions = columns.find(({ fixed }) => fixed)
  return (
    <Spin spinning={turning} delay={150}>
      <ul className="kit-cards">
        {rows.map((row) => (
          <li key={String(row[rowKey])}>
            <div className="kit-cards-title">
              {picked && (
                <RowCheckbox
                  of={row[rowKey]}
                  reason={findSelectionBlock?.(row)}
                  checked={picked.some((each) => each[rowKey] === row[rowKey])}
                  onPick={(on) => onPick(row, on)}
                />
              )}
              {pictures.map((column) => (
                <Fragment key={column.key}>{column.render(row)}</Fragment>
              ))}
              {title?.render(row)}
            </div>
            <Facts row={row} columns={others.slice(0, MAIN_FACTS)} />
            <div className="kit-cards-actions">
              {others.length > MAIN_FACTS && (
                <details>
                  <summary>更多信息</summary>
                  <Facts row={row} columns={others.slice(MAIN_FACTS)} />
                </details>
              )}
              {actions?.render(row)}
            </div>
          </li>
        ))}
      </ul>
    </Spin>
  )
}

function Facts<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    <dl className="kit-facts">
      {columns.map((column) => (
        <div key={column.key}>
          <dt>{column.title}</dt>
          <dd>{column.render(row)}</dd>
        </div>
      ))}
    </dl>
  )
}
