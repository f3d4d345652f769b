import { RELEASE_STATE } from '@oms/contract/upgrade/task-state.ts'
import { and, asc, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { otaVersions } from '../schema-ota.ts'
import { otaPolicies, otaStages } from '../schema.ts'
import type { User } from '#core/http/context.ts'
import { assertReleaseInScope } from './release-rules.ts'
import type { Services } from '#core/services.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { findArtifactKind } from './release-artifact-kind.ts'

export type StoredVersion = typeof otaVersions.$inferSelect
export type StoredPolicy = typeof otaPolicies.$inferSelect
export type StoredStage = typeof otaStages.$inferSelect

export const RELEASE_MODE = { test: 1, formal: 2 } as const
export const RELEASE_STATE_CODE = { running: 0, waiting: 1, refused: 2, paused: 3, stopped: 4 } as const
export const STAGE_STATE = { waiting: 0, running: 1, passed: 2, failed: 3, skipped: 4 } as const

/** Returns the condition for versions that the account may see. Every query on versions includes the condition. */
export const visibleVersions = (user: User) =>
  and(notDeleted(otaVersions), scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }))

/** Returns a visible version. A version of another tenant is reported as not found. */
export async function requireVersion(db: Db, user: User, otaId: number): Promise<StoredVersion> {
  const [found] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersions(user)))
  if (!found) throw notFound('版本')
  return found
}

/**
 * Returns a version whose release lies within the account's data scope. Refuses a release that also reaches other
 * tenants.
 */
export async function requireChangeableVersion(db: Db, user: User, otaId: number): Promise<StoredVersion> {
  const version = await requireVersion(db, user, otaId)
  await assertReleaseInScope(db, user, otaId)
  return version
}

export async function readPolicy(db: Db, otaId: number): Promise<StoredPolicy | undefined> {
  const [found] = await db.select().from(otaPolicies).where(eq(otaPolicies.otaId, otaId))
  return found
}

export const listStages = (db: Db, otaId: number): Promise<StoredStage[]> =>
  db.select().from(otaStages).where(eq(otaStages.otaId, otaId)).orderBy(asc(otaStages.seq))

export interface LockedRelease {
  readonly version: StoredVersion
  readonly policy: StoredPolicy
  readonly stages: StoredStage[]
}

/**
 * Returns the release, locked until the transaction ends; the stage evaluation skips a locked release. Enabling,
 * disabling and this function lock the version first, which prevents deadlocks. Refuses a release beyond the data
 * scope.
 */
export async function lockRelease(db: Db, user: User, otaId: number): Promise<LockedRelease> {
  const [version] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersions(user)))
    .for('share')
  if (!version) throw notFound('版本')
  if (version.status !== 1) throw refused('该版本未启用，请先启用')
  const [policy] = await db.select().from(otaPolicies).where(eq(otaPolicies.otaId, otaId)).for('update')
  if (!policy) throw refused('该版本没有发布记录，请停用后重新启用')
  await assertReleaseInScope(db, user, otaId)
  return { version, policy, stages: await listStages(db, otaId) }
}

/** Throws unless the release is in one of these states. The error names the current state. */
export function assertReleaseState({ state }: StoredPolicy, allowed: readonly number[], what: string) {
  if (allowed.includes(state)) return
  throw refused(`发布${RELEASE_STATE[state as keyof typeof RELEASE_STATE] ?? state}，不能${what}`)
}

type Named = Pick<StoredVersion, 'kind' | 'verName' | 'verCode' | 'packageName'>

/**
 * Formats a version's name for the operation log and for notices: `固件版本「秋季版」(100)`, `软件包版本「秋季版」(com.oms.voice 100)`.
 */
export const formatVersionName = ({ kind, verName, verCode, packageName }: Named) =>
  `${findArtifactKind(kind).noun}「${verName}」(${packageName ? `${packageName} ` : ''}${verCode})`

/** Returns the business type and id under which the operation log stores changes of a version. */
export const toAuditTarget = ({ kind, otaId }: Pick<StoredVersion, 'kind' | 'otaId'>) => ({
  bizType: findArtifactKind(kind).bizType,
  bizId: otaId,
})

/** Publishes a change so that open consoles reload the version list and the release pages. */
export async function publishReleaseChanged({ events }: Pick<Services, 'events'>, db: Db, tenantId: number) {
  await events.publish(db, 'changed', { resource: 'device', tenantId })
  await events.publish(db, 'changed', { resource: 'upgrade', tenantId })
}
