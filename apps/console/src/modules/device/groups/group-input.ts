import type { deviceGroups } from '@oms/contract/device/device-group.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'

/** Returns the input that saves a group. Only dynamic groups have a rule; empty conditions are removed. */
export function toGroupInput(values: Readonly<Record<string, unknown>>) {
  const { kind, rule, parentId, groupName, status, description } = values
  const given = Object.entries((rule ?? {}) as object).filter(
    ([, value]) =>
      value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
  return {
    kind,
    parentId: parentId ?? 0,
    groupName,
    status,
    description,
    ...(kind === 2 && { rule: Object.fromEntries(given) }),
  } as InputOf<typeof deviceGroups.create>
}
