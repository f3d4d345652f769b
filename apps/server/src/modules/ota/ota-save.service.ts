import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { OTA_MESSAGES, OtaVersion, type ota } from '@oms/contract/ota.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { deviceModels } from '#db/schema/device.ts'
import { otaComponents, otaVersions } from '#db/schema/ota.ts'
import type { FieldChange } from '#db/schema/system.ts'
import type { Ctx } from '#kernel/context.ts'
import { changes } from '#kernel/mask.ts'
import { conflict, invalid, refused } from '#kernel/problem.ts'
import { checkRevision, touched } from '#kernel/stale.ts'
import { alive } from '#kernel/tenancy.ts'
import { uniqueClash } from '#kernel/unique.ts'
import { claimComponents, inWords, type NewComponent, releaseFiles } from './ota-components.ts'
import type { Family, SentCreate, SentUpdate, SentVersion } from './ota-family.ts'
import { componentsOf, lockVersion, nameOf, type StoredComponent, tenantOf } from './ota-rows.ts'

const TAKEN = ['版本号已存在', 'otaVersion.verCode'] as const

export const create =
  (family: Family) =>
  async (ctx: Ctx, { otaVersion, components }: SentCreate) => {
    const { db, user, kernel } = ctx
    const tenantId = tenantOf(user)
    const modelName = await modelNameOf(db, otaVersion.modelId)
    const claimed = await claimComponents(ctx, tenantId, components)
    const [created] = await db
      .insert(otaVersions)
      .values({
        ...fieldsOf(otaVersion),
        kind: family.kind,
        tenantId,
        components: claimed.length,
        createBy: user.uid,
        updateBy: user.uid,
      })
      .onConflictDoNothing({
        target: [otaVersions.tenantId, otaVersions.modelId, otaVersions.packageName, otaVersions.verCode],
        where: sql`deleted_at is null`,
      })
      .returning({ otaId: otaVersions.otaId })
    if (!created) throw conflict(...TAKEN)
    await putComponents(db, created.otaId, claimed)
    ctx.audit({
      bizType: family.bizType,
      bizId: created.otaId,
      action: `新增${family.noun}${nameOf(otaVersion)}`,
      diff: differences({}, [], { ...fieldsOf(otaVersion), modelName }, claimed),
    })
    await kernel.events.publish(db, 'changed', { resource: 'device', tenantId })
    return created
  }

export const update =
  (family: Family) =>
  async (ctx: Ctx, { otaVersion, components }: SentUpdate) => {
    const { db, user, now, kernel } = ctx
    const stored = await lockVersion(db, user, family, otaVersion.otaId)
    if (stored.status !== 0) throw refused(OTA_MESSAGES.immutable)
    await checkRevision(db, stored, otaVersion.rev)
    const before = await componentsOf(db, stored.otaId)
    const oldModel = await modelNameOf(db, stored.modelId, otaVersion.modelId !== stored.modelId)
    const modelName = await modelNameOf(db, otaVersion.modelId, otaVersion.modelId === stored.modelId)
    const claimed = await claimComponents(ctx, stored.tenantId, components)
    const next = touched(stored, user.uid, now)
    await db
      .update(otaVersions)
      .set({ ...fieldsOf(otaVersion), components: claimed.length, ...next })
      .where(eq(otaVersions.otaId, stored.otaId))
      .catch(rethrowTaken)
    await replaceComponents(db, before, stored.otaId, claimed)
    ctx.audit({
      bizType: family.bizType,
      bizId: stored.otaId,
      action: `修改${family.noun}${nameOf(stored)}`,
      diff: differences({ ...stored, modelName: oldModel }, before, { ...fieldsOf(otaVersion), modelName }, claimed),
    })
    await kernel.events.publish(db, 'changed', { resource: 'device', tenantId: stored.tenantId })
    return { rev: next.rev }
  }

export const remove =
  (family: Family) =>
  async (ctx: Ctx, { otaId }: ParsedOf<typeof ota.remove>) => {
    const { db, user, now, kernel } = ctx
    const stored = await lockVersion(db, user, family, otaId)
    if (stored.status !== 0) throw refused(OTA_MESSAGES.undeletable)
    const components = await componentsOf(db, otaId)
    await db
      .update(otaVersions)
      .set({ deletedAt: now.toISOString(), ...touched(stored, user.uid, now) })
      .where(eq(otaVersions.otaId, otaId))
    await releaseFiles(
      db,
      components.map(({ fileId }) => fileId),
    )
    ctx.audit({
      bizType: family.bizType,
      bizId: otaId,
      action: `删除${family.noun}${nameOf(stored)}`,
      diff: componentDiff(components, []),
    })
    await kernel.events.publish(db, 'changed', { resource: 'device', tenantId: stored.tenantId })
    return null
  }

/** The columns a person decides; absent ends and dates are stored as none, not left as they were. */
const fieldsOf = (sent: SentVersion) => ({
  modelId: sent.modelId,
  packageName: sent.packageName ?? '',
  verCode: sent.verCode,
  verName: sent.verName,
  buildDate: sent.buildDate ?? null,
  releaseDate: sent.releaseDate,
  description: sent.description,
  oldVerMin: sent.oldVerMin ?? null,
  oldVerMax: sent.oldVerMax ?? null,
})

/** A version is made for a model in use; one that keeps its model may keep it after the model was switched off. */
async function modelNameOf(db: Db, modelId: number, evenDisabled = false) {
  const inUse = evenDisabled ? undefined : and(alive(deviceModels), eq(deviceModels.status, 1))
  const [model] = await db
    .select({ name: deviceModels.modelName })
    .from(deviceModels)
    .where(and(eq(deviceModels.id, modelId), inUse))
  if (!model) throw invalid('设备型号不存在或已停用', 'otaVersion.modelId')
  return model.name
}

const putComponents = async (db: Db, otaId: number, components: NewComponent[]) => {
  if (components.length) await db.insert(otaComponents).values(components.map((each) => ({ ...each, otaId })))
}

async function replaceComponents(db: Db, before: StoredComponent[], otaId: number, claimed: NewComponent[]) {
  await db.delete(otaComponents).where(eq(otaComponents.otaId, otaId))
  await putComponents(db, otaId, claimed)
  const kept = new Set(claimed.map(({ fileId }) => fileId))
  await releaseFiles(
    db,
    before.flatMap(({ fileId }) => (kept.has(fileId) ? [] : [fileId])),
  )
}

const TITLES = Object.fromEntries(
  (
    [
      'modelName',
      'packageName',
      'verCode',
      'verName',
      'buildDate',
      'releaseDate',
      'description',
      'oldVerMin',
      'oldVerMax',
    ] as const
  ).map((field) => [field, String(OtaVersion.shape[field].meta()?.title)]),
)

const componentDiff = (before: readonly StoredComponent[], after: readonly NewComponent[]) =>
  changes({ components: inWords(before) }, { components: inWords(after) }, { components: '组件' })

const differences = (
  before: object,
  oldComponents: readonly StoredComponent[],
  after: object,
  newComponents: readonly NewComponent[],
): FieldChange[] => [...changes(before, after, TITLES), ...componentDiff(oldComponents, newComponents)]

/** Two saves at once may want the same number: the index has the last word. */
function rethrowTaken(error: unknown): never {
  throw uniqueClash(error, { ota_versions_code: TAKEN }) ?? error
}
