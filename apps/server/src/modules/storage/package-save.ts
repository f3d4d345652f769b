import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  type storagePackages as calls,
  PACKAGE_STATUS,
  PackageInput,
  PackageTerms,
  PERIOD_TYPE,
  RECORD_TYPE,
  STORAGE_DAYS,
  YES_NO,
} from '@oms/contract/storage/package.ts'
import { and, eq, sql } from 'drizzle-orm'
import { titlesOf } from '#core/audit/field-titles.ts'
import { changes } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { among } from '#core/database/list-query.ts'
import { checkRevision, touched } from '#core/database/optimistic-lock.ts'
import { uniqueViolation } from '#core/database/unique-violation.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { alive } from '#core/tenancy/tenancy.ts'
import { deviceModels } from '#schema/device.ts'
import { ossPackages, ossPackageVersions } from '#schema/storage.ts'
import { tenants } from '#schema/tenant.ts'

const TITLES = { ...titlesOf(PackageInput.shape), status: '状态' }
const WORDS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  recordType: RECORD_TYPE,
  storageDays: STORAGE_DAYS,
  periodType: PERIOD_TYPE,
  isTrial: YES_NO,
  prolong: YES_NO,
  status: PACKAGE_STATUS,
}
const CLASHES = {
  oss_packages_name: ['套餐名称已存在', 'packageName'],
  oss_packages_code: ['套餐编码已存在', 'packageCode'],
} as const

/** Replaces codes by their words for the operation log. */
const auditFields = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, WORDS[key]?.[value as number] ?? value]))

/** Splits the input into the columns of the package and those of the version. */
function split({ packageName, packageCode, description, sort, ...rest }: ParsedOf<typeof calls.update>) {
  return { label: { packageName, packageCode, description, sort }, terms: PackageTerms.parse(rest) }
}

const publishChanged = ({ services, db }: Ctx) =>
  services.events.publish(db, 'changed', { resource: 'oss', tenantId: null })

/** Refuses models and tenants that do not exist. */
async function assertScope(db: Db, { modelIds, tenantIds }: PackageTerms) {
  const models = await db.$count(deviceModels, and(among(deviceModels.id, modelIds), alive(deviceModels)))
  if (models < new Set(modelIds).size) throw invalid('型号不存在或已被删除', 'modelIds')
  const found = await db.$count(tenants, and(among(tenants.id, tenantIds), alive(tenants)))
  if (found < new Set(tenantIds).size) throw invalid('客户不存在或已被删除', 'tenantIds')
}

/** Returns the package, locked. */
async function lock(ctx: Ctx, id: number) {
  const [found] = await ctx.db
    .select()
    .from(ossPackages)
    .where(and(eq(ossPackages.id, id), alive(ossPackages)))
    .for('update')
  if (!found) throw notFound('云存套餐')
  return found
}

export async function create(ctx: Ctx, { status, ...input }: ParsedOf<typeof calls.create>) {
  const { db, user } = ctx
  const { label, terms } = split({ ...input, id: 0, rev: 0 })
  await assertScope(db, terms)
  const [made] = await db
    .insert(ossPackages)
    .values({ ...label, status, createBy: user.uid, updateBy: user.uid })
    .returning({ id: ossPackages.id })
    .catch(rethrowClash)
  const { id } = made!
  await db.insert(ossPackageVersions).values({ ...terms, packageId: id, version: 1, createBy: user.uid })
  ctx.audit({
    bizType: 'storagePackage',
    bizId: id,
    action: `新增云存套餐「${label.packageName}」`,
    diff: changes({}, auditFields({ ...input, status }), TITLES),
  })
  await publishChanged(ctx)
  return { id }
}

/**
 * Saves changed terms: in place while the version is unsold, otherwise as a new version. Returns the number of the
 * version that is sold from now on.
 */
async function saveTerms({ db, user }: Ctx, stored: typeof ossPackageVersions.$inferSelect, terms: PackageTerms) {
  if (stored.isSold === 0) {
    await db.update(ossPackageVersions).set(terms).where(eq(ossPackageVersions.id, stored.id))
    return stored.version
  }
  const version = stored.version + 1
  await db.insert(ossPackageVersions).values({ ...terms, packageId: stored.packageId, version, createBy: user.uid })
  return version
}

const versionOf = async (db: Db, { id, currentVersion }: typeof ossPackages.$inferSelect) => {
  const [version] = await db
    .select()
    .from(ossPackageVersions)
    .where(and(eq(ossPackageVersions.packageId, id), eq(ossPackageVersions.version, currentVersion)))
    .for('update')
  return version!
}

export async function update(ctx: Ctx, input: ParsedOf<typeof calls.update>) {
  const { db, user, now } = ctx
  const stored = await lock(ctx, input.id)
  await checkRevision(db, stored, input.rev)
  const { label, terms } = split(input)
  const before = await versionOf(db, stored)
  await assertScope(db, terms)
  const diff = changes(auditFields({ ...before, ...stored }), auditFields({ ...terms, ...label }), TITLES)
  if (diff.length === 0) return { rev: stored.rev, version: before.version }
  const hasNewTerms = changes(before, terms, TITLES).length > 0
  const version = hasNewTerms ? await saveTerms(ctx, before, terms) : before.version
  const [saved] = await db
    .update(ossPackages)
    .set({ ...label, currentVersion: version, ...touched(stored, user.uid, now) })
    .where(eq(ossPackages.id, stored.id))
    .returning({ rev: ossPackages.rev })
    .catch(rethrowClash)
  const versionNote = version === before.version ? '' : `，生成版本 ${version}`
  ctx.audit({
    bizType: 'storagePackage',
    bizId: stored.id,
    action: `修改云存套餐「${stored.packageName}」${versionNote}`,
    diff,
  })
  if (version !== before.version) ctx.say(`已保存为版本 ${version}，已开通的设备不受影响`)
  await publishChanged(ctx)
  return { rev: saved!.rev, version }
}

async function setStatus(ctx: Ctx, id: number, status: 0 | 1) {
  const stored = await lock(ctx, id)
  const verb = status === 1 ? '上架' : '下架'
  ctx.audit({ bizType: 'storagePackage', bizId: id, action: `${verb}云存套餐「${stored.packageName}」` })
  if (stored.status === status) return null
  await ctx.db
    .update(ossPackages)
    .set({ status, ...touched(stored, ctx.user.uid, ctx.now) })
    .where(eq(ossPackages.id, id))
  ctx.audit({ diff: changes(auditFields(stored), auditFields({ ...stored, status }), { status: '状态' }) })
  await publishChanged(ctx)
  return null
}
export const enable = (ctx: Ctx, { id }: ParsedOf<typeof calls.enable>) => setStatus(ctx, id, 1)
export const disable = (ctx: Ctx, { id }: ParsedOf<typeof calls.disable>) => setStatus(ctx, id, 0)

export async function remove(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { db, user, now } = ctx
  const stored = await lock(ctx, id)
  await versionOf(db, stored)
  const sold = await db.$count(
    ossPackageVersions,
    and(eq(ossPackageVersions.packageId, id), sql`${ossPackageVersions.isSold} = 1`),
  )
  if (sold > 0) throw conflict('套餐已有开通记录，不能删除，可以下架')
  await db
    .update(ossPackages)
    .set({ deletedAt: now.toISOString(), ...touched(stored, user.uid, now) })
    .where(eq(ossPackages.id, id))
  ctx.audit({ bizType: 'storagePackage', bizId: id, action: `删除云存套餐「${stored.packageName}」` })
  await publishChanged(ctx)
  return null
}

function rethrowClash(error: unknown): never {
  throw uniqueViolation(error, CLASHES) ?? error
}
