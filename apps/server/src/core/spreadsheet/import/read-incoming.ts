import { invalid } from '#core/http/api-error.ts'
import { UnreadableTableError } from '#core/spreadsheet/table-limits.ts'

/** Converts an error of the table reader into an API error of the field `file`. */
export function throwTableError(error: unknown): never {
  throw error instanceof UnreadableTableError ? invalid(error.message, 'file') : error
}
