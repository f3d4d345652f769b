import { listConfigAddresses } from '@oms/contract/agent/models/model-config.ts'
import { hasUrlScheme } from '@oms/contract/core/address-secret.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Returns scheme, host and port of an address. Programs parse some texts differently (backslash, blank, no scheme).
 * Such a text is returned whole, so that every change of it counts as another origin.
 */
function originOf(text: string): string {
  const url = hasUrlScheme(text) && !/[\\\s]/.test(text) ? URL.parse(text) : null
  return url === null || url.host === '' ? text : `${url.protocol}//${url.host}`
}

const originsOf = (values: Values) =>
  new Map(
    Object.entries(values).flatMap(([key, value]) =>
      listConfigAddresses(key, value).map(({ path, text }) => [path, originOf(text)] as const),
    ),
  )

/** Returns the key of the first field whose addresses have another scheme, host or port. */
export function findChangedOrigin(before: Values, after: Values): string | undefined {
  const [from, to] = [originsOf(before), originsOf(after)]
  const path = [...to.keys(), ...from.keys()].find((each) => from.get(each) !== to.get(each))
  return path?.split('.')[0]
}

interface Change {
  readonly fields: readonly ProviderField[]
  readonly before: Values
  readonly after: Values
  /** Keys of the stored secrets. */
  readonly stored: Iterable<string>
  /** Keys of the secrets that the save replaces or removes. */
  readonly sent: ReadonlySet<string>
}

/**
 * Returns the field and the error of a save that would send a stored secret to another host, or undefined. Otherwise an
 * account without the right to read the secret could choose the host that receives the secret.
 */
export function findKeptSecretProblem({ fields, before, after, stored, sent }: Change) {
  const changed = findChangedOrigin(before, after)
  const kept = [...stored].find((key) => !sent.has(key))
  if (changed === undefined || kept === undefined) return undefined
  const labelOf = (key: string) => fields.find((field) => field.key === key)?.label ?? key
  return {
    field: kept,
    msg: `${labelOf(changed)}已改变，请重新输入${labelOf(kept)}：已保存的密钥不会发送到新的地址`,
  }
}
