import type { Column } from './columns.tsx'

/** Width in pixels of a column without a declared width. */
export const DEFAULT_WIDTH = 150
/** Width of a character of a title in pixels. */
const TITLE_CHARACTER = 14
const CELL_PADDING = 16
const SORT_ICON = 18
const HELP_ICON = 20

interface Fit {
  /** Width of the table without its selection column, in pixels. Undefined before the first layout. */
  readonly room: number | undefined
  /** Widths that the account has set; these columns keep their width. */
  readonly resized: Readonly<Record<string, number>> | undefined
}

/**
 * Returns the columns with widths that cut no column at the right edge of the first view: the edge of the pinned columns,
 * or the edge of the table. Flexible columns shrink so that as many columns as possible fit. When the next column does
 * not fit, the columns before it grow up to the edge.
 */
export function fitColumns<Row>(columns: readonly Column<Row>[], { room, resized }: Fit): Column<Row>[] {
  const natural = columns.map((column) => ({ ...column, width: column.width ?? DEFAULT_WIDTH }))
  const scrolled = natural.filter(({ pin }) => !pin)
  const view = (room ?? Number.POSITIVE_INFINITY) - (sum(natural) - sum(scrolled))
  if (sum(scrolled) <= view) return natural
  const least = scrolled.map((column) => (resized?.[column.key] === undefined ? leastWidth(column) : column.width))
  const count = countFitting(least, view)
  const seen = scrolled.slice(0, count)
  const missing = view - sum(seen)
  const slack = seen.map((column, index) => {
    if (resized?.[column.key] !== undefined) return 0
    return missing < 0 ? column.width - (least[index] ?? 0) : column.width
  })
  const change = distribute(missing, slack)
  const widths = new Map(seen.map(({ key, width }, index) => [key, width + (change[index] ?? 0)]))
  return natural.map((column) => ({ ...column, width: widths.get(column.key) ?? column.width }))
}

const sum = (columns: readonly { readonly width: number }[]) => columns.reduce((total, { width }) => total + width, 0)

/** Returns the number of columns from the first whose least widths fit into `view`. */
function countFitting(least: readonly number[], view: number) {
  let total = 0
  const cut = least.findIndex((width) => (total += width) > view)
  return cut < 0 ? least.length : cut
}

/** Splits a whole number of pixels in proportion to the weights. The parts add up to `pixels` exactly. */
function distribute(pixels: number, weights: readonly number[]) {
  const total = weights.reduce((all, weight) => all + weight, 0)
  if (total === 0) return weights.map(() => 0)
  let weight = 0
  let given = 0
  return weights.map((own) => {
    weight += own
    const part = Math.round((pixels * weight) / total) - given
    given += part
    return part
  })
}

/**
 * Returns the width to which a column may shrink. Only texts shrink, because a text wraps to a second line; tags, links
 * and switches do not wrap. A narrow text keeps its width: it often is a phone number or another code.
 */
function leastWidth<Row>({ title, width = DEFAULT_WIDTH, sort, help, plain, least }: Column<Row>) {
  if (least !== undefined) return Math.min(width, least)
  if (!plain) return width
  const header = [...title].length * TITLE_CHARACTER + CELL_PADDING + (sort ? SORT_ICON : 0) + (help ? HELP_ICON : 0)
  return Math.min(width, Math.max(header, NARROW_TEXT, Math.round(width * TEXT_SHARE)))
}
const TEXT_SHARE = 0.8
/** Width of a cell with a phone number in pixels. */
const NARROW_TEXT = 104
