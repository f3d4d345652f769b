/** Resource limits of an imported file. All limits protect against small files that unpack into large files. */
export interface TableLimits {
  readonly maxEntries: number
  /** Also the maximum characters of all cells together, because cells can share one stored text. */
  readonly maxUnpackedBytes: number
  /** Ratio of unpacked to packed size. Checked only for unpacked sizes above 10 MB. */
  readonly maxRatio: number
  readonly maxRows: number
  readonly maxColumns: number
}

/** Raise `maxUnpackedBytes` for imports of 100,000 rows and more. */
export const TABLE_LIMITS: TableLimits = {
  maxEntries: 2000,
  maxUnpackedBytes: 50 * 1024 * 1024,
  maxRatio: 100,
  maxRows: 200_000,
  maxColumns: 200,
}

export const RATIO_FLOOR_BYTES = 10 * 1024 * 1024

/** Maximum characters of a cell, as in Excel. */
export const MAX_CELL_CHARACTERS = 32_767
export const TABLE_TOO_LARGE = '表格内容过大，请拆分后重新上传'

/** The file is not a readable table. The message explains the reason to the user. */
export class UnreadableTableError extends Error {
  override readonly name = 'UnreadableTableError'
}

/** Bytes of a table: in memory or in a local file. */
export type TableSource = Uint8Array | { readonly path: string }

/** A row with its spreadsheet number, starting at 1. Missing cells are empty texts. */
export interface TableRow {
  readonly row: number
  readonly cells: readonly string[]
  /** Index and reason of cells whose text may differ from the author's input. */
  readonly problems?: ReadonlyMap<number, string>
  /** True for a row that the spreadsheet hides, for example by a filter. */
  readonly isHidden?: true
}
