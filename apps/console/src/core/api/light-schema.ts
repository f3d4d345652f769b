/**
 * Replaces zod where the console only reads a schema's metadata. `build/light-schemas.ts` substitutes this file for
 * zod in the contract, so that lists load titles, limits and labels, and forms load zod.
 */

type Known = Readonly<Record<string, unknown>>
type Shape = Readonly<Record<string, unknown>>
type Step = { readonly on: RecordedSchema | undefined; readonly name: string; readonly args: readonly unknown[] }

/** A recorded schema definition: contains its metadata and can build the zod schema. */
export class RecordedSchema {
  readonly step: Step
  readonly #known: Known | undefined
  /** Fields of an object schema. Absent in other schemas, so that `'shape' in schema` works as in zod. */
  declare readonly shape: Shape

  constructor(step: Step, known: Known | undefined, shape: Shape | undefined) {
    this.step = step
    this.#known = known
    if (shape) this.shape = shape
  }

  /** Returns the metadata without an argument, or a schema with the given metadata. */
  meta(known?: Known) {
    if (!known) return this.#known
    return new RecordedSchema({ on: this, name: 'meta', args: [known] }, { ...this.#known, ...known }, this.shape)
  }

  /**
   * Creates the next schema of a call chain. A check keeps the metadata of its base; a wrapper starts without
   * metadata.
   */
  after(name: string, args: readonly unknown[]) {
    const isCheck = CHECKS.has(name)
    return new RecordedSchema(
      { on: this, name, args },
      isCheck ? this.#known : undefined,
      shapeAfter(this.shape, name, args),
    )
  }
}

/** Returns a function that records a call of a zod constructor, such as `z.object(…)`. */
const first =
  (name: string) =>
  (...args: readonly unknown[]) =>
    new RecordedSchema({ on: undefined, name, args }, undefined, name === 'object' ? (args[0] as Shape) : undefined)

const CHECKS = new Set(
  'min max length int positive nonnegative trim overwrite toLowerCase regex refine superRefine'.split(' '),
)
const WRAPPERS = `optional nullable nullish default prefault transform pipe array or extend omit pick partial`.split(
  ' ',
)

for (const name of [...CHECKS, ...WRAPPERS]) {
  Object.defineProperty(RecordedSchema.prototype, name, {
    value(this: RecordedSchema, ...args: readonly unknown[]) {
      return this.after(name, args)
    },
  })
}

function shapeAfter(shape: Shape | undefined, name: string, [argument]: readonly unknown[]): Shape | undefined {
  if (!shape || CHECKS.has(name)) return shape
  const named = Object.keys(argument ?? {})
  if (name === 'extend') return Object.defineProperties({}, { ...described(shape), ...described(argument as Shape) })
  if (name === 'omit') return only(shape, (key) => !named.includes(key))
  if (name === 'pick') return only(shape, (key) => named.includes(key))
  if (name !== 'partial') return undefined
  const softened = Object.entries(shape).map(([key, each]) => [key, (each as RecordedSchema).after('optional', [])])
  return Object.fromEntries(softened)
}

// Copies property descriptors, because getters of recursive schemas must not be evaluated yet.
const described = (shape: Shape) => Object.getOwnPropertyDescriptors(shape)
const only = (shape: Shape, wanted: (key: string) => boolean): Shape =>
  Object.defineProperties({}, Object.fromEntries(Object.entries(described(shape)).filter(([key]) => wanted(key))))

export const config = () => {}
export const object = first('object')
export const string = first('string')
export const number = first('number')
export const int = first('int')
export const boolean = first('boolean')
export const array = first('array')
export const literal = first('literal')
export const record = first('record')
export const union = first('union')
export const unknown = first('unknown')
export const email = first('email')
export const preprocess = first('preprocess')
/** Result of a preprocessing step that refuses its input, as in zod. */
export const NEVER: never = Object.freeze({ status: 'aborted' }) as never
const nothing = first('null')
const oneOf = first('enum')
export { nothing as null, oneOf as enum }
