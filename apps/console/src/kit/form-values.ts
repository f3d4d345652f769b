import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'

/** A refusal's `components.0.name` as antd names the field. */
export const fieldPath = (field: string) => field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))

/** Of a form's values, those the endpoint knows: a form opened with a whole row does not send the row back. */
export function sendable({ input }: Pick<Endpoint, 'input'>, values: Readonly<Record<string, unknown>>) {
  const shape = 'shape' in input ? (input.shape as object) : undefined
  return Object.fromEntries(Object.entries(values).filter(([key]) => !shape || key in shape))
}

/** What is left of a typed text when only digits may stay. */
export const digitsOnly = (value: unknown) => String(value ?? '').replaceAll(/\D/g, '')
