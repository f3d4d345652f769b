import * as z from 'zod'
import type { Access } from './endpoint.ts'
import { search } from './fields.ts'

const option = z.object({ id: z.int(), name: z.string() })

interface Shapes<Row extends z.ZodRawShape, Asked extends z.ZodRawShape> {
  /** What a choice says beside its name. */
  readonly row: Row
  /** What narrows the choices beside the keyword. */
  readonly asked: Asked
}

/** Choices of a filter or form: at most a hundred, narrowed by a keyword. */
export const optionsAt = <
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
