export type TableDensity = 'large' | 'medium' | 'small'
export type Pin = 'left' | 'right' | null

/** Table settings of an account. Absent values use the defaults of the screen. */
export interface TableSettings {
  readonly order?: readonly string[]
  readonly hidden?: Readonly<Record<string, boolean>>
  readonly width?: Readonly<Record<string, number>>
  readonly pin?: Readonly<Record<string, Pin>>
  readonly density?: TableDensity
}

/** The column properties that settings use. */
export interface ConfigurableColumn {
  readonly key: string
  readonly title: string
  readonly width?: number | undefined
  readonly pin?: Pin | undefined
  /** True for columns that are hidden by default. */
  readonly hidden?: boolean | undefined
  /** True for columns that cannot be hidden or moved, such as actions. */
  readonly fixed?: boolean | undefined
}

export const MIN_WIDTH = 60
export const MAX_WIDTH = 800

/** Returns the columns in the account's order; a new column follows its default neighbour. */
export function arrangeColumns<C extends ConfigurableColumn>(
  columns: readonly C[],
  { order = [] }: TableSettings,
): C[] {
  const result = order.flatMap((key) => columns.find((column) => column.key === key && !column.fixed) ?? [])
  const known = new Set(result.map(({ key }) => key))
  columns.forEach((column, index) => {
    if (known.has(column.key) || column.fixed) return
    const before = columns.slice(0, index).findLast(({ key }) => known.has(key))
    result.splice(before ? result.indexOf(before) + 1 : 0, 0, column)
    known.add(column.key)
  })
  return [...result, ...columns.filter(({ fixed }) => fixed)]
}

/** Returns the visible columns with widths, and with pinned columns at their edge. */
export function applySettings<C extends ConfigurableColumn>(columns: readonly C[], settings: TableSettings): C[] {
  const shown = arrangeColumns(columns, settings)
    .filter((column) => column.fixed || !isColumnHidden(column, settings))
    .map((column) => ({ ...column, width: widthOf(column, settings), pin: findColumnPin(column, settings) }))
  const side = (wanted: Pin) => shown.filter(({ pin }) => (pin ?? null) === wanted)
  return [...side('left'), ...side(null), ...side('right')]
}

export const isColumnHidden = (column: ConfigurableColumn, { hidden }: TableSettings) =>
  hidden?.[column.key] ?? column.hidden ?? false
export const findColumnPin = (column: ConfigurableColumn, { pin }: TableSettings): Pin =>
  pin?.[column.key] ?? column.pin ?? null
const widthOf = (column: ConfigurableColumn, { width }: TableSettings) => width?.[column.key] ?? column.width

/** Moves a column to the position of another column. */
export function moveColumn(
  columns: readonly ConfigurableColumn[],
  settings: TableSettings,
  from: string,
  to: string,
): TableSettings {
  const order = arrangeColumns(columns, settings).flatMap(({ key, fixed }) => (fixed ? [] : [key]))
  const target = order.indexOf(to)
  if (!order.includes(from) || target < 0) return settings
  const rest = order.filter((key) => key !== from)
  rest.splice(target, 0, from)
  return { ...settings, order: rest }
}

/** Hides or shows a column; the last visible column cannot be hidden. */
export function toggleColumn(
  columns: readonly ConfigurableColumn[],
  settings: TableSettings,
  key: string,
): TableSettings {
  const shown = columns.filter((column) => !column.fixed && !isColumnHidden(column, settings))
  const column = columns.find((each) => each.key === key)
  if (!column || (shown.length === 1 && shown[0]?.key === key)) return settings
  return { ...settings, hidden: { ...settings.hidden, [key]: !isColumnHidden(column, settings) } }
}

export const resizeColumn = (settings: TableSettings, key: string, width: number): TableSettings => ({
  ...settings,
  width: { ...settings.width, [key]: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))) },
})

export const pinColumn = (settings: TableSettings, key: string, pin: Pin): TableSettings => ({
  ...settings,
  pin: { ...settings.pin, [key]: pin },
})
