import { maskAddressSecrets } from '@oms/contract/core/address-secret.ts'
import type { FieldChange } from '#core/schema/system.ts'

const SECRET = /(pswd|pwd|passwd|password|token|secret|ticket|totp|captcha|recovery|licensekey|apikey|private)/i
const MASK = '******'
const MAX_TEXT = 300

/** Returns true when a field of this name holds a secret that must not be stored or logged. */
export const isSecret = (name: string) => SECRET.test(name)

/**
 * Returns a copy for the log: secrets and credentials in addresses are masked, long texts are cut, and nesting ends at
 * six levels.
 */
export function maskSecrets(value: unknown, name = '', depth = 0): unknown {
  if (isSecret(name)) return MASK
  if (typeof value === 'string') return shortenText(maskAddressSecrets(value))
  if (value === null || typeof value !== 'object') return value
  if (depth > 6) return '…'
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => maskSecrets(item, name, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskSecrets(item, key, depth + 1)]))
}

const shortenText = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

/** Returns a copy of a response in which the credentials of all addresses are masked. */
export function withMaskedAddresses<T>(value: T): T {
  if (typeof value === 'string') return maskAddressSecrets(value) as T
  if (Array.isArray(value)) return value.map(withMaskedAddresses) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withMaskedAddresses(inner)])) as T
}

/** Masks a mobile number for accounts that may not see full numbers: `13812345678` → `138****5678`. */
export const maskMobile = (mobile: string | null) =>
  mobile && mobile.length >= 7 ? `${mobile.slice(0, -8)}****${mobile.slice(-4)}` : mobile
/** Masks an e-mail address: `zhang@example.com` → `z***@example.com`. */
export const maskEmail = (email: string | null) => (email ? email.replace(/^(.)[^@]*@/, '$1***@') : email)

type Titles = Readonly<Record<string, string>>

/**
 * Returns the fields of `titles` whose values differ, with Chinese title, old value and new value. Secrets are masked.
 */
export function listChanges(before: object, after: object, titles: Titles): FieldChange[] {
  const from = before as Record<string, unknown>
  const to = after as Record<string, unknown>
  return Object.entries(titles).flatMap(([field, title]) => {
    if (!(field in to) || same(from[field], to[field])) return []
    return [{ field, title, from: maskSecrets(from[field] ?? null, field), to: maskSecrets(to[field] ?? null, field) }]
  })
}

/** An empty text and an absent value are the same: a reader sees both as empty. */
const comparable = (value: unknown) => JSON.stringify(value === '' ? null : (value ?? null))
const same = (a: unknown, b: unknown) => comparable(a) === comparable(b)
