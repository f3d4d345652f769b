import type { Endpoint } from '@oms/contract/core/endpoint.ts'

/** Converts an error field such as `components.0.name` to antd's field path. */
export const toFieldPath = (field: string) => field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/**
 * Returns only the form values that the endpoint accepts, so that a form opened with a list row does not send other
 * columns.
 */
export function pickSendable({ input }: Pick<Endpoint, 'input'>, values: Readonly<Record<string, unknown>>) {
  const shape = 'shape' in input ? (input.shape as object) : undefined
  return Object.fromEntries(Object.entries(values).filter(([key]) => !shape || key in shape))
}

/** Returns whether two versions of a record are equal in all fields that the endpoint saves, except `rev`. */
export function hasSameFields(endpoint: Pick<Endpoint, 'input'>, one: object, other: object) {
  const fields = (record: object) => {
    const { rev: _, ...rest } = pickSendable(endpoint, record as Record<string, unknown>) as Record<string, unknown>
    return JSON.stringify(Object.entries(rest).sort(([a], [b]) => a.localeCompare(b)))
  }
  return fields(one) === fields(other)
}

/** Removes all characters except digits. */
export const keepDigits = (value: unknown) => String(value ?? '').replaceAll(/\D/g, '')

/** Converts the yuan of a number control to fen; `null` for an empty control. */
export const yuanToFen = (yuan: unknown) => (typeof yuan === 'number' ? Math.round(yuan * 100) : null)

/** Converts fen to the yuan of a number control. */
export const fenToYuan = (fen: unknown) => (typeof fen === 'number' ? fen / 100 : undefined)
