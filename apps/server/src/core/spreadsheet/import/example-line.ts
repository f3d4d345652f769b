import { formatCell, type Row } from '#core/spreadsheet/cell.ts'

/** Cell of a template's example line. A line with this cell is never imported. */
export const EXAMPLE_MARK = '示例行，导入前请删除'
export const EXAMPLE_PROBLEM = '这是模板的示例行，请删除'

/**
 * Returns whether a line is the example of the template: the line has the mark, or all its cells are those of the
 * example. A line without any cell of the example is not the example.
 */
export function isExampleLine(given: Readonly<Record<string, string>>, example: Row) {
  const cells = Object.entries(given)
  if (cells.some(([, text]) => text === EXAMPLE_MARK)) return true
  return cells.some(([, text]) => text !== '') && cells.every(([key, text]) => text === formatCell(example[key]))
}
