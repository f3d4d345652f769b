/** What a file to import may cost; every figure is there against a small file that unpacks into a large one. */
export interface TableLimits {
  readonly maxEntries: number
  readonly maxUnpackedBytes: number
  /** Unpacked to packed size; looked at only beyond 10 MB, where it begins to matter. */
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

/** The file is no table we can read; the message says so to the person. */
export class TableUnreadable extends Error {
  override readonly name = 'TableUnreadable'
}

/** A line as the spreadsheet numbers it, beginning with 1; missing cells are empty texts. */
export interface TableRow {
  readonly row: number
  readonly cells: readonly string[]
}
