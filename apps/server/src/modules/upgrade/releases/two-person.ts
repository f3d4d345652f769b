import { TWO_PERSON_ABOVE } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '#modules/device/schema.ts'
import { otaComponents } from '../schema-ota.ts'
import { files } from '#core/schema/system.ts'
import type { User } from '#core/http/context.ts'
import { isTargetDevice } from './release-rules.ts'
import type { Services } from '#core/services.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { findArtifactKind } from './release-artifact-kind.ts'
import { RELEASE_MODE, type StoredPolicy, type StoredVersion } from './release-rows.ts'

interface Plan {
  readonly mode: number
  readonly tenantIds: readonly number[]
}

/**
 * True when this publication requires a second person. The setting is always, never, or above a number of devices.
 */
export async function needsAudit({ config }: Pick<Services, 'config'>, db: Db, version: StoredVersion, plan: Plan) {
  if (plan.mode !== RELEASE_MODE.formal || config.otaTwoPerson === 'off') return false
  if (config.otaTwoPerson === 'on') return true
  const meant = plan.tenantIds.length > 0 ? inArray(devices.tenantId, [...plan.tenantIds]) : undefined
  const { rows } = await db.execute<{ n: number }>(sql`select count(*)::int as n from (
    select from devices where ${and(isTargetDevice(version), meant)} limit ${TWO_PERSON_ABOVE + 1}) as reached`)
  return (rows[0]?.n ?? 0) > TWO_PERSON_ABOVE
}

const auditRight = ({ kind }: Pick<StoredVersion, 'kind'>) => findArtifactKind(kind).release.audit.access

/**
 * Returns the reason why this account may not approve the release, or an empty text. Creator and submitter may not
 * approve.
 */
export async function findAuditBlock(db: Db, user: User, version: StoredVersion, policy: StoredPolicy | undefined) {
  if (!user.can(auditRight(version))) return '您没有发布审批的权限'
  if (policy?.submitBy === user.uid) return '不能审批自己提交的发布，请由另一人审批'
  if (version.createBy === user.uid) return '您是该版本的创建人，请由另一人审批'
  const [uploaded] = await db
    .select({ uid: files.uid })
    .from(otaComponents)
    .innerJoin(files, eq(files.id, otaComponents.fileId))
    .where(and(eq(otaComponents.otaId, version.otaId), eq(files.uid, user.uid)))
    .limit(1)
  return uploaded ? '该版本的组件由您上传，请由另一人审批' : ''
}

const MAX_NOTIFIED = 50

/** Returns the accounts of the version's tenant that may approve, without the submitter. */
export async function listApprovers(db: Db, version: StoredVersion, submitBy: number): Promise<number[]> {
  const { rows } = await db.execute<{ uid: number }>(sql`
    select distinct a.uid from accounts a
    join account_roles ar on ar.uid = a.uid
    join roles r on r.id = ar.role_id and r.status = 1 and r.deleted_at is null and r.tenant_id = a.tenant_id
    where a.tenant_id = ${version.tenantId} and a.status = 1 and a.deleted_at is null and a.uid <> ${submitBy}
      and (r.id = ${SUPER_ROLE_ID} or exists (select from role_menus rm join menus m on m.id = rm.menu_id
        where rm.role_id = r.id and m.perms = ${auditRight(version)} and m.status = 1 and m.deleted_at is null))
    order by a.uid limit ${MAX_NOTIFIED}`)
  return rows.map(({ uid }) => uid)
}
