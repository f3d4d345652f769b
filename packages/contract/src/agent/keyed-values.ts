import * as z from 'zod'

/**
 * Returns a schema of a record with at most `max` keys. Counts the keys before any value is parsed. Otherwise a body
 * with a hundred thousand keys would create one validation issue for each key.
 */
export const limitRecordKeys = <R extends z.ZodRecord>(record: R, max: number, tooMany: string) =>
  z.preprocess<z.input<R>, R>((value, context) => {
    if (value === null || typeof value !== 'object' || Object.keys(value).length <= max) return value as z.input<R>
    context.addIssue({ code: 'custom', message: tooMany })
    return z.NEVER
  }, record)
