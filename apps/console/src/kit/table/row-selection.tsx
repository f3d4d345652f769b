import { Checkbox, type CheckboxProps, type TableProps } from 'antd'
import type { Key } from 'react'
import { DisabledFor } from '#kit/feedback/disabled-for.tsx'
import '#kit/kit.css'

/** Width in pixels of the column that antd adds for selection. */
export const SELECTION_WIDTH = 48

/** Returns why a row cannot be selected; undefined when the row can be selected. */
export type FindSelectionBlock<Row> = (row: Row) => string | undefined

interface Selection<Row> {
  readonly rows: readonly Row[]
  readonly rowKey: keyof Row & string
  readonly picked: readonly Row[]
  readonly findBlock: FindSelectionBlock<Row> | undefined
  onPicked(rows: readonly Row[]): void
}

const NO_SELECTABLE_ROW = '本页没有可以选择的数据'

/** Returns the selection column of antd's table. The checkbox of a row that cannot be selected shows the reason. */
export function buildRowSelection<Row extends object>(selection: Selection<Row>): TableProps<Row>['rowSelection'] {
  const { rows, rowKey, picked, findBlock, onPicked } = selection
  const labelOf = (row: Row) => formatSelectLabel(row[rowKey])
  const isAllBlocked = findBlock !== undefined && rows.every((row) => findBlock(row) !== undefined)
  return {
    preserveSelectedRowKeys: true,
    selectedRowKeys: picked.map((row) => row[rowKey] as Key),
    // antd does not know the rows of pages that it has not shown.
    onChange: (keys) => onPicked([...rows, ...picked].filter(isFirstOf(keys, rowKey))),
    getTitleCheckboxProps: () => ({ 'aria-label': SELECT_ALL }),
    // antd leaves the disabled rows out when the user selects all rows.
    getCheckboxProps: (row) => ({ 'aria-label': labelOf(row), disabled: findBlock?.(row) !== undefined }),
    columnTitle: (checkbox) =>
      isAllBlocked ? <BlockedCheckbox aria-label={SELECT_ALL} reason={NO_SELECTABLE_ROW} /> : checkbox,
    renderCell: (checked, row, _index, checkbox) => {
      const reason = findBlock?.(row)
      if (reason === undefined) return checkbox
      return <BlockedCheckbox aria-label={labelOf(row)} reason={reason} checked={checked} />
    },
    fixed: true,
    columnWidth: SELECTION_WIDTH,
  }
}

/** Returns a filter that keeps the first row of each key. */
function isFirstOf<Row>(keys: readonly Key[], rowKey: keyof Row & string) {
  const wanted = new Set(keys)
  return (row: Row) => wanted.delete(row[rowKey] as Key)
}

const SELECT_ALL = '选择本页全部'
const formatSelectLabel = (key: unknown) => `选择 ${String(key)}`

interface RowCheckboxProps {
  /** Key of the row. */
  readonly of: unknown
  readonly checked: boolean
  /** Disables the checkbox and says why. */
  readonly reason: string | undefined
  onPick(on: boolean): void
}

/** The checkbox of a row that is shown as a card. */
export function RowCheckbox({ of, checked, reason, onPick }: RowCheckboxProps) {
  const shown = { 'aria-label': formatSelectLabel(of), checked }
  if (reason !== undefined) return <BlockedCheckbox {...shown} reason={reason} />
  return <Checkbox {...shown} onChange={({ target }) => onPick(target.checked)} />
}

/** A checkbox that cannot be changed. It stays focusable, and pointer, focus and touch show the reason. */
function BlockedCheckbox({ reason, checked = false, ...checkbox }: CheckboxProps & { readonly reason: string }) {
  return (
    <DisabledFor reason={reason}>
      {(why) => (
        <Checkbox
          {...checkbox}
          {...why}
          checked={checked}
          className="ant-checkbox-wrapper-disabled"
          classNames={{ icon: 'ant-checkbox-disabled' }}
        />
      )}
    </DisabledFor>
  )
}
