import { BrandInput } from '@oms/contract/system/brand.ts'
import { eq, inArray } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from './database/client.ts'
import { settings } from './schema/system.ts'
import { PLATFORM_TENANT_ID } from './tenancy/tenancy.ts'

export type Brand = z.output<typeof BrandInput>
/** Key of the brand of the installation in the table of settings; the keys of the tenants begin with this key. */
export const BRAND_KEY = 'brand'
export const formatBrandKey = (tenantId: number | null) => (tenantId === null ? BRAND_KEY : `${BRAND_KEY}:${tenantId}`)
export const DEFAULT_BRAND: Brand = BrandInput.parse({})

/** Returns the stored brand. Invalid stored values count as empty. */
function parse(value: unknown): Brand {
  const parsed = BrandInput.safeParse(value ?? {})
  return parsed.success ? parsed.data : DEFAULT_BRAND
}

/** Returns a stored brand with its revision. */
export async function readBrand(db: Db, key: string, lock = false) {
  const query = db.select().from(settings).where(eq(settings.key, key))
  const [row] = await (lock ? query.for('update') : query)
  return {
    brand: parse(row?.value),
    rev: row?.rev ?? 0,
    updateBy: row?.updateBy ?? null,
    updateTime: row?.updateTime ?? '',
  }
}

const publicUrl = (url: string) => url.replace('/api/v1/file/', '/api/v1/brand/image/')

/** Returns the brand that the console shows to an account: the tenant's values, else those of the installation. */
export async function findShownBrand(db: Db, homeTenantId: number | null) {
  const own = formatBrandKey(homeTenantId)
  const rows = await db
    .select({ key: settings.key, value: settings.value })
    .from(settings)
    .where(inArray(settings.key, [BRAND_KEY, own]))
  const brandOf = (key: string) => parse(rows.find((row) => row.key === key)?.value)
  const base = brandOf(BRAND_KEY)
  const tenant = own === BRAND_KEY || homeTenantId === PLATFORM_TENANT_ID ? base : brandOf(own)
  const logo = tenant.logo || base.logo
  return {
    name: tenant.productName || base.productName,
    logo: publicUrl(logo),
    // The dark picture belongs to the light picture of the same owner.
    logoDark: publicUrl((tenant.logo ? tenant.logoDark : base.logoDark) || logo),
    accent: tenant.accent || base.accent,
    watermark: tenant.watermark === 1,
  }
}

const SHOWN_MS = 5000
const shown: { until: number; brand: PageBrand | undefined } = { until: 0, brand: undefined }

/** Reads the brand of the pages again on the next request, after a change. */
export const forgetPageBrand = () => {
  shown.until = 0
}

/** The brand on pages that need no login. */
export interface PageBrand {
  readonly name: string
  readonly logo: string
  readonly logoDark: string
  readonly favicon: string
  readonly accent: string
  readonly loginPicture: string
  readonly footer: string
  readonly registration: string
}

/**
 * Returns the brand of the installation; undefined without one. The brand is read at most once in five seconds, and
 * pages keep the last brand while the database is unavailable.
 */
export async function findPageBrand(db: Db): Promise<PageBrand | undefined> {
  if (Date.now() < shown.until) return shown.brand
  try {
    const { brand, rev } = await readBrand(db, BRAND_KEY)
    const { productName: name, logo, logoDark, favicon, accent, loginPicture, footer, registration } = brand
    const pictures = { logo, logoDark: logoDark || logo, favicon, loginPicture }
    const urls = Object.fromEntries(Object.entries(pictures).map(([field, url]) => [field, publicUrl(url)]))
    shown.brand = rev === 0 ? undefined : ({ name, accent, footer, registration, ...urls } as unknown as PageBrand)
  } catch {
    // The page is more important than its brand.
  }
  shown.until = Date.now() + SHOWN_MS
  return shown.brand
}
