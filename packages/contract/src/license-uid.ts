/** Whose P2P service a certificate is for. */
export const LICENSE_VENDORS = { 1: 'TUTK', 2: 'PPCS', 3: 'iLnk', 4: '自有', 9: '其他' } as const
export type LicenseVendor = keyof typeof LICENSE_VENDORS

interface Format {
  readonly pattern: RegExp
  /** The format in words, as the refusal says it. */
  readonly words: string
}
/** How each vendor writes its UIDs, in their canonical spelling. */
const FORMATS: Readonly<Record<LicenseVendor, Format>> = {
  1: { pattern: /^[A-Z0-9]{20}$/, words: '20位大写字母或数字' },
  2: { pattern: /^[A-Z]{3,7}-\d{6,8}-[A-Z]{5}$/, words: '前缀-序号-校验，如 VSTC-000123-ABCDE' },
  3: { pattern: /^[A-Z]{3,7}-\d{6}-[A-Z]{5}$/, words: '前缀-6位序号-校验，如 AAAA-123456-ABCDE' },
  4: { pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{7,63}$/, words: '8至64位字母、数字、下划线或短横线' },
  9: { pattern: /^[A-Za-z0-9][A-Za-z0-9._:-]{3,63}$/, words: '4至64位字母、数字或 . _ : -' },
}
const BARE = /^([A-Z]{3,7})-?(\d{6,8})-?([A-Z]{5})$/

/** The one spelling a UID is stored in: capitals for the vendors that use them, hyphens where they belong. */
export function canonicalUid(vendor: number, uid: string): string {
  const text = uid.trim()
  if (vendor !== 1 && vendor !== 2 && vendor !== 3) return text
  const capitals = text.toUpperCase()
  return vendor === 1 ? capitals.replaceAll('-', '') : capitals.replace(BARE, '$1-$2-$3')
}

/** Why this is no UID of that vendor; undefined when it is one. */
export function uidProblem(vendor: LicenseVendor, uid: string): string | undefined {
  const { pattern, words } = FORMATS[vendor]
  return pattern.test(uid) ? undefined : `${LICENSE_VENDORS[vendor]}的UID格式不正确，应为${words}`
}

/** Spellings under which a UID that anybody typed may be stored, whoever's it is. */
export function uidSpellings(text: string): string[] {
  const given = text.trim()
  const capitals = given.toUpperCase()
  return [...new Set([given, capitals, capitals.replace(BARE, '$1-$2-$3')])]
}

/** `VSTC-000123-ABCDE` → `VSTC-***123-****E`: enough to tell two apart, too little to reach a device with. */
export function maskUid(uid: string): string {
  const parts = /^([A-Z]{3,7})-(\d+)-([A-Z]{5})$/.exec(uid)
  if (parts) return `${parts[1]}-${'*'.repeat(parts[2]!.length - 3)}${parts[2]!.slice(-3)}-****${parts[3]!.slice(-1)}`
  const shown = Math.min(4, Math.floor(uid.length / 4))
  return `${uid.slice(0, shown)}${'*'.repeat(uid.length - 2 * shown)}${uid.slice(uid.length - shown)}`
}
