import type { TableProps } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { useMayCall } from '#core/auth/session.tsx'
import { BatchBar } from '#kit/list/batch-bar.tsx'
import type { Column } from './columns.tsx'
import '#kit/kit.css'
import { Pager } from '#kit/list/pager.tsx'
import { buildRowSelection, type FindSelectionBlock } from './row-selection.tsx'
import { ShownColumnsProvider } from './shown-columns.ts'
import { TableCards } from './table-cards.tsx'
import { applySettings, type TableDensity, resizeColumn, type TableSettings } from './table-settings.ts'
import { type EmptyTableState, EmptyRows, LoadFailed, RowsSkeleton } from './table-state.tsx'
import { TableToolbar } from './table-toolbar.tsx'
import { TableView, VIRTUAL_SCROLL_MIN_ROWS } from './table-view.tsx'
import type { ListTable } from '#kit/list/use-list.ts'
import { useIsPhoneWidth, useIsShortWindow } from './use-media.ts'
import { usePreference } from './use-preference.ts'

/** Selected rows, including rows of other pages. */
export interface Picked<Row> {
  readonly rows: readonly Row[]
  clear(): void
}

interface DataTableProps<Row> extends ListTable<Row> {
  rowKey: keyof Row & string
  columns: readonly Column<Row>[]
  /** Distinguishes two tables of one screen in the account's preferences. */
  name?: string
  /** Buttons above the table on the left, such as 新增. */
  actions?: ReactNode
  /** Buttons above the table on the right, such as export. */
  tools?: ReactNode
  /** Makes rows selectable and defines their batch actions. */
  batch?: (picked: Picked<Row>) => ReactNode
  /** Returns why the batch actions cannot be applied to a row. The checkbox of the row is disabled and says why. */
  findSelectionBlock?: FindSelectionBlock<Row>
  empty?: EmptyTableState
  expandable?: TableProps<Row>['expandable']
  /** Called on double click; offer the same function as a row action for keyboard and touch. */
  onOpen?: (row: Row) => void
}

const NOTHING: EmptyTableState = { text: '暂无数据' }

/** Renders a list: toolbar, table (cards on phones), batch bar, pager, and loading, empty and error states. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { rows, name = 'table', refusal, pending, empty = NOTHING } = props
  const place = useRef<HTMLElement>(null)
  const [settings, setSettings] = useTableSettings(name)
  const density = useDensity(settings)
  const [full, setFull] = useFullScreen()
  const [picked, setPicked] = usePicked(props)
  return (
    <section ref={place} className={full ? 'kit-card kit-full' : 'kit-card'} aria-busy={props.fetching}>
      <Toolbar
        {...props}
        settings={settings}
        density={density}
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
          density={density}
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
  density: TableDensity
  onSettings(next: TableSettings): void
  full: boolean
  onFull(): void
  picked: readonly Row[]
  onClear(): void
}

/** Toolbar above the rows: list or batch actions on the left, tool buttons on the right. */
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
      <ShownColumnsProvider value={applySettings(columns, settings).flatMap(({ key, fixed }) => (fixed ? [] : [key]))}>
        {tools}
      </ShownColumnsProvider>
      <TableToolbar
        columns={columns}
        settings={settings}
        density={props.density}
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
  density: TableDensity
  onSettings(next: TableSettings): void
  picked: readonly Row[]
  onPicked(rows: readonly Row[]): void
}

function Rows<Row extends object>(props: RowsProps<Row>) {
  const { rows, rowKey, batch, settings, onSettings, picked, onPicked, findSelectionBlock } = props
  const columns = applySettings(usePermittedColumns(props.columns), settings)
  const phone = useIsPhoneWidth()
  // Trees have no cards, and thousands of cards would be too long: both use the table on phones.
  if (phone && !props.expandable && rows.length <= VIRTUAL_SCROLL_MIN_ROWS) {
    const onPick = (row: Row, on: boolean) =>
      onPicked(on ? [...picked, row] : picked.filter((each) => each[rowKey] !== row[rowKey]))
    return <TableCards {...props} columns={columns} picked={batch && picked} onPick={onPick} />
  }
  const selection = batch && buildRowSelection({ rows, rowKey, picked, findBlock: findSelectionBlock, onPicked })
  return (
    <TableView
      {...props}
      rows={rows}
      // Phones are too narrow for pinned columns.
      columns={phone ? columns.map((column) => ({ ...column, pin: null })) : columns}
      density={props.density}
      selection={selection}
      expandable={props.expandable}
      onOpen={props.onOpen}
      onWidth={(key, width) => onSettings(resizeColumn(settings, key, width))}
    />
  )
}

/** Returns the columns without those whose calls the account may not use. */
function usePermittedColumns<Row>(columns: readonly Column<Row>[]) {
  const mayCall = useMayCall()
  return columns.filter(({ calls }) => calls === undefined || calls.some(mayCall))
}

/** Returns the selected rows; removes rows that their query no longer returns, such as deleted rows. */
function usePicked<Row extends object>({ rows, rowKey, query, turning }: DataTableProps<Row>) {
  const [picked, setPicked] = useState<readonly Row[]>([])
  const [last, setLast] = useState({ rows, query })
  if (!turning && last.rows !== rows) {
    setLast({ rows, query })
    const keys = new Set(rows.map((row) => row[rowKey]))
    const isGone = (row: Row) => !keys.has(row[rowKey]) && last.rows.some((each) => each[rowKey] === row[rowKey])
    if (last.query === query && picked.some(isGone)) setPicked(picked.filter((row) => !isGone(row)))
  }
  return [picked, setPicked] as const
}

function useTableSettings(name: string) {
  const { pathname } = useLocation()
  return usePreference<TableSettings>(`columns:${pathname}:${name}`, {})
}

/** Returns the account's density; by default rows are compact in a short window. */
function useDensity({ density }: TableSettings): TableDensity {
  const isShort = useIsShortWindow()
  return density ?? (isShort ? 'small' : 'medium')
}

/** Shows the table in full window size. Dialogs still open above it; Escape closes it. */
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
