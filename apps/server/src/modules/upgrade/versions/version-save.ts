import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  OTA_MESSAGES,
  OtaVersion,
  type ota,
  COMPONENT_TYPE,
  COMPONENT_URL,
  type OtaComponentInput,
  DEFAULT_COMPONENT_TYPE,
} from '@oms/contract/upgrade/ota.ts'
import { includesNewerVersions } from '@oms/contract/upgrade/version-range.ts'
import { and, eq, isNotNull, sql, asc, inArray, isNull, or } from 'drizzle-orm'
import type * as z from 'zod'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { checkRevision, describeMissingRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { type FieldChange, files } from '#core/schema/system.ts'
import { saveUpload } from '#core/storage/save-upload.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/tenant-state.ts'
import { deviceModels } from '#modules/device/schema.ts'
import type { ArtifactKind } from '../artifact-kind.ts'
import { assertReleaseInScope } from '../release.ts'
import { otaComponents, otaVersions, otaPolicies } from '../schema.ts'
import { signEditedVersion } from './signing.ts'
import {
  type VersionCreateRequest,
  type VersionUpdateRequest,
  type VersionFields,
  listComponents,
  lockVersion,
  formatVersionName,
  type StoredComponent,
  type StoredVersion,
  requireSessionTenant,
} from './version.ts'

const TAKEN = ['版本号已存在', 'otaVersion.verCode'] as const

export async function createVersion(
  ctx: Ctx,
  artifact: ArtifactKind,
  { otaVersion: sent, components }: VersionCreateRequest,
) {
  const { db, user, services } = ctx
  const { id: tenantId } = await resolveOwningTenant(ctx)
  const otaVersion = { ...sent, modelId: sent.modelId ?? 0 }
  const modelName = await modelNameOf(db, otaVersion.modelId)
  await assertBoardVersion(db, artifact, otaVersion)
  const claimed = await claimComponents(ctx, tenantId, components)
  const [created] = await db
    .insert(otaVersions)
    .values({
      ...fieldsOf(otaVersion),
      kind: artifact.kind,
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
    bizType: artifact.bizType,
    bizId: created.otaId,
    action: `新增${artifact.noun}${formatVersionName(otaVersion)}`,
    diff: differences({}, [], { ...fieldsOf(otaVersion), modelName }, claimed),
  })
  await services.events.publish(db, 'changed', { resource: 'device', tenantId })
  return created
}

export async function updateVersion(
  ctx: Ctx,
  artifact: ArtifactKind,
  { otaVersion: sent, components }: VersionUpdateRequest,
) {
  const { db, user, now, services } = ctx
  const stored = await lockVersion(db, user, artifact, sent.otaId)
  const otaVersion = { ...sent, modelId: sent.modelId ?? stored.modelId }
  await checkRevision(db, stored, otaVersion.rev)
  const before = await listComponents(db, stored.otaId)
  const isDraft = stored.status === 0
  if (!isDraft) await assertEditable(ctx, stored, before, { next: fieldsOf(otaVersion), components })
  const oldModel = await modelNameOf(db, stored.modelId, otaVersion.modelId !== stored.modelId)
  const modelName = await modelNameOf(db, otaVersion.modelId, otaVersion.modelId === stored.modelId)
  await assertBoardVersion(db, artifact, otaVersion)
  const claimed = isDraft ? await claimComponents(ctx, stored.tenantId, components) : before
  const next = updateColumns(stored, user.uid, now)
  await db
    .update(otaVersions)
    .set({ ...fieldsOf(otaVersion), components: claimed.length, ...next })
    .where(eq(otaVersions.otaId, stored.otaId))
    .catch(rethrowTaken)
  if (isDraft) await replaceComponents(db, before, stored.otaId, claimed)
  if (stored.status === 1) await signEditedVersion(ctx, { ...stored, ...fieldsOf(otaVersion) }, before)
  ctx.audit({
    bizType: artifact.bizType,
    bizId: stored.otaId,
    action: `修改${artifact.noun}${formatVersionName(stored)}${describeMissingRevision(otaVersion.rev)}`,
    diff: differences({ ...stored, modelName: oldModel }, before, { ...fieldsOf(otaVersion), modelName }, claimed),
  })
  await services.events.publish(db, 'changed', { resource: 'device', tenantId: stored.tenantId })
  return { rev: next.rev }
}

/**
 * Refuses an edit that changes number, model, package or components of a version that is or was enabled. The range of
 * an enabled version may not include newer versions. After a second person has approved the release, date and range
 * cannot change.
 */
async function assertEditable(
  { db, user }: Ctx,
  stored: StoredVersion,
  before: readonly StoredComponent[],
  { next, components }: { next: ReturnType<typeof fieldsOf>; components: VersionUpdateRequest['components'] },
) {
  const field = (['verCode', 'modelId', 'packageName'] as const).find((key) => next[key] !== stored[key])
  if (field) throw invalid(OTA_MESSAGES.immutable, `otaVersion.${field}`)
  const isKept = (component: StoredComponent, at: number) =>
    (['name', 'type', 'url'] as const).every((key) => components[at]?.[key] === component[key])
  if (components.length !== before.length || !before.every(isKept)) throw invalid(OTA_MESSAGES.immutable, 'components')
  await assertReleaseInScope(db, user, stored.otaId)
  if (stored.status !== 1) return
  if (includesNewerVersions(next)) throw invalid(OTA_MESSAGES.beyond, 'otaVersion.oldVerMax')
  const moved = (['releaseDate', 'oldVerMin', 'oldVerMax'] as const).find((key) => next[key] !== stored[key])
  const approved = and(eq(otaPolicies.otaId, stored.otaId), isNotNull(otaPolicies.auditBy))
  if (moved && (await db.$count(otaPolicies, approved))) throw invalid(OTA_MESSAGES.approved, `otaVersion.${moved}`)
}

export async function removeVersion(ctx: Ctx, artifact: ArtifactKind, { otaId }: ParsedOf<typeof ota.remove>) {
  const { db, user, now, services } = ctx
  const stored = await lockVersion(db, user, artifact, otaId)
  if (stored.status !== 0) throw refused(OTA_MESSAGES.undeletable)
  const components = await listComponents(db, otaId)
  await db
    .update(otaVersions)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(otaVersions.otaId, otaId))
  await markFilesUnused(
    db,
    components.map(({ fileId }) => fileId),
  )
  ctx.audit({
    bizType: artifact.bizType,
    bizId: otaId,
    action: `删除${artifact.noun}${formatVersionName(stored)}`,
    diff: componentDiff(components, []),
  })
  await services.events.publish(db, 'changed', { resource: 'device', tenantId: stored.tenantId })
  return null
}

/** Returns the columns that a person sets. Absent range ends and dates are stored as null. */
const fieldsOf = (sent: VersionFields & { readonly modelId: number }) => ({
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

/** Returns the name of an enabled model. A version may keep a disabled model, and a draft may have no model. */
async function modelNameOf(db: Db, modelId: number, evenDisabled = false) {
  if (modelId === 0) return ''
  const isEnabled = evenDisabled ? undefined : and(notDeleted(deviceModels), eq(deviceModels.status, 1))
  const [model] = await db
    .select({ name: deviceModels.modelName })
    .from(deviceModels)
    .where(and(eq(deviceModels.id, modelId), isEnabled))
  if (!model) throw invalid('设备型号不存在或已停用', 'otaVersion.modelId')
  return model.name
}

/** Voice devices compare version names, so the number of a version of their model must follow from its name. */
async function assertBoardVersion(
  db: Db,
  { kind }: ArtifactKind,
  { modelId, verName, verCode }: VersionFields & { readonly modelId: number },
) {
  if (kind !== 1) return
  const [model] = await db
    .select({ boards: deviceModels.boards })
    .from(deviceModels)
    .where(eq(deviceModels.id, modelId))
  if (!model || model.boards.length === 0) return
  const expected = parseBoardVersion(verName)
  if (expected === undefined)
    throw invalid('语音设备的版本名称须为一至三段小于 1000 的数字，如 2.0.10', 'otaVersion.verName')
  if (expected !== verCode) throw invalid(`版本名称 ${verName} 的版本号应为 ${expected}`, 'otaVersion.verCode')
}

const putComponents = async (db: Db, otaId: number, components: NewComponent[]) => {
  if (components.length) await db.insert(otaComponents).values(components.map((each) => ({ ...each, otaId })))
}

async function replaceComponents(db: Db, before: StoredComponent[], otaId: number, claimed: NewComponent[]) {
  await db.delete(otaComponents).where(eq(otaComponents.otaId, otaId))
  await putComponents(db, otaId, claimed)
  const kept = new Set(claimed.map(({ fileId }) => fileId))
  await markFilesUnused(
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
  listChanges(
    { components: describeComponents(before) },
    { components: describeComponents(after) },
    { components: '组件' },
  )

const differences = (
  before: object,
  oldComponents: readonly StoredComponent[],
  after: object,
  newComponents: readonly NewComponent[],
): FieldChange[] => [...listChanges(before, after, TITLES), ...componentDiff(oldComponents, newComponents)]

/** Converts the unique violation of two simultaneous saves with the same number into an API error. */
function rethrowTaken(error: unknown): never {
  throw toUniqueViolation(error, { ota_versions_code: TAKEN }) ?? error
}

type Sent = z.output<typeof OtaComponentInput>
type StoredFile = typeof files.$inferSelect
type NewComponent = Omit<typeof otaComponents.$inferInsert, 'otaId' | 'id'>

const fileIdOf = (url: string) => COMPONENT_URL.exec(url)?.[1] ?? ''

/**
 * Returns the components of a save, with the size and digests that the server computed at upload. Each file must be
 * a component uploaded by this tenant. Marks the files as used.
 */
async function claimComponents(ctx: Ctx, tenantId: number, sent: readonly Sent[]): Promise<NewComponent[]> {
  const found = await lockFiles(ctx, tenantId, [...new Set(sent.map(({ url }) => fileIdOf(url)))])
  const claimed = sent.map((component, sort) => componentFrom(component, sort, found))
  await ctx.db
    .update(files)
    .set({ tenantId, usedTime: sql`coalesce(${files.usedTime}, now())` as unknown as string })
    .where(inArray(files.id, [...found.keys()]))
  return claimed
}

/** Locks the files in the order of their ids, so that two saves of the same files cannot deadlock. */
async function lockFiles({ db, user }: Ctx, tenantId: number, ids: string[]): Promise<Map<string, StoredFile>> {
  if (ids.length === 0) return new Map()
  // Staff who edit a version of another tenant upload under their own tenant. An unused upload moves to the
  // version's tenant.
  const fresh = user.tenantId === null ? undefined : and(eq(files.tenantId, user.tenantId), isNull(files.usedTime))
  const rows = await db
    .select()
    .from(files)
    .where(and(inArray(files.id, ids), eq(files.purpose, 'component'), or(eq(files.tenantId, tenantId), fresh)))
    .orderBy(asc(files.id))
    .for('update')
  return new Map(rows.map((file) => [file.id, file]))
}

function componentFrom(sent: Sent, sort: number, found: Map<string, StoredFile>): NewComponent {
  const { name, type, url } = sent
  const file = found.get(fileIdOf(url))
  if (!file) throw invalid(OTA_MESSAGES.file, `components.${sort}.url`)
  const differs = (['size', 'md5', 'sha1', 'sha256'] as const).some(
    (key) => sent[key] !== undefined && sent[key] !== file[key],
  )
  if (differs) throw invalid(`组件「${name}」的大小或校验值与已上传的文件不一致，请重新上传`, `components.${sort}.url`)
  const { id: fileId, name: fileName, size, md5, sha1, sha256 } = file
  return { sort, name, type, fileId, fileName, url, size, md5, sha1, sha256 }
}

/** Marks files that no existing version references as unused. The garbage collector deletes them after a day. */
async function markFilesUnused(db: Db, fileIds: readonly string[]) {
  if (fileIds.length === 0) return
  const named = db
    .select({ id: otaComponents.fileId })
    .from(otaComponents)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaComponents.otaId))
    .where(and(notDeleted(otaVersions), inArray(otaComponents.fileId, [...fileIds])))
  await db
    .update(files)
    .set({ usedTime: null })
    .where(and(inArray(files.id, [...fileIds]), sql`${files.id} not in (${named})`))
}

type Described = Pick<NewComponent, 'name' | 'type' | 'size' | 'md5' | 'sha1' | 'sha256'>

/** Describes components for the operation log, one line each with digests. */
export const describeComponents = (components: readonly Described[]) =>
  components.map(
    ({ name, type, size, md5, sha1, sha256 }) =>
      `${name}（${COMPONENT_TYPE[type as keyof typeof COMPONENT_TYPE] ?? type}）${size} 字节 md5:${md5} sha1:${sha1} sha256:${sha256}`,
  )

/** Stores one component upload and returns the size and digests of the received bytes. */
export async function uploadComponent(ctx: Ctx) {
  requireSessionTenant(ctx.user)
  const { id, ...stored } = await saveUpload(ctx, 'component')
  ctx.audit({
    bizType: 'file',
    bizId: id,
    action: `上传组件「${stored.name}」${stored.size} 字节 sha256:${stored.sha256}`,
  })
  return { ...stored, type: DEFAULT_COMPONENT_TYPE }
}
