import { QuestionCircleOutlined } from '@ant-design/icons'
import { Table, type TableColumnType, type TableProps, Tooltip } from 'antd'
import { type MouseEvent, type RefObject, Suspense, useMemo } from 'react'
import type { Sort } from '#kit/list/list-state.ts'
import type { Column } from './columns.tsx'
import { ResizableHeader } from './resizable-header.tsx'
import { SELECTION_WIDTH } from './row-selection.tsx'
import type { TableDensity } from './table-settings.ts'
import { RowsSkeleton } from './table-state.tsx'

/** Width in pixels of a column without a declared width. */
const DEFAULT_WIDTH = 150

/** Row count above which only visible rows are rendered (virtual scrolling). */
export const VIRTUAL_SCROLL_MIN_ROWS = 100

interface ViewProps<Row> {
  rows: readonly Row[]
  rowKey: keyof Row & string
  columns: readonly Column<Row>[]
  sort: Sort | undefined
  density: TableDensity
  turning: boolean
  place: RefObject<HTMLElement | null>
  onSort(column: string): void
  onWidth(key: string, width: number): void
  selection: TableProps<Row>['rowSelection']
  expandable: TableProps<Row>['expandable']
  onOpen: ((row: Row) => void) | undefined
}

/** A double press of a button in a row is no double click on the row, even when the first press replaced the button. */
const isOnControl = (target: EventTarget) =>
  target instanceof Element && target.closest('button, a, input, label, .kit-row-actions') !== null

/** antd's Table with server-side sorting, a sticky header and pinned actions. */
export function TableView<Row extends object>(props: ViewProps<Row>) {
  const { rows, columns, sort, onSort, onWidth, selection, place, onOpen } = props
  const virtual = rows.length > VIRTUAL_SCROLL_MIN_ROWS
  const shown = useMemo(() => columns.map((column) => antdColumn(column, sort, onWidth)), [columns, sort, onWidth])
  const width = columns.reduce((sum, column) => sum + (column.width ?? DEFAULT_WIDTH), selection ? SELECTION_WIDTH : 0)
  return (
    <Suspense fallback={<RowsSkeleton rows={10} />}>
      <Table<Row>
        ref={selection || columns.some(({ fixed }) => fixed) ? null : makeBodyFocusable}
        rowKey={props.rowKey}
        columns={shown}
        dataSource={rows as Row[]}
        size={props.density}
        pagination={false}
        tableLayout="fixed"
        loading={{ spinning: props.turning, delay: 150 }}
        scroll={{ x: width, ...(virtual && { y: 560 }) }}
        virtual={virtual}
        sticky={virtual ? false : { getContainer: () => findScrollParent(place.current) }}
        components={COMPONENTS}
        showSorterTooltip={SORT_TOOLTIP}
        onChange={(_page, _filters, sorter) => {
          // antd passes no column when sorting is cancelled, so the currently sorted column is used.
          const column = [sorter].flat()[0]?.columnKey
          const by = column === undefined ? sort?.column : columns.find(({ key }) => key === column)?.sort
          if (by) onSort(by)
        }}
        {...(selection && { rowSelection: selection })}
        {...(props.expandable && { expandable: props.expandable })}
        {...(onOpen && {
          onRow: (row: Row) => ({
            onDoubleClick: ({ target }: MouseEvent) => void (isOnControl(target) || onOpen(row)),
          }),
        })}
      />
    </Suspense>
  )
}

/** Makes a horizontally scrolling table focusable when no row contains a focusable element. */
const makeBodyFocusable = (table: { nativeElement: HTMLElement } | null) =>
  table?.nativeElement.querySelector('.ant-table-body')?.setAttribute('tabindex', '0')

/** Makes the tooltip ignore clicks, because the tooltip covers the buttons above the header. */
const SORT_TOOLTIP = { styles: { root: { pointerEvents: 'none' } } } as const

const COMPONENTS = { header: { cell: ResizableHeader } }

function antdColumn<Row>(
  column: Column<Row>,
  sort: Sort | undefined,
  onWidth: (key: string, width: number) => void,
): TableColumnType<Row> {
  const { key, title, width, pin, align, help, plain, render, sort: by, fixed } = column
  return {
    key,
    title: help ? <TitleWithHelp title={title} help={help} /> : title,
    width: width ?? DEFAULT_WIDTH,
    ...(pin && { fixed: pin === 'left' ? 'start' : 'end' }),
    ...(align && { align }),
    ...(align === 'right' && !fixed && { className: 'kit-end-cell' }),
    ...(by && {
      sorter: true,
      sortOrder: sort?.column === by ? (sort.direction === 'asc' ? 'ascend' : 'descend') : null,
    }),
    ...(plain && { shouldCellUpdate: (row: Row, before: Row) => plain(row) !== plain(before) }),
    render: (_, row) => render(row),
    onHeaderCell: () => (fixed ? {} : { 'data-key': key, onWidth }) as object,
  }
}

function TitleWithHelp({ title, help }: { title: string; help: string }) {
  return (
    <>
      {title}{' '}
      <Tooltip title={help}>
        <QuestionCircleOutlined className="kit-help" aria-label={help} />
      </Tooltip>
    </>
  )
}

/** Returns the scroll container of `element`: the page area, a drawer, or the document. */
function findScrollParent(element: Element | null): HTMLElement {
  for (let parent = element?.parentElement; parent; parent = parent.parentElement) {
    const { overflowY } = getComputedStyle(parent)
    if ((overflowY === 'auto' || overflowY === 'scroll') && parent !== document.body) return parent
  }
  return document.documentElement
}
