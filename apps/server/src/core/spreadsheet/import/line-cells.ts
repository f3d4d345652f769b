import { about } from '@oms/contract/core/fields.ts'
import { trimInvisible } from '@oms/contract/core/normalize-line.ts'
import type * as z from 'zod'
import { type ApiError, invalid } from '#core/http/api-error.ts'
import { encrypt, decrypt } from '#core/crypto/encrypted-value.ts'
import { CELL_PROBLEMS, CORRECTION_MARK } from '#core/spreadsheet/cell-problems.ts'
import type { TableRow } from '#core/spreadsheet/table-limits.ts'

/** Cell text that clears a field in an update. An empty cell keeps the field unchanged. */
export const CLEAR_CELL_MARK = '#清空'
/** Prefix of an encrypted secret in a file of failed lines. */
const ENCRYPTED = '已加密:'
const UNDECRYPTABLE = '密文不完整或不是由本系统生成，请填写原内容'

export interface ColumnFields {
  readonly schema: z.ZodObject
  readonly header: readonly string[]
  /** Field of each column. */
  readonly fields: readonly (string | undefined)[]
  /** Fields that are only returned encrypted. */
  readonly secret: readonly string[]
  readonly secretKey: Buffer
}

export interface GivenCells {
  /** Texts by field for the columns of the table. */
  readonly given: Readonly<Record<string, string>>
  /** Fields that an update changes: cells that are not empty or clear the field. */
  readonly filled: ReadonlySet<string>
  /** Unreliable cells, at most one problem for each field. */
  readonly problems: readonly ApiError[]
}

/** Returns the readable cells of a line by field, and the problems of the other cells. */
export function readLineCells(row: TableRow, columns: ColumnFields): GivenCells {
  const { header, fields, secret, secretKey } = columns
  const given: Record<string, string> = {}
  const filled = new Set<string>()
  const found: ApiError[] = []
  for (const [at, cell] of row.cells.entries()) {
    const field = fields[at]
    const text = secret.includes(field ?? '') ? cell.trim() : trimInvisible(cell)
    const problem = findCellProblem(row, columns, at)
    if (problem && field) found.push(invalid(problem, field))
    else if (!header[at] && (text !== '' || problem)) found.push(invalid(CELL_PROBLEMS.untitled(at + 1)))
    else if (field) {
      if (text !== '') filled.add(field)
      const plain = secret.includes(field) ? decryptCell(secretKey, text) : text
      if (plain === undefined) found.push(invalid(UNDECRYPTABLE, field))
      else given[field] = text === CLEAR_CELL_MARK ? '' : plain
    }
  }
  return { given, filled, problems: found }
}

/** Returns the reason why a cell is refused. A date is refused only in a column without dates. */
function findCellProblem({ problems }: TableRow, { schema, fields }: ColumnFields, at: number) {
  const problem = problems?.get(at)
  const takesDate = problem === CELL_PROBLEMS.date && about(schema, fields[at] ?? '').format?.startsWith('date')
  return takesDate ? undefined : problem
}

/** Returns a line's cells for the file of failed lines. */
export const buildFailureCells = (row: TableRow, columns: ColumnFields) =>
  row.cells.map((cell, at) => {
    const { fields, secret, secretKey } = columns
    if (secret.includes(fields[at] ?? '') && cell !== '' && !cell.startsWith(ENCRYPTED))
      return `${ENCRYPTED}${encrypt(secretKey, cell)}`
    return findCellProblem(row, columns, at) && !cell.startsWith(CORRECTION_MARK) ? `${CORRECTION_MARK} ${cell}` : cell
  })

/** Returns the plain text of a secret cell; undefined when the ciphertext is damaged or from another system. */
function decryptCell(secretKey: Buffer, text: string) {
  if (!text.startsWith(ENCRYPTED)) return text
  try {
    return decrypt(secretKey, text.slice(ENCRYPTED.length))
  } catch {
    return undefined
  }
}
