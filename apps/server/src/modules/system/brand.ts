import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about as titleOf } from '@oms/contract/core/fields.ts'
import { BrandInput, type brand as calls, TENANT_FIELDS } from '@oms/contract/system/brand.ts'
import { eq, sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { type Brand, BRAND_KEY, DEFAULT_BRAND, forgetPageBrand, formatBrandKey, readBrand } from '#core/brand.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { forbidden, notFound } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import type { StreamResponse } from '#core/http/implement.ts'
import { files, settings } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { changePicture } from '#core/storage/picture.ts'
import { sendFile } from '#core/storage/send.ts'
import { assertSeesAllRecords, worksInPlatform } from '#core/tenancy/tenancy.ts'

const TITLES = Object.fromEntries(
  Object.keys(BrandInput.shape).map((field) => [field, titleOf(BrandInput, field).title as string]),
)
const PICTURES = ['logo', 'logoDark', 'favicon', 'loginPicture'] as const
/** Pictures may be cached for a day: a new picture has a new URL. */
const PUBLIC_CACHE = { 'cache-control': 'public, max-age=86400' }

/** Returns the tenant whose brand the session edits; null for the brand of the installation. */
function editedTenantOf(user: User) {
  if (worksInPlatform(user)) return null
  if (user.tenantId === null) throw forbidden()
  return user.tenantId
}

export async function getBrand({ db, user }: Ctx) {
  const tenantId = editedTenantOf(user)
  const { brand, rev } = await readBrand(db, formatBrandKey(tenantId))
  const [tenant] =
    tenantId === null ? [] : await db.select({ name: tenants.name }).from(tenants).where(eq(tenants.id, tenantId))
  return { ...brand, rev, tenantName: tenant?.name ?? '' }
}

/** Saves the brand of the installation, or of the tenant that the session works in. */
export async function updateBrand(ctx: Ctx, { rev, ...input }: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const tenantId = editedTenantOf(user)
  if (tenantId !== null) assertSeesAllRecords(user)
  const key = formatBrandKey(tenantId)
  await db.insert(settings).values({ key, value: {} }).onConflictDoNothing()
  const stored = await readBrand(db, key, true)
  await checkRevision(db, stored, rev)
  const wanted = tenantId === null ? input : { ...DEFAULT_BRAND, ...pickTenantFields(input) }
  const diff = listChanges(stored.brand, wanted, TITLES)
  if (diff.length === 0) return { rev: stored.rev }
  for (const field of PICTURES) {
    const change = { field, title: TITLES[field] ?? '', before: stored.brand[field], after: wanted[field] }
    // oxlint-disable-next-line no-await-in-loop -- one connection runs the statements one after another
    await changePicture(ctx, change)
  }
  const next = stored.rev + 1
  const changed = { value: wanted, rev: next, updateBy: user.uid, updateTime: now.toISOString() }
  await db.update(settings).set(changed).where(eq(settings.key, key))
  forgetPageBrand()
  const whose = tenantId === null ? '系统' : '本客户'
  ctx.audit({ bizType: 'brand', bizId: key, action: `修改${whose}的品牌外观`, diff })
  return { rev: next }
}

const pickTenantFields = (input: Brand) => Object.fromEntries(TENANT_FIELDS.map((field) => [field, input[field]]))

/** Sends a picture of a brand to anyone, because the login page shows it. */
export async function sendBrandImage(
  { services }: Pick<Ctx, 'services'>,
  { id }: ParsedOf<typeof calls.image>,
): Promise<StreamResponse> {
  const { db } = services.database
  const isShown = sql`starts_with(${settings.key}, ${BRAND_KEY}) and strpos(${settings.value}::text, ${id}) > 0`
  const [file] = (await db.$count(settings, isShown)) > 0 ? await db.select().from(files).where(eq(files.id, id)) : []
  if (!file) throw notFound('图片')
  return (request, reply) => sendFile(request, reply, services.files, file, PUBLIC_CACHE)
}
