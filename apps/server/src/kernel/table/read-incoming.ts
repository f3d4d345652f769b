import { invalid } from '#kernel/problem.ts'
import { TableUnreadable } from './table-limits.ts'

/** Turns the reader's complaint into a refusal at the file. */
export function explained(error: unknown): never {
  throw error instanceof TableUnreadable ? invalid(error.message, 'file') : error
}
