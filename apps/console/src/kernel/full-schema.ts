import * as z from 'zod'
import zhCN from 'zod/v4/locales/zh-CN.js'
import { Light } from './light-schema.ts'

z.config(zhCN())

const built = new WeakMap<Light, z.ZodType>()

/** The schema that can judge values; one of the contract may only know what it is called. */
export function fullSchema<S extends z.ZodType>(schema: S): S {
  const known: unknown = schema
  return known instanceof Light ? (build(known) as S) : schema
}

function build(light: Light): z.ZodType {
  const ready = built.get(light) ?? replayed(light)
  built.set(light, ready)
  return ready
}

function replayed({ step: { on, name, args } }: Light): z.ZodType {
  const target = (on ? build(on) : MAKERS) as unknown as Record<string, Make | undefined>
  const make = target[name]
  if (!make) throw new TypeError(`no schema of zod is made by ${name}`)
  return make.apply(target, args.map(full))
}

type Make = (...args: unknown[]) => z.ZodType

// Named one by one: asked for by a name known only at run time, all of zod would come along.
const MAKERS = {
  object: z.object,
  string: z.string,
  number: z.number,
  int: z.int,
  boolean: z.boolean,
  array: z.array,
  literal: z.literal,
  union: z.union,
  unknown: z.unknown,
  email: z.email,
  preprocess: z.preprocess,
  null: z.null,
  enum: z.enum,
  'coerce.number': z.coerce.number,
} as const

/** Arguments with every schema in them built; getters stay getters, for schemas that contain themselves. */
function full(value: unknown): unknown {
  if (value instanceof Light) return build(value)
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

/** What the contract has against a value, in the server's own words. */
export const problemIn = (schema: z.ZodType, value: unknown) =>
  fullSchema(schema).safeParse(value).error?.issues[0]?.message
