import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import * as z from 'zod'

let made = 0

/**
 * Returns candidate values for fields, the most specific first. Texts are new in each call, so that unique indexes
 * accept them.
 */
function candidates(): unknown[] {
  made += 1
  const text = `Tq${made}`
  const texts = [text, `tq_${made}`, `${10_000_000_000 + made}`, `138${String(made).padStart(8, '0')}`]
  const formats = ['2030-01-01 00:00:00', '2030-01-01', 'a@b.co', '/tq', '#112233', 'a'.repeat(32), 'tq:tq:tq', '1', '']
  return [...texts, ...formats, 1, 0, 2, 50, 100, true, false, [], {}, null]
}

/** Returns a valid value of the schema with all optional fields, or undefined when none was found. */
export function validValue(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries(schema.shape).map(([name, field]) => [name, validValue(field as z.ZodType)] as const)
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }
  if (schema instanceof z.ZodArray) return [validValue(schema.element as z.ZodType)]
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return validValue(schema.unwrap() as z.ZodType)
  return candidates().find((value) => schema.safeParse(value).success)
}

const fits = ({ input }: Endpoint, value: unknown) => input.safeParse(value).success

/**
 * Returns inputs for one call: all fields, the required fields, and all but each optional field. Valid inputs come
 * first.
 */
export function validInputs(endpoint: Endpoint): { input: Record<string, unknown>; isValid: boolean }[] {
  const { input } = endpoint
  const all = (validValue(input) ?? {}) as Record<string, unknown>
  const shape = input instanceof z.ZodObject ? (input.shape as Record<string, z.ZodType>) : {}
  const optional = Object.keys(shape).filter((name) => shape[name]?.safeParse(undefined).success)
  const required = Object.fromEntries(Object.entries(all).filter(([name]) => !optional.includes(name)))
  const without = optional.map((name) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name)))
  const inputs = [all, required, ...without].map((each) => ({ input: each, isValid: fits(endpoint, each) }))
  const valid = inputs.filter(({ isValid }) => isValid).slice(0, 3)
  return valid.length > 0 ? valid : inputs.slice(0, 2)
}
