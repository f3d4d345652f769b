import { randomBytes } from 'node:crypto'
import { and, eq, exists } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { otaComponents, otaVersions } from '#db/schema/ota.ts'
import { otaAlarms } from '#db/schema/upgrade.ts'
import { holdersOf } from '#kernel/accounts/holders.ts'
import { writeOperation } from '#kernel/audit.ts'
import { recallInWords, recallRelease } from '#kernel/fleet/release.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { changes } from '#kernel/mask.ts'
import { sendMessage } from '#kernel/message.ts'
import { touched } from '#kernel/stale.ts'
import { alive, PLATFORM_TENANT_ID } from '#kernel/tenancy.ts'
import { type Family, FIRMWARE, SOFTWARE } from './ota-family.ts'
import { nameOf, type StoredVersion } from './ota-rows.ts'
import type { Recorded } from './ota-verify.ts'

const DAMAGED = 1
/** Nobody's: what the system does by itself. */
const SYSTEM_UID = 0

/** Disables every enabled version that consists of this content, raises an alarm for each and tells who can help. */
export async function takeOffDamaged(kernel: Kernel, { sha256 }: Pick<Recorded, 'sha256'>): Promise<number> {
  return kernel.database.db.transaction(async (db) => {
    const parts = db
      .select({ id: otaComponents.id })
      .from(otaComponents)
      .where(and(eq(otaComponents.otaId, otaVersions.otaId), eq(otaComponents.sha256, sha256)))
    const versions = await db
      .select()
      .from(otaVersions)
      .where(and(eq(otaVersions.status, 1), alive(otaVersions), exists(parts)))
      .orderBy(otaVersions.otaId)
      .for('update')
    for (const version of versions) await takeOff(kernel, db, version, sha256)
    return versions.length
  })
}

async function takeOff(kernel: Kernel, db: Db, version: StoredVersion, sha256: string) {
  const { otaId, tenantId } = version
  const family = version.kind === SOFTWARE.kind ? SOFTWARE : FIRMWARE
  const now = kernel.now()
  const [part] = await db
    .select({ name: otaComponents.name, fileName: otaComponents.fileName })
    .from(otaComponents)
    .where(and(eq(otaComponents.otaId, otaId), eq(otaComponents.sha256, sha256)))
  await db
    .update(otaVersions)
    .set({ status: 2, ...touched(version, null, now) })
    .where(eq(otaVersions.otaId, otaId))
  const undone = recallInWords(await recallRelease(db, version, SYSTEM_UID, now))
  const message = `${family.noun}${nameOf(version)}的组件「${part?.name}」文件已损坏或丢失，版本已自动停用${undone && `，${undone}`}`
  await db.insert(otaAlarms).values({
    tenantId,
    otaId,
    kind: DAMAGED,
    message: message.slice(0, 500),
    facts: { sha256, name: part?.name, fileName: part?.fileName },
    createTime: now.toISOString(),
  })
  await logged(db, family, version, message)
  await tell(kernel, db, family, version, message)
  await kernel.events.publish(db, 'changed', { resource: 'device', tenantId })
}

/** Those who may enable the family's versions, of the version's customer and of the vendor. */
async function tell(
  kernel: Kernel,
  db: Db,
  { calls, noun }: Family,
  { tenantId, verName }: StoredVersion,
  message: string,
) {
  const tenants = new Set([tenantId, PLATFORM_TENANT_ID])
  const uids: number[] = []
  for (const id of tenants) uids.push(...(await holdersOf(db, id, calls.enable.access)))
  const text = `${message}。\n请重新上传组件并新增版本，并检查服务器的磁盘。`
  await sendMessage(kernel, db, { title: `${noun}文件损坏：${verName}`, text, uids, priority: 3 })
}

const logged = (db: Db, { calls, bizType }: Family, version: StoredVersion, action: string) =>
  writeOperation(
    db,
    {
      name: 'disable',
      endpoint: { ...calls.disable, title: '夜间核对组件文件' },
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
        diff: changes({ status: '已启用' }, { status: '已停用' }, { status: '状态' }),
      },
      startedAt: performance.now(),
    },
    { ok: true, message: '' },
  )
