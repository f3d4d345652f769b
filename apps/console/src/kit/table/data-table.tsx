import type { TableProps } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { useMayCall } from '#core/auth/session.tsx'
import { BatchBar } from '#kit/list/batch-bar.tsx'
import { ListHead } from '#kit/list/list-head.tsx'
import { readViewColumns, SavedViews, useSavedViews } from '#kit/list/saved-views.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'
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
import { useLooks } from './use-looks.ts'
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
  /** Views that the product brings, as tabs above the filters. */
  views?: readonly BuiltInView[]
  /** Buttons of the list, such as 新增, in the header of the page or above the rows. */
  actions?: ReactNode
  /** Quiet buttons beside the tool buttons of the table, such as export. */
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
const NO_VIEWS: readonly BuiltInView[] = []

/** Renders a list: toolbar, table (cards on phones), batch bar, pager, and loading, empty and error states. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { rows, name = 'table', refusal, pending, empty = NOTHING } = props
  const place = useRef<HTMLElement>(null)
  const isReady = !pending && !refusal
  const views = useSavedViews(props.address, props.views ?? NO_VIEWS, isReady)
  const [settings, setSettings] = useTableSettings(name, readViewColumns(views))
  const density = useDensity(settings)
  const [full, setFull] = useFullScreen()
  const [picked, setPicked] = usePicked(props)
  const selectAll = async () => {
    const all = ((await props.loadAll?.()) ?? []) as Row[]
    setPicked(all.filter((row) => props.findSelectionBlock?.(row) === undefined))
  }
  return (
    <section
      ref={place}
      className={full ? 'kit-card kit-list kit-full' : 'kit-card kit-list'}
      aria-busy={props.fetching}
    >
      <Toolbar
        {...props}
        place={place}
        tabs={
          props.address && <SavedViews views={views} address={props.address} settings={settings} isReady={isReady} />
        }
        settings={settings}
        density={density}
        onSettings={setSettings}
        full={full}
        onFull={() => setFull(!full)}
      />
      {props.batch && picked.length > 0 && (
        <BatchBar
          count={picked.length}
          total={props.total}
          onSelectAll={props.total > rows.length && props.loadAll ? selectAll : undefined}
          onClear={() => setPicked([])}
        >
          {props.batch({ rows: picked, clear: () => setPicked([]) })}
        </BatchBar>
      )}
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
  place: React.RefObject<HTMLElement | null>
  tabs: ReactNode
  settings: TableSettings
  density: TableDensity
  onSettings(next: TableSettings): void
  full: boolean
  onFull(): void
}

/** Title, total and buttons of the list. In full window size only the tool buttons remain. */
function Toolbar<Row extends object>(props: ToolbarProps<Row>) {
  const { columns, actions, tools, settings, full } = props
  const shown = applySettings(columns, settings).flatMap(({ key, fixed }) => (fixed ? [] : [key]))
  const toolbar = (
    <TableToolbar
      columns={columns}
      settings={settings}
      density={props.density}
      fetching={props.fetching}
      full={full}
      onSettings={props.onSettings}
      onRefresh={props.onRefresh}
      onFull={props.onFull}
    />
  )
  return (
    <ShownColumnsProvider value={shown}>
      {full && <div className="kit-toolbar">{toolbar}</div>}
      <ListHead
        {...props}
        loaded={!props.pending && !props.refusal}
        actions={actions}
        tools={
          <>
            {!full && toolbar}
            {tools}
          </>
        }
      />
    </ShownColumnsProvider>
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

/** Returns the account's settings of the table. A view with columns has settings of its own, which start with its columns. */
function useTableSettings(name: string, view: ReturnType<typeof readViewColumns>) {
  const { pathname } = useLocation()
  return usePreference<TableSettings>(`columns:${pathname}:${name}${view ? `:${view.key}` : ''}`, view?.settings ?? {})
}

/** Returns the density of the table, or of all tables of the account; by default rows are compact in a short window. */
function useDensity({ density }: TableSettings): TableDensity {
  const isShort = useIsShortWindow()
  const { looks } = useLooks()
  return density ?? looks.density ?? (isShort ? 'small' : 'medium')
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
