import type { TableProps } from 'antd'
import { type HTMLAttributes, type Key, type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { BatchBar } from './batch-bar.tsx'
import type { Column } from './columns.tsx'
import './kit.css'
import { Pager } from './pager.tsx'
import { ShownColumnsProvider } from './shown-columns.ts'
import { TableCards } from './table-cards.tsx'
import { applied, resized, type TableSettings } from './table-settings.ts'
import { type Emptiness, EmptyRows, LoadFailed, RowsSkeleton } from './table-state.tsx'
import { TableTools } from './table-toolbar.tsx'
import { TableView, VIRTUAL_ROWS } from './table-view.tsx'
import type { ListTable } from './use-list.ts'
import { usePhone } from './use-media.ts'
import { usePreference } from './use-preference.ts'

/** Rows a person ticked, also on other pages. */
export interface Picked<Row> {
  readonly rows: readonly Row[]
  clear(): void
}

interface DataTableProps<Row> extends ListTable<Row> {
  rowKey: keyof Row & string
  columns: readonly Column<Row>[]
  /** Distinguishes two tables of one screen in the account's settings. */
  name?: string
  /** Buttons above the table, at the left: 新增 and its like. */
  actions?: ReactNode
  /** Beside the round tools, at the right: export and its like. */
  tools?: ReactNode
  /** Makes rows selectable and says what can be done to those selected. */
  batch?: (picked: Picked<Row>) => ReactNode
  selectable?: (row: Row) => boolean
  empty?: Emptiness
  expandable?: TableProps<Row>['expandable']
  /** A double click on a row; offer the same as an action, for those without a mouse. */
  onOpen?: (row: Row) => void
  /** More that a row listens to, as a tree whose rows are dragged. */
  rowProps?: (row: Row) => HTMLAttributes<HTMLElement>
}

const NOTHING: Emptiness = { text: '暂无数据' }

/** A list as people work with it: toolbar, table (cards on a phone), batch bar, pager, and a word for every state. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { rows, name = 'table', refusal, pending, empty = NOTHING } = props
  const place = useRef<HTMLElement>(null)
  const [settings, setSettings] = useTableSettings(name)
  const [full, setFull] = useFullScreen()
  const [picked, setPicked] = useState<readonly Row[]>([])
  return (
    <section ref={place} className={full ? 'kit-card kit-full' : 'kit-card'} aria-busy={props.fetching}>
      <Toolbar
        {...props}
        settings={settings}
        onSettings={setSettings}
        full={full}
        onFull={() => setFull(!full)}
        picked={picked}
        onClear={() => setPicked([])}
      />
      {refusal && <LoadFailed refusal={refusal} onRetry={props.onRefresh} />}
      {pending && !refusal && <RowsSkeleton rows={10} />}
      {!pending && !refusal && rows.length === 0 && <EmptyRows {...props} empty={empty} />}
      {rows.length > 0 && (
        <Rows
          {...props}
          place={place}
          settings={settings}
          onSettings={setSettings}
          picked={picked}
          onPicked={setPicked}
        />
      )}
      {rows.length > 0 && props.onPage && <Pager {...props} onPage={props.onPage} />}
    </section>
  )
}

interface ToolbarProps<Row> extends DataTableProps<Row> {
  settings: TableSettings
  onSettings(next: TableSettings): void
  full: boolean
  onFull(): void
  picked: readonly Row[]
  onClear(): void
}

/** Above the rows: what can be done to the list, or to the rows picked, and the round tools at the right. */
function Toolbar<Row extends object>(props: ToolbarProps<Row>) {
  const { columns, actions, tools, batch, settings, picked, onClear } = props
  return (
    <div className="kit-toolbar">
      {batch && picked.length > 0 ? (
        <BatchBar count={picked.length} onClear={onClear}>
          {batch({ rows: picked, clear: onClear })}
        </BatchBar>
      ) : (
        <div className="kit-actions">{actions}</div>
      )}
      <ShownColumnsProvider value={applied(columns, settings).flatMap(({ key, fixed }) => (fixed ? [] : [key]))}>
        {tools}
      </ShownColumnsProvider>
      <TableTools
        columns={columns}
        settings={settings}
        fetching={props.fetching}
        full={props.full}
        onSettings={props.onSettings}
        onRefresh={props.onRefresh}
        onFull={props.onFull}
      />
    </div>
  )
}

interface RowsProps<Row> extends DataTableProps<Row> {
  place: React.RefObject<HTMLElement | null>
  settings: TableSettings
  onSettings(next: TableSettings): void
  picked: readonly Row[]
  onPicked(rows: readonly Row[]): void
}

function Rows<Row extends object>(props: RowsProps<Row>) {
  const { rows, rowKey, batch, settings, onSettings, picked, onPicked, selectable } = props
  const columns = applied(props.columns, settings)
  const phone = usePhone()
  // A tree has no cards, and thousands of them would never end: both scroll as tables.
  if (phone && !props.expandable && rows.length <= VIRTUAL_ROWS) {
    const onPick = (row: Row, on: boolean) =>
      onPicked(on ? [...picked, row] : picked.filter((each) => each[rowKey] !== row[rowKey]))
    return <TableCards {...props} columns={columns} picked={batch && picked} onPick={onPick} />
  }
  const selection: TableProps<Row>['rowSelection'] = batch && {
    preserveSelectedRowKeys: true,
    selectedRowKeys: picked.map((row) => row[rowKey] as Key),
    onChange: (_keys, next) => onPicked(next),
    getTitleCheckboxProps: () => ({ 'aria-label': '选择本页全部' }),
    getCheckboxProps: (row) => ({
      'aria-label': `选择 ${String(row[rowKey])}`,
      disabled: selectable ? !selectable(row) : false,
    }),
    fixed: true,
    columnWidth: 48,
  }
  return (
    <TableView
      {...props}
      rows={rows}
      // On a phone pinned columns would leave no room for what scrolls between them.
      columns={phone ? columns.map((column) => ({ ...column, pin: null })) : columns}
      density={settings.density ?? 'medium'}
      selection={selection}
      expandable={props.expandable}
      onOpen={props.onOpen}
      rowProps={props.rowProps}
      onWidth={(key, width) => onSettings(resized(settings, key, width))}
    />
  )
}

function useTableSettings(name: string) {
  const { pathname } = useLocation()
  return usePreference<TableSettings>(`columns:${pathname}:${name}`, {})
}

/** The table over the whole window; dialogs still open above it, and Escape leads back. */
function useFullScreen() {
  const [full, setFull] = useState(false)
  useEffect(() => {
    if (!full) return
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && !event.defaultPrevented && setFull(false)
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [full])
  return [full, setFull] as const
}
