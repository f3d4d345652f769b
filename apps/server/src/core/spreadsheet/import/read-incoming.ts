import { invalid } from '#core/http/api-error.ts'
import { TableUnreadable } from '#core/spreadsheet/table-limits.ts'

/** Converts an error of the table reader into an API error of the field `file`. */
export function throwTableError(error: unknown): never {
  throw error instanceof TableUnreadable ? invalid(error.message, 'file') : error
}
