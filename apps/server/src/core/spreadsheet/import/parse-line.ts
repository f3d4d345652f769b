import { about } from '@oms/contract/core/fields.ts'
import { joinProblems } from '@oms/contract/core/transfer.ts'
import type * as z from 'zod'
import { type ApiError, invalid } from '#core/http/api-error.ts'
import type { Row } from '#core/spreadsheet/cell.ts'
import { readFieldTitle } from '#core/spreadsheet/header.ts'
import type { TableRow } from '#core/spreadsheet/table-limits.ts'
import { EXAMPLE_PROBLEM, isExampleLine } from './example-line.ts'
import { type ColumnFields, readLineCells } from './line-cells.ts'

/** Converts cells for the schema: words to codes, names to ids. `refuse` adds a problem to the line. */
export type CellConverter<State> = (
  given: Readonly<Record<string, string>>,
  state: State,
  refuse: (problem: ApiError) => void,
) => Record<string, unknown>

interface LineReader {
  readonly schema: z.ZodObject
  readonly cells?: CellConverter<unknown> | undefined
  /** Example line of the template, which is refused. */
  readonly example: Row
}
interface Line {
  readonly row: TableRow
  readonly columns: ColumnFields
  readonly state?: unknown
}

export interface ParsedLine {
  /** Texts of the readable cells by field. */
  readonly given: Readonly<Record<string, string>>
  /** Fields that an update may change. */
  readonly filled: ReadonlySet<string>
  /** Parsed fields. For an invalid line, only its valid fields. */
  readonly fields: Record<string, unknown>
  /** One problem for each invalid field, and problems without a field. Empty for a valid line. */
  readonly problems: readonly ApiError[]
}

/** Parses a line of a table. One invalid field does not hide the problems of the other fields. */
export function parseLine({ schema, cells, example }: LineReader, { row, columns, state }: Line): ParsedLine {
  const { given, filled, problems: unreadable } = readLineCells(row, columns)
  // The other problems of the example line would only hide the reason.
  if (isExampleLine(given, example)) return { given, filled, fields: {}, problems: [invalid(EXAMPLE_PROBLEM)] }
  const problems = [...unreadable]
  const converted = cells?.(given, state, (problem) => void problems.push(problem)) ?? given
  const result = schema.safeParse(converted)
  const refused = new Set(problems.map(fieldOf))
  for (const { message, path } of result.error?.issues ?? []) {
    const field = String(path[0] ?? '')
    const text = describeUnknownWord(schema, field, given[field]) ?? message
    if (!refused.has(field)) problems.push(invalid(text, path.map(String).join('.')))
    refused.add(field)
  }
  const parsed = result.success ? result.data : parseFields(schema, converted)
  const fields = Object.fromEntries(Object.entries(parsed).filter(([key]) => !refused.has(key)))
  return { given, filled, fields, problems }
}

/** Returns the problem of a cell whose word is none of the labels of its field; undefined for other fields. */
function describeUnknownWord(schema: z.ZodObject, field: string, word = '') {
  const { title, labels } = about(schema, field)
  return labels && word !== '' ? `${title}只能填写${Object.values(labels).join('、')}` : undefined
}

const fieldOf = (problem: ApiError) => problem.data?.field?.split('.')[0] ?? ''

function parseFields({ shape }: z.ZodObject, values: Readonly<Record<string, unknown>>) {
  const parsed: Record<string, unknown> = {}
  for (const [key, schema] of Object.entries(shape)) {
    const result = (schema as z.ZodType).safeParse(values[key])
    if (result.success) parsed[key] = result.data
  }
  return parsed
}

/** Returns the problems with the titles of their fields, in the order of the table's columns. */
export function describeProblems(
  schema: z.ZodObject,
  { fields }: Pick<ColumnFields, 'fields'>,
  problems: readonly ApiError[],
) {
  const place = (problem: ApiError) => fields.indexOf(fieldOf(problem))
  return problems
    .toSorted((a, b) => place(a) - place(b))
    .map((problem) => {
      const field = fieldOf(problem)
      // A field that the table does not have, such as the data scope of a chosen role, has no title.
      return { ...(schema.shape[field] && { field: readFieldTitle(schema, field) }), msg: problem.message }
    })
}

/** Returns the text for all problems of a line. The text names the fields when there are several problems. */
export const summarizeProblems = (problems: ReturnType<typeof describeProblems>) =>
  problems.length === 1 ? problems[0]!.msg : joinProblems(problems)
