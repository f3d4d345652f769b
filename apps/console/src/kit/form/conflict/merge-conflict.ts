export type Fields = Readonly<Record<string, unknown>>
export type FieldPath = readonly (string | number)[]

/** A field whose value in the form differs from the stored record. */
export interface FieldDifference {
  readonly path: FieldPath
  readonly mine: unknown
  readonly latest: unknown
  /** True when the user changed the field since the form was opened. */
  readonly isMine: boolean
  /** True when the other person changed the field since the form was opened. */
  readonly isTheirs: boolean
}

/** Values of an edited record. Without `base` (a restored draft), every difference counts as changed by both sides. */
export interface Versions {
  readonly base: Fields | undefined
  readonly mine: Fields
  readonly latest: Fields
}

/** Returns true for a value that a form shows as an empty control. */
export const isEmptyValue = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Returns true for a plain object. */
export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Returns true when two values are equal on the screen: `7` and `"7"`, `1` and `true`, or two empty values. */
export function isSameValue(one: unknown, other: unknown) {
  if (isEmptyValue(one) || isEmptyValue(other)) return isEmptyValue(one) && isEmptyValue(other)
  return canonical(one) === canonical(other)
}

/** Returns a text that is equal for equal values. Keys are sorted, and empty fields are left out. */
const canonical = (value: unknown) =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'boolean') return String(Number(each))
    if (typeof each === 'number') return String(each)
    if (!isRecord(each)) return each
    const filled = Object.entries(each).filter(([, field]) => !isEmptyValue(field))
    return Object.fromEntries(filled.sort(([a], [b]) => a.localeCompare(b)))
  })

/** Returns the differing fields among `names`. Objects are compared field by field; a list is one value. */
export function listDifferences(versions: Versions, names: Iterable<string>): FieldDifference[] {
  return [...names].filter((name) => !isFormOnly(name, versions)).flatMap((name) => differencesAt([name], versions))
}

/** Returns true for a field that the stored records do not contain, such as a new password or the note of a version. */
const isFormOnly = (name: string, { base, latest }: Pick<Versions, 'base' | 'latest'>) =>
  !(name in latest) && !(base && name in base)

function differencesAt(path: FieldPath, { base, mine, latest }: Versions): FieldDifference[] {
  const name = path.at(-1) as string
  const [start, typed, stored] = [base?.[name], mine[name], latest[name]]
  if (isSameValue(typed, stored)) return []
  if (isRecord(typed) && isRecord(stored)) {
    const inner = { base: base && (isRecord(start) ? start : {}), mine: typed, latest: stored }
    const names = new Set([...Object.keys(typed), ...Object.keys(stored)])
    return [...names].flatMap((each) => differencesAt([...path, each], inner))
  }
  const isMine = !base || !isSameValue(start, typed)
  return [{ path, mine: typed, latest: stored, isMine, isTheirs: !base || !isSameValue(start, stored) }]
}

/** Returns the latest record, with the form's values of the fields in `kept` and of fields that no record contains. */
export function mergeVersions({ base, mine, latest }: Versions, kept: readonly FieldPath[]): Fields {
  const formOnly = Object.keys(mine).filter((name) => isFormOnly(name, { base, latest }))
  return mergeKept(mine, latest, [...kept, ...formOnly.map((name) => [name])])
}

/**
 * Merges objects field by field. A nested field that only the form contains becomes undefined, because the form would
 * otherwise merge its own value into the object.
 */
function mergeKept(mine: Fields, latest: Fields, kept: readonly FieldPath[]): Fields {
  const names = new Set([...Object.keys(latest), ...Object.keys(mine)])
  const merged = [...names].map((name) => {
    const inner = kept.filter(([first]) => first === name).map((path) => path.slice(1))
    const [typed, stored] = [mine[name], latest[name]]
    if (inner.some((path) => path.length === 0)) return [name, typed]
    return [name, isRecord(typed) && isRecord(stored) ? mergeKept(typed, stored, inner) : stored]
  })
  return Object.fromEntries(merged)
}
