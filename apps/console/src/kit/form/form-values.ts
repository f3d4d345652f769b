import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import type * as z from 'zod'

/** Returns the first validation error of the contract for a value, with the server's message. */
export const findProblem = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message

/** Converts an error field such as `components.0.name` to antd's field path. */
export const toFieldPath = (field: string) => field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/**
 * Returns only the form values that the endpoint accepts, so that a form opened with a list row does not send other
 * columns.
 */
export function selectAcceptedFields({ input }: Pick<Endpoint, 'input'>, values: Readonly<Record<string, unknown>>) {
  const shape = 'shape' in input ? (input.shape as object) : undefined
  return Object.fromEntries(Object.entries(values).filter(([key]) => !shape || key in shape))
}

/** Returns whether two versions of a record are equal in all fields that the endpoint saves, except `rev`. */
export function hasSameFields(endpoint: Pick<Endpoint, 'input'>, one: object, other: object) {
  const fields = (record: object) => {
    const { rev: _, ...rest } = selectAcceptedFields(endpoint, record as Record<string, unknown>) as Record<
      string,
      unknown
    >
    return JSON.stringify(Object.entries(rest).sort(([a], [b]) => a.localeCompare(b)))
  }
  return fields(one) === fields(other)
}

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * Returns the latest values of a record with the fields that the user changed since `base` was loaded. Objects are
 * merged field by field; a changed list is kept as a whole.
 */
export function mergeEdits(base: Fields, edited: Fields, latest: Fields): Fields {
  const fields = new Set([...Object.keys(latest), ...Object.keys(edited)])
  return Object.fromEntries([...fields].map((field) => [field, mergeEdit(base[field], edited[field], latest[field])]))
}

function mergeEdit(base: unknown, edited: unknown, latest: unknown): unknown {
  if (isRecord(base) && isRecord(edited) && isRecord(latest)) return mergeEdits(base, edited, latest)
  return isEqual(base, edited) ? latest : edited
}

/** Returns the paths of the fields that the user and the other person changed to different values. */
export function listConflicts(
  base: unknown,
  edited: unknown,
  latest: unknown,
  path: readonly string[] = [],
): string[][] {
  if (isRecord(base) && isRecord(edited) && isRecord(latest))
    return Object.keys(edited).flatMap((key) => listConflicts(base[key], edited[key], latest[key], [...path, key]))
  return isEqual(base, edited) || isEqual(base, latest) || isEqual(edited, latest) ? [] : [[...path]]
}

/** Removes all characters except digits. */
export const keepDigits = (value: unknown) => String(value ?? '').replaceAll(/\D/g, '')

/**
 * Number of decimals that a product keeps. Rounding removes binary errors such as `1.15 * 100` = 114.99999999999999,
 * but no typed decimals.
 */
const EXACT_DIGITS = 6

/**
 * Returns the product of a number control's value and `factor`, or `null` for an empty control. Keeps excess decimals,
 * so that the contract refuses them instead of storing a rounded number.
 */
export const multiplyExactly = (value: unknown, factor: number) =>
  typeof value === 'number' ? Number((value * factor).toFixed(EXACT_DIGITS)) : null

/** Converts the yuan of a number control to fen; `null` for an empty control. */
export const yuanToFen = (yuan: unknown) => multiplyExactly(yuan, 100)

/** Shows an amount with at least two decimals. Does not change the text while the user types. */
export function formatYuanInput(value: unknown, { userTyping, input }: { userTyping: boolean; input: string }) {
  if (userTyping) return input
  const text = String(value ?? '')
  const decimals = text.split('.')[1]?.length ?? 0
  return text === '' || decimals > 2 || !Number.isFinite(Number(text)) ? text : Number(text).toFixed(2)
}

/** Converts fen to the yuan of a number control. */
export const fenToYuan = (fen: unknown) => (typeof fen === 'number' ? fen / 100 : undefined)
