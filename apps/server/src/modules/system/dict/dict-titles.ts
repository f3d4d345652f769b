import { about } from '@oms/contract/core/fields.ts'
import type * as z from 'zod'

/** Returns the Chinese field names of a schema for the differences in the operation log. */
export const readSchemaTitles = (schema: z.ZodObject): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(schema.shape).map((field) => [field, about(schema, field).title as string]))
