import { normalizeLine } from '../core/normalize-line.ts'

/** P2P vendors of certificates. */
export const LICENSE_VENDORS = { 1: 'TUTK', 2: 'PPCS', 3: 'iLnk', 4: '自有', 9: '其他' } as const
export type LicenseVendor = keyof typeof LICENSE_VENDORS

/**
 * Licence types of the program. A further type becomes known when a batch is imported with the type in its form or a grant
 * names the type.
 */
export const LICENSE_TYPES = ['P2P', 'P2P-PRO', '480P', '720P', '1080P'] as const

interface Format {
  readonly pattern: RegExp
  /** Description of the format, used in error messages. */
  readonly words: string
}
/** UID format of each vendor, in canonical spelling. */
const FORMATS: Readonly<Record<LicenseVendor, Format>> = {
  1: { pattern: /^[A-Z0-9]{20}$/, words: '20位大写字母或数字' },
  2: { pattern: /^[A-Z]{3,7}-\d{6,8}-[A-Z]{5}$/, words: '前缀-序号-校验，如 VSTC-000123-ABCDE' },
  3: { pattern: /^[A-Z]{3,7}-\d{6}-[A-Z]{5}$/, words: '前缀-6位序号-校验，如 AAAA-123456-ABCDE' },
  4: { pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{7,63}$/, words: '8至64位字母、数字、下划线或短横线' },
  9: { pattern: /^[A-Za-z0-9][A-Za-z0-9._:-]{3,63}$/, words: '4至64位字母、数字或 . _ : -' },
}
const BARE = /^([A-Z]{3,7})-?(\d{6,8})-?([A-Z]{5})$/

/**
 * Returns the canonical spelling of a UID: upper case for vendors that use it, and hyphens at the vendor's positions.
 */
export function toCanonicalUid(vendor: number, uid: string): string {
  const text = normalizeLine(uid)
  if (vendor !== 1 && vendor !== 2 && vendor !== 3) return text
  const capitals = text.toUpperCase()
  return vendor === 1 ? capitals.replaceAll('-', '') : capitals.replace(BARE, '$1-$2-$3')
}

/** Returns the format error of a UID for the vendor; undefined when the UID is valid. */
export function findUidProblem(vendor: LicenseVendor, uid: string): string | undefined {
  const { pattern, words } = FORMATS[vendor]
  return pattern.test(uid) ? undefined : `${LICENSE_VENDORS[vendor]}的UID格式不正确，应为${words}`
}

/** Returns the canonical spellings of a typed UID for all vendors, for a search. */
export function listUidSpellings(text: string): string[] {
  const given = normalizeLine(text)
  const capitals = given.toUpperCase()
  return [...new Set([given, capitals, capitals.replace(BARE, '$1-$2-$3')])]
}

/**
 * Masks a UID: `VSTC-000123-ABCDE` → `VSTC-***123-****E`. UIDs stay distinguishable, but a device cannot be reached.
 */
export function maskUid(uid: string): string {
  const parts = /^([A-Z]{3,7})-(\d+)-([A-Z]{5})$/.exec(uid)
  if (parts) return `${parts[1]}-${'*'.repeat(parts[2]!.length - 3)}${parts[2]!.slice(-3)}-****${parts[3]!.slice(-1)}`
  const shown = Math.min(4, Math.floor(uid.length / 4))
  return `${uid.slice(0, shown)}${'*'.repeat(uid.length - 2 * shown)}${uid.slice(uid.length - shown)}`
}
