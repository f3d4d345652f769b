import { RELEASE_STATE } from '@oms/contract/ota-task.ts'
import { and, asc, eq } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { otaVersions } from '#db/schema/ota.ts'
import { otaPolicies, otaStages } from '#db/schema/upgrade.ts'
import type { User } from '#kernel/context.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { notFound, refused } from '#kernel/problem.ts'
import { alive, scoped } from '#kernel/tenancy.ts'
import { familyOf } from './release-family.ts'

export type StoredVersion = typeof otaVersions.$inferSelect
export type StoredPolicy = typeof otaPolicies.$inferSelect
export type StoredStage = typeof otaStages.$inferSelect

export const MODE = { test: 1, formal: 2 } as const
export const STATE = { running: 0, waiting: 1, refused: 2, paused: 3, stopped: 4 } as const
export const STAGE = { waiting: 0, running: 1, passed: 2, failed: 3, skipped: 4 } as const

/** What this account may see of the versions; part of every query on them. */
export const visibleVersions = (user: User) =>
  and(alive(otaVersions), scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }))

/** A version within the account's sight; one of another tenant is as good as missing. */
export async function versionOf(db: Db, user: User, otaId: number): Promise<StoredVersion> {
  const [found] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersions(user)))
  if (!found) throw notFound('版本')
  return found
}

export async function policyOf(db: Db, otaId: number): Promise<StoredPolicy | undefined> {
  const [found] = await db.select().from(otaPolicies).where(eq(otaPolicies.otaId, otaId))
  return found
}

export const stagesOf = (db: Db, otaId: number): Promise<StoredStage[]> =>
  db.select().from(otaStages).where(eq(otaStages.otaId, otaId)).orderBy(asc(otaStages.seq))

export interface Held {
  readonly version: StoredVersion
  readonly policy: StoredPolicy
  readonly stages: StoredStage[]
}

/**
 * The release to change, locked until the transaction ends: whoever judges its stages waits. Enabling, disabling and
 * this lock the version first, so that none waits for the other in a circle.
 */
export async function lockRelease(db: Db, user: User, otaId: number): Promise<Held> {
  const [version] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersions(user)))
    .for('share')
  if (!version) throw notFound('版本')
  if (version.status !== 1) throw refused('该版本未启用，请先启用')
  const [policy] = await db.select().from(otaPolicies).where(eq(otaPolicies.otaId, otaId)).for('update')
  if (!policy) throw refused('该版本没有发布记录，请停用后重新启用')
  return { version, policy, stages: await stagesOf(db, otaId) }
}

/** Refuses unless the release is in one of these states, saying in which it is. */
export function demandState({ state }: StoredPolicy, allowed: readonly number[], what: string) {
  if (allowed.includes(state)) return
  throw refused(`发布${RELEASE_STATE[state as keyof typeof RELEASE_STATE] ?? state}，不能${what}`)
}

type Named = Pick<StoredVersion, 'kind' | 'verName' | 'verCode' | 'packageName'>

/** `固件版本「秋季版」(100)`, `软件包版本「秋季版」(com.oms.voice 100)`, for the operation log and for notices. */
export const nameOf = ({ kind, verName, verCode, packageName }: Named) =>
  `${familyOf(kind).noun}「${verName}」(${packageName ? `${packageName} ` : ''}${verCode})`

/** Whose history it belongs into. */
export const bizOf = ({ kind, otaId }: Pick<StoredVersion, 'kind' | 'otaId'>) => ({
  bizType: familyOf(kind).bizType,
  bizId: otaId,
})

/** `1250` → `12.5%`. */
export const shareText = (hundredths: number) => `${hundredths / 100}%`

/** Open consoles look again: the version list and everything that shows releases. */
export async function tellChanged({ events }: Pick<Kernel, 'events'>, db: Db, tenantId: number) {
  await events.publish(db, 'changed', { resource: 'device', tenantId })
  await events.publish(db, 'changed', { resource: 'upgrade', tenantId })
}
