import { findDefaultReason } from '@oms/contract/core/default-reasons.ts'
import * as z from 'zod'
import { RecordedSchema } from './light-schema.ts'

z.config({ localeError: findDefaultReason })

const built = new WeakMap<RecordedSchema, z.ZodType>()

/**
 * Returns the zod schema that validates values. A contract schema may contain only metadata (see `light-schema.ts`).
 */
export function buildFullSchema<S extends z.ZodType>(schema: S): S {
  const known: unknown = schema
  return known instanceof RecordedSchema ? (build(known) as S) : schema
}

function build(light: RecordedSchema): z.ZodType {
  const ready = built.get(light) ?? replayStep(light)
  built.set(light, ready)
  return ready
}

function replayStep({ step: { on, name, args } }: RecordedSchema): z.ZodType {
  const target = (on ? build(on) : MAKERS) as unknown as Record<string, Make | undefined>
  const make = target[name]
  if (!make) throw new TypeError(`no schema of zod is made by ${name}`)
  return make.apply(target, args.map(full))
}

type Make = (...args: unknown[]) => z.ZodType

// Lists the zod functions by name: access by a computed name would include all of zod in the bundle.
const MAKERS = {
  object: z.object,
  string: z.string,
  number: z.number,
  int: z.int,
  boolean: z.boolean,
  array: z.array,
  literal: z.literal,
  record: z.record,
  union: z.union,
  unknown: z.unknown,
  email: z.email,
  preprocess: z.preprocess,
  null: z.null,
  enum: z.enum,
} as const

/** Builds the schemas that are arguments of an outer schema. Getters stay getters, because recursive schemas use them. */
function full(value: unknown): unknown {
  if (value instanceof RecordedSchema) return build(value)
  if (Array.isArray(value)) return value.map(full)
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value
  const copy: Record<string, unknown> = {}
  for (const [key, { get, value: plain }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const kept = { enumerable: true, configurable: true }
    Object.defineProperty(
      copy,
      key,
      get ? { ...kept, get: () => full(get.call(value)) } : { ...kept, value: full(plain), writable: true },
    )
  }
  return copy
}

/** Returns the contract's validation errors for a value, with the server's messages. */
export const findProblem = (schema: z.ZodType, value: unknown) =>
  buildFullSchema(schema).safeParse(value).error?.issues[0]?.message
