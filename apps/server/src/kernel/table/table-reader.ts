import { extensionOf } from '@oms/contract/upload.ts'
import { csvRows, type TableSource } from './csv-reader.ts'
import { TABLE_LIMITS, type TableLimits, type TableRow, TableUnreadable } from './table-limits.ts'
import { xlsxRows } from './xlsx-reader.ts'

export interface OpenTable {
  /** The first line that is not empty, trimmed. */
  readonly header: readonly string[]
  /** The lines after it, without empty ones; each is as long as the header or longer. To be read once. */
  readonly rows: AsyncGenerator<TableRow>
}

/** Opens an xlsx or csv file for import; rejects, like the reading of rows, with `TableUnreadable`. */
export async function openTable(
  source: TableSource,
  name: string,
  limits: Partial<TableLimits> = {},
): Promise<OpenTable> {
  const all = { ...TABLE_LIMITS, ...limits }
  const rows = extensionOf(name) === 'csv' ? csvRows(source, all) : xlsxRows(source, all)
  for (;;) {
    const { done, value } = await rows.next()
    if (done) throw new TableUnreadable('表格中没有数据')
    if (isEmpty(value)) continue
    const header = value.cells.map((cell) => cell.trim())
    while (header.at(-1) === '') header.pop()
    return { header, rows: filled(rows, header.length) }
  }
}

async function* filled(rows: AsyncGenerator<TableRow>, width: number) {
  for await (const row of rows) {
    if (isEmpty(row)) continue
    const short = width - row.cells.length
    yield short > 0 ? { ...row, cells: [...row.cells, ...Array.from({ length: short }, () => '')] } : row
  }
}

const isEmpty = ({ cells }: TableRow) => cells.every((cell) => cell.trim() === '')
