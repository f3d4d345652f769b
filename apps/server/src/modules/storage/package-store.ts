import type { StatusLabels } from '@oms/contract/core/status-labels.ts'
import { and, eq } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { type References, withReferencedNames } from '#core/audit/referenced-names.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { among } from '#core/database/lists/list-query.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import type { agentProducts, agentProductVersions } from '#modules/agent/schema/agent-orders.ts'
import { deviceModels } from '#modules/device/schema.ts'
import type { ossPackages, ossPackageVersions } from './schema.ts'

/**
 * Columns that the packages and versions of all products have. The types of the cloud storage tables stand for all
 * products, because Drizzle cannot express a generic table.
 */
type Packages = typeof ossPackages
type Versions = typeof ossPackageVersions

interface PackageStoreDefinition {
  readonly packages: Packages | typeof agentProducts
  readonly versions: Versions | typeof agentProductVersions
  /** Record kind of the operation log. */
  readonly kind: string
  /** Lists of this resource reload after a change. */
  readonly resource: string
  readonly noun: string
  /** Labels of the status, as the contract declares them. */
  readonly statusLabels: StatusLabels
  /** Chinese titles of the fields in the operation log. */
  readonly titles: Readonly<Record<string, string>>
  /** Replaces codes by their labels for the operation log. */
  inWords(fields: object): object
  /** Error message and form field of each unique index. */
  readonly clashes: Readonly<Record<string, readonly [msg: string, field: string]>>
  /** Message that refuses the deletion of a sold package. */
  readonly soldText: string
  /** Message after a save that created a version. */
  savedText(version: number): string
}

interface Label {
  readonly packageName: string
  readonly packageCode: string
  readonly description: string
  readonly sort: number
}

interface Terms {
  readonly price: number
  readonly originPrice: number
  readonly modelIds: readonly number[]
  readonly tenantIds: readonly number[]
}

interface Save {
  readonly id: number
  readonly rev: number
  readonly label: Label
  readonly terms: Terms
}

/**
 * References that the operation log shows as names: only models. Tenants stay ids, because staff limited to chosen
 * tenants also reads the log of a package and may not see the names of other tenants.
 */
const REFERENCES: References = { modelIds: { id: deviceModels.id, name: deviceModels.modelName } }

/** Throws when the original price is below the price, or when a model or tenant does not exist. */
async function assertTerms(db: Db, { price, originPrice, modelIds, tenantIds }: Terms) {
  // 0: the package has no original price.
  const problems = new FieldProblems()
  if (originPrice > 0 && originPrice < price) problems.add('originPrice', '原价不能低于价格')
  const models = await db.$count(deviceModels, and(among(deviceModels.id, modelIds), notDeleted(deviceModels)))
  if (models < new Set(modelIds).size) problems.add('modelIds', '型号不存在或已被删除')
  const found = await db.$count(tenants, and(among(tenants.id, tenantIds), notDeleted(tenants)))
  if (found < new Set(tenantIds).size) problems.add('tenantIds', '客户不存在或已被删除')
  problems.throwIfAny()
}

/**
 * Returns the functions that write packages with immutable sold versions: an edit of sold terms creates the next
 * version, and a sold package is never deleted. Cloud storage and voice services share them.
 */
export function createPackageStore(definition: PackageStoreDefinition) {
  const tables = {
    packages: definition.packages as Packages,
    versions: definition.versions as Versions,
  }
  const store: Store = { ...definition, ...tables }
  return {
    create: (ctx: Ctx, input: { label: Label; terms: Terms; status: number }) => createPackage(store, ctx, input),
    update: (ctx: Ctx, input: Save) => updatePackage(store, ctx, input),
    setStatus: (ctx: Ctx, id: number, status: 0 | 1) => setStatus(store, ctx, id, status),
    remove: (ctx: Ctx, id: number) => removePackage(store, ctx, id),
  }
}

interface Store extends PackageStoreDefinition {
  readonly packages: Packages
  readonly versions: Versions
}

const publishChanged = ({ resource }: Store, { services, db }: Ctx) =>
  services.events.publish(db, 'changed', { resource, tenantId: null })

function rethrowClash({ clashes }: Store) {
  return (error: unknown): never => {
    throw toUniqueViolation(error, clashes) ?? error
  }
}

/** Returns the package and locks its row. */
async function lock({ packages, noun }: Store, ctx: Ctx, id: number) {
  const [found] = await ctx.db
    .select()
    .from(packages)
    .where(and(eq(packages.id, id), notDeleted(packages)))
    .for('update')
  if (!found) throw notFound(noun)
  return found
}

async function createPackage(
  store: Store,
  ctx: Ctx,
  { label, terms, status }: { label: Label; terms: Terms; status: number },
) {
  const { packages, versions, kind, noun, inWords, titles } = store
  const { db, user } = ctx
  await assertTerms(db, terms)
  const [made] = await db
    .insert(packages)
    .values({ ...label, status, createBy: user.uid, updateBy: user.uid })
    .returning({ id: packages.id })
    .catch(rethrowClash(store))
  const { id } = made!
  await db.insert(versions).values({ ...asTerms(terms), packageId: id, version: 1, createBy: user.uid })
  ctx.audit({
    bizType: kind,
    bizId: id,
    action: `新增${noun}「${label.packageName}」`,
    diff: await withReferencedNames(
      db,
      listChanges({}, inWords({ ...label, ...terms, status }), titles),
      { before: {}, after: terms },
      REFERENCES,
    ),
  })
  await publishChanged(store, ctx)
  return { id }
}

/** The terms have the columns of the versions of their product; the contract of the product declares them. */
const asTerms = (terms: Terms) => terms as unknown as Omit<Versions['$inferInsert'], 'packageId' | 'version'>

const currentVersion = async (
  { versions }: Store,
  db: Db,
  { id, currentVersion: version }: Packages['$inferSelect'],
) => {
  const [found] = await db
    .select()
    .from(versions)
    .where(and(eq(versions.packageId, id), eq(versions.version, version)))
    .for('update')
  return found!
}

/**
 * Saves changed terms: in place while the version is unsold, otherwise as the next version. Returns the number of the
 * version that is sold from now on.
 */
async function saveTerms({ versions }: Store, { db, user }: Ctx, stored: Versions['$inferSelect'], terms: Terms) {
  if (stored.isSold === 0) {
    await db.update(versions).set(asTerms(terms)).where(eq(versions.id, stored.id))
    return stored.version
  }
  const version = stored.version + 1
  await db.insert(versions).values({ ...asTerms(terms), packageId: stored.packageId, version, createBy: user.uid })
  return version
}

async function updatePackage(store: Store, ctx: Ctx, { id, rev, label, terms }: Save) {
  const { packages, kind, noun, inWords, titles } = store
  const { db, user, now } = ctx
  const stored = await lock(store, ctx, id)
  await checkRevision(db, stored, rev)
  const before = await currentVersion(store, db, stored)
  await assertTerms(db, terms)
  const diff = listChanges(inWords({ ...before, ...stored }), inWords({ ...terms, ...label }), titles)
  if (diff.length === 0) return { rev: stored.rev, version: before.version }
  const hasNewTerms = listChanges(before, terms, titles).length > 0
  const version = hasNewTerms ? await saveTerms(store, ctx, before, terms) : before.version
  const [saved] = await db
    .update(packages)
    .set({ ...label, currentVersion: version, ...updateColumns(stored, user.uid, now) })
    .where(eq(packages.id, stored.id))
    .returning({ rev: packages.rev })
    .catch(rethrowClash(store))
  const note = version === before.version ? '' : `，生成版本 ${version}`
  const named = await withReferencedNames(db, diff, { before, after: terms }, REFERENCES)
  ctx.audit({ bizType: kind, bizId: stored.id, action: `修改${noun}「${stored.packageName}」${note}`, diff: named })
  if (version !== before.version) ctx.say(store.savedText(version))
  await publishChanged(store, ctx)
  return { rev: saved!.rev, version }
}

async function setStatus(store: Store, ctx: Ctx, id: number, status: 0 | 1) {
  const { packages, kind, noun, inWords, statusLabels } = store
  const stored = await lock(store, ctx, id)
  const verb = status === 1 ? statusLabels.enable : statusLabels.disable
  ctx.audit({ bizType: kind, bizId: id, action: `${verb}${noun}「${stored.packageName}」` })
  if (stored.status === status) return null
  await ctx.db
    .update(packages)
    .set({ status, ...updateColumns(stored, ctx.user.uid, ctx.now) })
    .where(eq(packages.id, id))
  ctx.audit({ diff: listChanges(inWords(stored), inWords({ ...stored, status }), { status: '状态' }) })
  await publishChanged(store, ctx)
  return null
}

async function removePackage(store: Store, ctx: Ctx, id: number) {
  const { packages, versions, kind, noun, soldText } = store
  const { db, user, now } = ctx
  const stored = await lock(store, ctx, id)
  await currentVersion(store, db, stored)
  const sold = await db.$count(versions, and(eq(versions.packageId, id), eq(versions.isSold, 1)))
  if (sold > 0) throw conflict(soldText)
  await db
    .update(packages)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(packages.id, id))
  ctx.audit({ bizType: kind, bizId: id, action: `删除${noun}「${stored.packageName}」` })
  await publishChanged(store, ctx)
  return null
}
