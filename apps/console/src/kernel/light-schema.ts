/**
 * Stands in for zod where the console only reads what a schema says about itself. `build/light-schemas.ts` puts it in
 * zod's place inside the contract: lists get titles, limits and labels, and zod itself comes with the first form.
 */

type Known = Readonly<Record<string, unknown>>
type Shape = Readonly<Record<string, unknown>>
type Step = { readonly on: Light | undefined; readonly name: string; readonly args: readonly unknown[] }

/** A schema as it was written down: enough to say what it is, and to build the real one. */
export class Light {
  readonly step: Step
  readonly #known: Known | undefined
  /** Only objects have one: whoever asks `'shape' in schema` must get the truth. */
  declare readonly shape: Shape

  constructor(step: Step, known: Known | undefined, shape: Shape | undefined) {
    this.step = step
    this.#known = known
    if (shape) this.shape = shape
  }

  /** Without an argument what is known, with one a schema that knows it. */
  meta(known?: Known) {
    if (!known) return this.#known
    return new Light({ on: this, name: 'meta', args: [known] }, { ...this.#known, ...known }, this.shape)
  }

  /** The next schema of a chain: a check knows what its base knew, a wrapper starts anew. */
  after(name: string, args: readonly unknown[]) {
    const isCheck = CHECKS.has(name)
    return new Light({ on: this, name, args }, isCheck ? this.#known : undefined, shapeAfter(this.shape, name, args))
  }
}

/** A schema of zod's own namespace: `z.object(…)`. */
const first =
  (name: string) =>
  (...args: readonly unknown[]) =>
    new Light({ on: undefined, name, args }, undefined, name === 'object' ? (args[0] as Shape) : undefined)

const CHECKS = new Set('min max length int positive nonnegative trim toLowerCase regex refine superRefine'.split(' '))
const WRAPPERS = `optional nullable nullish default prefault transform pipe array or extend omit pick partial`.split(
  ' ',
)

for (const name of [...CHECKS, ...WRAPPERS]) {
  Object.defineProperty(Light.prototype, name, {
    value(this: Light, ...args: readonly unknown[]) {
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
  const softened = Object.entries(shape).map(([key, each]) => [key, (each as Light).after('optional', [])])
  return Object.fromEntries(softened)
}

// By descriptor: a schema that contains itself is written as a getter, and must not be asked yet.
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
export const union = first('union')
export const unknown = first('unknown')
export const email = first('email')
export const preprocess = first('preprocess')
export const coerce = { number: first('coerce.number') }
const nothing = first('null')
const oneOf = first('enum')
export { nothing as null, oneOf as enum }
