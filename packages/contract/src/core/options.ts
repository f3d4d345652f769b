import * as z from 'zod'
import type { Access } from './endpoint.ts'
import { search } from './fields.ts'

const option = z.object({ id: z.int(), name: z.string() })

interface Shapes<Row extends z.ZodRawShape, Asked extends z.ZodRawShape> {
  /** Secondary text of an option, shown beside the name. */
  readonly row: Row
  /** Additional filters beside the keyword. */
  readonly asked: Asked
}

/** Declares a call that returns at most 100 options for a filter or form, filtered by a keyword. */
export const declareOptions = <
  P extends `/api/v1/${string}`,
  A extends Access,
  Row extends z.ZodRawShape = Record<never, never>,
  Asked extends z.ZodRawShape = Record<never, never>,
>(
  path: P,
  access: A,
  { row, asked }: Partial<Shapes<Row, Asked>> = {},
) =>
  ({
    method: 'GET',
    path,
    access,
    input: z.object({ keyword: search('关键字', 64) }).extend((asked ?? {}) as Asked),
    result: z.object({ list: z.array(option.extend((row ?? {}) as Row)) }),
  }) as const
