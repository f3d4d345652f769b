import { about } from '@oms/contract/kernel/fields.ts'
import type * as z from 'zod'

/** The Chinese names of a form's fields, for the differences in the operation log. */
export const titlesOf = (schema: z.ZodObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(schema.shape).map((field) => [field, about(schema, field).title as string]))
