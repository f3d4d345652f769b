import type * as z from 'zod'

/** The Chinese name of each field of a form, as the operation log shows what changed. */
export const titlesOf = (shape: Readonly<Record<string, z.ZodType>>): Record<string, string> =>
  Object.fromEntries(Object.entries(shape).map(([field, schema]) => [field, String(schema.meta()?.title ?? field)]))
