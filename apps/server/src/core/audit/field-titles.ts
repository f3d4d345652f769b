import type * as z from 'zod'

/** Returns the Chinese title of each form field. The operation log labels changed fields with these titles. */
export const readFieldTitles = (shape: Readonly<Record<string, z.ZodType>>): Record<string, string> =>
  Object.fromEntries(Object.entries(shape).map(([field, schema]) => [field, String(schema.meta()?.title ?? field)]))
