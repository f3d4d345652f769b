import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { OTA_MESSAGES, OTA_STATUS, type ota } from '@oms/contract/upgrade/ota.ts'
import { includesNewerVersions, isRangeBackwards } from '@oms/contract/upgrade/version-range.ts'
import { and, eq, inArray } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import type { Db } from '#core/database/client.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { files } from '#core/schema/system.ts'
import { notDeleted, transact, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { deviceModels } from '#modules/device/schema.ts'
import type { ArtifactKind } from '../artifact-kind.ts'
import { createTestRelease, describeRecall, recallRelease, assertReleaseInScope } from '../release.ts'
import { otaVersions } from '../schema.ts'
import { readAppImage, findBoardImage, isBoardVersion } from './image.ts'
import { isIntact } from './scrub.ts'
import { type ReleaseSignature, signForRelease } from './signing.ts'
import { describeComponents } from './version-save.ts'
import { listComponents, lockVersion, formatVersionName, type StoredComponent, type StoredVersion } from './version.ts'

/**
 * Enables a version after reading the bytes of every component again. Reading 300 MB takes about a second, so no
 * transaction is open meanwhile. The final update applies only when the version was not changed since.
 */
export async function enableVersion(ctx: Ctx, artifact: ArtifactKind, { otaId }: ParsedOf<typeof ota.enable>) {
  const { services, user } = ctx
  const { version, components, image } = await transact(ctx, (db) => readyToEnable(db, user, artifact, otaId))
  for (const component of components)
    if (!(await isIntact(services.files, component)))
      throw refused(`组件「${component.name}」的文件已损坏或丢失，校验未通过，不能启用`)
  if (image) await assertImageVersion(services, version, image)
  await transactWithOperationLog(ctx, async (db) => {
    const { release, keyId } = await switchOn(ctx, db, { version, components })
    ctx.audit({
      bizType: artifact.bizType,
      bizId: otaId,
      action: `启用${artifact.noun}${formatVersionName(version)}，${components.length} 个组件校验一致`,
      diff: [
        ...statusChange(version.status, 1),
        ...listChanges(
          {},
          { components: describeComponents(components), release, keyId },
          { components: '校验一致的组件', release: '清单序号', keyId: '签名密钥' },
        ),
      ],
    })
  })
  return null
}

export async function disableVersion(ctx: Ctx, artifact: ArtifactKind, { otaId }: ParsedOf<typeof ota.disable>) {
  const { db, user, now, services } = ctx
  const stored = await lockVersion(db, user, artifact, otaId)
  if (stored.status !== 1) throw refused('该版本未启用')
  await assertReleaseInScope(db, user, otaId)
  await db
    .update(otaVersions)
    .set({ status: 2, ...updateColumns(stored, user.uid, now) })
    .where(eq(otaVersions.otaId, otaId))
  const undone = describeRecall(await recallRelease(db, stored, { uid: user.uid, now, visible: visibleDevices(user) }))
  const action = `停用${artifact.noun}${formatVersionName(stored)}${undone && `：${undone}`}`
  ctx.audit({ bizType: artifact.bizType, bizId: otaId, action, diff: statusChange(1, 2) })
  ctx.say(undone ? `停用成功，${undone}` : '停用成功')
  await services.events.publish(db, 'changed', { resource: 'device', tenantId: stored.tenantId })
  return null
}

interface Candidate {
  readonly version: StoredVersion
  readonly components: StoredComponent[]
  /** Image that voice devices install; absent for other models. */
  readonly image?: StoredComponent | undefined
}

async function readyToEnable(db: Db, user: User, artifact: ArtifactKind, otaId: number): Promise<Candidate> {
  const version = await lockVersion(db, user, artifact, otaId)
  if (version.status === 1) throw refused('该版本已启用')
  await assertReleaseInScope(db, user, otaId)
  const components = await listComponents(db, otaId)
  if (version.modelId === 0) throw refused(OTA_MESSAGES.noModel)
  if (components.length === 0) throw refused(OTA_MESSAGES.empty)
  if (isRangeBackwards(version)) throw refused(OTA_MESSAGES.range)
  if (includesNewerVersions(version)) throw refused(OTA_MESSAGES.beyond)
  const image = await requireInstallableImage(db, version, components)
  await assertServed(db, version, components)
  return { version, components, image }
}

/**
 * Returns the image for the boards of the version's model; undefined for a model without boards. Refuses a disabled
 * model, and a version that the boards cannot install.
 */
async function requireInstallableImage(db: Db, version: StoredVersion, components: readonly StoredComponent[]) {
  const isEnabled = and(eq(deviceModels.id, version.modelId), eq(deviceModels.status, 1), notDeleted(deviceModels))
  const [model] = await db.select({ boards: deviceModels.boards }).from(deviceModels).where(isEnabled)
  if (!model) throw refused('设备型号已停用或删除，不能启用')
  if (model.boards.length === 0 || version.kind !== 1) return undefined
  if (!isBoardVersion(version)) throw refused(BOARD_NAME)
  const image = findBoardImage({ ...version, components })
  if (!image) throw refused(BOARD_IMAGE)
  return image
}

/**
 * Refuses an image that contains another version number. Devices report the number in the image. Their tasks would
 * never succeed, and each boot would offer the same image again.
 */
async function assertImageVersion(
  { files: store }: Pick<Ctx['services'], 'files'>,
  version: StoredVersion,
  image: StoredComponent,
) {
  const found = await readAppImage(store, image.sha256, image.size)
  if (!found || parseBoardVersion(found.version) === version.verCode) return
  throw refused(
    `组件「${image.name}」的镜像版本是 ${found.version || '空'}，与版本名称 ${version.verName} 不一致，不能启用`,
  )
}

const BOARD_NAME = '语音设备的版本名称须为一至三段数字，且与版本号一致，如 2.0.10 的版本号为 2000010'
const BOARD_IMAGE = '语音设备的版本须有且只有一个固件组件，文件为 .bin'

/** Throws unless the file row and the component have the same digest. Downloads use the file row. */
async function assertServed(db: Db, { tenantId }: StoredVersion, components: readonly StoredComponent[]) {
  const rows = await db
    .select({ id: files.id, sha256: files.sha256 })
    .from(files)
    .where(and(eq(files.tenantId, tenantId), eq(files.purpose, 'component'), inIds(components)))
  const served = new Map(rows.map(({ id, sha256 }) => [id, sha256]))
  const wrong = components.find(({ fileId, sha256 }) => served.get(fileId) !== sha256)
  if (wrong) throw refused(`组件「${wrong.name}」的文件已损坏或丢失，校验未通过，不能启用`)
}

const inIds = (components: readonly StoredComponent[]) =>
  inArray(
    files.id,
    components.map(({ fileId }) => fileId),
  )

/** Enables the version only when its revision is still the verified revision (compare and set). */
async function switchOn(ctx: Ctx, db: Db, { version, components }: Candidate): Promise<ReleaseSignature> {
  const { user, now, services } = ctx
  const unchanged = and(eq(otaVersions.otaId, version.otaId), eq(otaVersions.rev, version.rev), notDeleted(otaVersions))
  const [done] = await db
    .update(otaVersions)
    .set({ status: 1, enableTime: now.toISOString(), enableBy: user.uid, ...updateColumns(version, user.uid, now) })
    .where(unchanged)
    .returning({ otaId: otaVersions.otaId })
  if (!done) throw refused('校验期间该版本已被他人修改，请刷新后重试')
  await createTestRelease(db, version, { uid: user.uid, now, twoPerson: services.config.otaTwoPerson })
  const signed = await signForRelease(ctx, db, version, components)
  await services.events.publish(db, 'changed', { resource: 'device', tenantId: version.tenantId })
  return signed
}

const statusChange = (from: number, to: number) =>
  listChanges({ status: labelOf(from) }, { status: labelOf(to) }, { status: '状态' })
const labelOf = (status: number) => OTA_STATUS[status as keyof typeof OTA_STATUS]
