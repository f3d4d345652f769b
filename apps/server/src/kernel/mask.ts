import type { FieldChange } from '#db/schema/system.ts'

const SECRET = /(pswd|pwd|passwd|password|token|secret|ticket|totp|captcha|recovery|licensekey|apikey|private)/i
const MASK = '******'
const MAX_TEXT = 300

/** Is a field of this name never to be written anywhere? */
export const isSecret = (name: string) => SECRET.test(name)

/** A copy fit for the log: secrets masked, long texts cut, no deeper than six levels. */
export function masked(value: unknown, name = '', depth = 0): unknown {
  if (isSecret(name)) return MASK
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  if (value === null || typeof value !== 'object') return value
  if (depth > 6) return '…'
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => masked(item, name, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, key, depth + 1)]))
}

/** `13812345678` → `138****5678`, for those who may not see numbers in the open. */
export const maskMobile = (mobile: string | null) =>
  mobile && mobile.length >= 7 ? `${mobile.slice(0, -8)}****${mobile.slice(-4)}` : mobile
/** `zhang@example.com` → `z***@example.com`. */
export const maskEmail = (email: string | null) => (email ? email.replace(/^(.)[^@]*@/, '$1***@') : email)

type Titles = Readonly<Record<string, string>>

/** Fields of `titles` whose value differs, each with its Chinese name, old and new value; secrets masked. */
export function changes(before: object, after: object, titles: Titles): FieldChange[] {
  const from = before as Record<string, unknown>
  const to = after as Record<string, unknown>
  return Object.entries(titles).flatMap(([field, title]) => {
    if (!(field in to) || same(from[field], to[field])) return []
    return [{ field, title, from: masked(from[field] ?? null, field), to: masked(to[field] ?? null, field) }]
  })
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
