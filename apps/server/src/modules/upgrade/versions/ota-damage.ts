import { randomBytes } from 'node:crypto'
import { and, eq, exists } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { otaComponents, otaVersions } from '../schema-ota.ts'
import { otaAlarms } from '../schema.ts'
import { listAccountsWithPermission, listPlatformStaff } from '#modules/account/permission-holders.ts'
import { writeOperation } from '#core/audit/operation-log.ts'
import { describeRecall, recallRelease } from '../releases/release-rules.ts'
import type { Services } from '#core/services.ts'
import { listChanges } from '#core/audit/mask.ts'
import { sendMessage } from '#modules/system/notices/send-message.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { type ArtifactKind, FIRMWARE_KIND, SOFTWARE_KIND } from './ota-artifact-kind.ts'
import { formatVersionName, type StoredVersion } from './ota-rows.ts'
import type { RecordedDigests } from './ota-verify.ts'

const DAMAGED = 1
/** Account id of changes made by the system. */
const SYSTEM_UID = 0

/**
 * Disables every enabled version that contains this content, opens an alarm for each version and notifies the
 * responsible accounts.
 */
export async function disableDamagedVersions(
  services: Services,
  { sha256 }: Pick<RecordedDigests, 'sha256'>,
): Promise<number> {
  return services.database.db.transaction(async (db) => {
    const parts = db
      .select({ id: otaComponents.id })
      .from(otaComponents)
      .where(and(eq(otaComponents.otaId, otaVersions.otaId), eq(otaComponents.sha256, sha256)))
    const versions = await db
      .select()
      .from(otaVersions)
      .where(and(eq(otaVersions.status, 1), notDeleted(otaVersions), exists(parts)))
      .orderBy(otaVersions.otaId)
      .for('update')
    for (const version of versions) await takeOff(services, db, version, sha256)
    return versions.length
  })
}

async function takeOff(services: Services, db: Db, version: StoredVersion, sha256: string) {
  const { otaId, tenantId } = version
  const artifact = version.kind === SOFTWARE_KIND.kind ? SOFTWARE_KIND : FIRMWARE_KIND
  const now = services.now()
  const [part] = await db
    .select({ name: otaComponents.name, fileName: otaComponents.fileName })
    .from(otaComponents)
    .where(and(eq(otaComponents.otaId, otaId), eq(otaComponents.sha256, sha256)))
  await db
    .update(otaVersions)
    .set({ status: 2, ...updateColumns(version, null, now) })
    .where(eq(otaVersions.otaId, otaId))
  const undone = describeRecall(await recallRelease(db, version, { uid: SYSTEM_UID, now }))
  const message = `${artifact.noun}${formatVersionName(version)}的组件「${part?.name}」文件已损坏或丢失，版本已自动停用${undone && `，${undone}`}`
  await db.insert(otaAlarms).values({
    tenantId,
    otaId,
    kind: DAMAGED,
    message: message.slice(0, 500),
    facts: { sha256, name: part?.name, fileName: part?.fileName },
    createTime: now.toISOString(),
  })
  await logged(db, artifact, version, message)
  await notifyResponsible(services, db, artifact, version, message)
  await services.events.publish(db, 'changed', { resource: 'device', tenantId })
}

/** Notifies the accounts of the tenant and of the vendor that may enable versions of this kind. */
async function notifyResponsible(
  services: Services,
  db: Db,
  { calls, noun }: ArtifactKind,
  { tenantId, verName }: StoredVersion,
  message: string,
) {
  const { access } = calls.enable
  const own = tenantId === PLATFORM_TENANT_ID ? [] : await listAccountsWithPermission(db, tenantId, access)
  const uids = [...own, ...(await listPlatformStaff(db, access, [tenantId]))]
  const text = `${message}。\n请重新上传组件并新增版本，并检查服务器的磁盘。`
  await sendMessage(services, db, { title: `${noun}文件损坏：${verName}`, text, uids, priority: 3 })
}

const logged = (db: Db, { calls, bizType }: ArtifactKind, version: StoredVersion, action: string) =>
  writeOperation(
    db,
    {
      name: 'disable',
      endpoint: { ...calls.disable, title: '每周核对组件文件' },
      request: {
        id: randomBytes(8).toString('hex'),
        ip: '',
        userAgent: '',
        method: calls.disable.method,
        url: '',
        header: () => undefined,
      },
      user: null,
      input: { otaId: version.otaId },
      note: {
        bizType,
        bizId: version.otaId,
        action,
        diff: listChanges({ status: '已启用' }, { status: '已停用' }, { status: '状态' }),
      },
      startedAt: performance.now(),
    },
    { ok: true, message: '' },
  )
