import { trimInvisible } from '@oms/contract/core/normalize-line.ts'
import { readFileExtension } from '@oms/contract/core/upload.ts'
import { CELL_PROBLEMS } from './columns.ts'
import { readCsvRows } from './formats/csv.ts'
import {
  TABLE_LIMITS,
  type TableLimits,
  type TableRow,
  type TableSource,
  UnreadableTableError,
} from './table-thread.ts'
import { readXlsxRows } from './formats/xlsx-reader.ts'

export interface OpenTable {
  /** First non-empty line, trimmed and without invisible characters. */
  readonly header: readonly string[]
  /** Non-empty lines after the header, each at least as long as the header. Can be iterated once. */
  readonly rows: AsyncGenerator<TableRow>
  /** Releases the resources of the table. Call this function also after an error. */
  close(): void
}

/** Opens an xlsx or csv file for import. Opening and reading rows reject with `UnreadableTableError`. */
export async function openTable(
  source: TableSource,
  name: string,
  limits: Partial<TableLimits> = {},
): Promise<OpenTable> {
  const all = { ...TABLE_LIMITS, ...limits }
  const rows = readFileExtension(name) === 'csv' ? readCsvRows(source, all) : readXlsxRows(source, all)
  for (;;) {
    const { done, value } = await rows.next()
    if (done) throw new UnreadableTableError('表格中没有数据')
    if (isEmpty(value)) continue
    if ([...(value.problems?.values() ?? [])].includes(CELL_PROBLEMS.quote))
      throw new UnreadableTableError(`表格第${value.row}行${CELL_PROBLEMS.quote}`)
    const header = value.cells.map(trimInvisible)
    while (header.at(-1) === '') header.pop()
    return { header, rows: filled(rows, header.length), close: () => void rows.return(undefined) }
  }
}

async function* filled(rows: AsyncGenerator<TableRow>, width: number) {
  for await (const row of rows) {
    if (isEmpty(row)) continue
    const short = width - row.cells.length
    yield short > 0 ? { ...row, cells: [...row.cells, ...Array.from({ length: short }, () => '')] } : row
  }
}

const isEmpty = ({ cells, problems }: TableRow) => !problems && cells.every((cell) => trimInvisible(cell) === '')
