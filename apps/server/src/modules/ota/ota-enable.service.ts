import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { isBackwards, OTA_MESSAGES, OTA_STATUS, type ota, reachesBeyond } from '@oms/contract/ota.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { deviceModels } from '#db/schema/device.ts'
import { otaVersions } from '#db/schema/ota.ts'
import { files } from '#db/schema/system.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { openRelease, recallInWords, recallRelease } from '#kernel/fleet/release.ts'
import { changes } from '#kernel/mask.ts'
import { refused } from '#kernel/problem.ts'
import { touched } from '#kernel/stale.ts'
import { alive, transact } from '#kernel/tenancy.ts'
import { inWords } from './ota-components.ts'
import type { Family } from './ota-family.ts'
import { componentsOf, lockVersion, nameOf, type StoredComponent, type StoredVersion } from './ota-rows.ts'
import { type Signed, signForRelease } from './ota-sign.ts'
import { isIntact } from './ota-verify.ts'

/**
 * Reads every component's bytes again before devices may get them. That takes a second for 300 MB, so no transaction
 * is open meanwhile: the change at the end takes effect only if nobody touched the version since.
 */
export const enable =
  (family: Family) =>
  async (ctx: Ctx, { otaId }: ParsedOf<typeof ota.enable>) => {
    const { kernel, user } = ctx
    const { version, components } = await transact(ctx, (db) => readyToEnable(db, user, family, otaId))
    for (const component of components)
      if (!(await isIntact(kernel.files, component)))
        throw refused(`组件「${component.name}」的文件已损坏或丢失，校验未通过，不能启用`)
    const { release, keyId } = await transact(ctx, (db) => switchOn(ctx, db, { version, components }))
    ctx.audit({
      bizType: family.bizType,
      bizId: otaId,
      action: `启用${family.noun}${nameOf(version)}，${components.length} 个组件校验一致`,
      diff: [
        ...statusChange(version.status, 1),
        ...changes(
          {},
          { components: inWords(components), release, keyId },
          { components: '校验一致的组件', release: '清单序号', keyId: '签名密钥' },
        ),
      ],
    })
    return null
  }

export const disable =
  (family: Family) =>
  async (ctx: Ctx, { otaId }: ParsedOf<typeof ota.disable>) => {
    const { db, user, now, kernel } = ctx
    const stored = await lockVersion(db, user, family, otaId)
    if (stored.status !== 1) throw refused('该版本未启用')
    await db
      .update(otaVersions)
      .set({ status: 2, ...touched(stored, user.uid, now) })
      .where(eq(otaVersions.otaId, otaId))
    const undone = recallInWords(await recallRelease(db, stored, user.uid, now))
    const action = `停用${family.noun}${nameOf(stored)}${undone && `：${undone}`}`
    ctx.audit({ bizType: family.bizType, bizId: otaId, action, diff: statusChange(1, 2) })
    ctx.say(undone ? `停用成功，${undone}` : '停用成功')
    await kernel.events.publish(db, 'changed', { resource: 'device', tenantId: stored.tenantId })
    return null
  }

interface Candidate {
  readonly version: StoredVersion
  readonly components: StoredComponent[]
}

async function readyToEnable(db: Db, user: User, family: Family, otaId: number): Promise<Candidate> {
  const version = await lockVersion(db, user, family, otaId)
  if (version.status === 1) throw refused('该版本已启用')
  const components = await componentsOf(db, otaId)
  if (components.length === 0) throw refused(OTA_MESSAGES.empty)
  if (isBackwards(version)) throw refused(OTA_MESSAGES.range)
  if (reachesBeyond(version)) throw refused(OTA_MESSAGES.beyond)
  await assertModelInUse(db, version.modelId)
  await assertServed(db, version, components)
  return { version, components }
}

async function assertModelInUse(db: Db, modelId: number) {
  const inUse = and(eq(deviceModels.id, modelId), eq(deviceModels.status, 1), alive(deviceModels))
  const [model] = await db.select({ id: deviceModels.id }).from(deviceModels).where(inUse)
  if (!model) throw refused('设备型号已停用或删除，不能启用')
}

/** Downloads go by the file's row, so that row must name the same bytes as the component. */
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

/** Compare and set: only the revision whose bytes were read becomes visible to devices. */
async function switchOn(ctx: Ctx, db: Db, { version, components }: Candidate): Promise<Signed> {
  const { user, now, kernel } = ctx
  const unchanged = and(eq(otaVersions.otaId, version.otaId), eq(otaVersions.rev, version.rev), alive(otaVersions))
  const [done] = await db
    .update(otaVersions)
    .set({ status: 1, enableTime: now.toISOString(), enableBy: user.uid, ...touched(version, user.uid, now) })
    .where(unchanged)
    .returning({ otaId: otaVersions.otaId })
  if (!done) throw refused('校验期间该版本已被他人修改，请刷新后重试')
  await openRelease(db, version, { uid: user.uid, now, twoPerson: kernel.config.otaTwoPerson })
  const signed = await signForRelease(ctx, db, version, components)
  await kernel.events.publish(db, 'changed', { resource: 'device', tenantId: version.tenantId })
  return signed
}

const statusChange = (from: number, to: number) =>
  changes({ status: labelOf(from) }, { status: labelOf(to) }, { status: '状态' })
const labelOf = (status: number) => OTA_STATUS[status as keyof typeof OTA_STATUS]
