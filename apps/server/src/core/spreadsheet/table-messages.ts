import type { TableLimits, TableRow } from './table-limits.ts'

/** Input of a table thread. */
export interface TableThreadInput {
  readonly bytes: Uint8Array
  readonly name: string
  readonly limits: Partial<TableLimits>
}

/** Message to the thread: requests the next rows. */
export type TableThreadRequest = 'next'

/** Messages from the thread: first the header, then requested rows, an empty list at the end. */
export type TableThreadResponse =
  | { readonly header: readonly string[] }
  | { readonly rows: readonly TableRow[] }
  | { readonly unreadable: string }
  | { readonly fault: string }
