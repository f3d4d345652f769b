import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import { PROGRAM_VERSION_STATE, BEYOND_SCOPE_MESSAGE, PROGRAM_STATUS } from '@oms/contract/advertise/program-words.ts'
import { and, eq, type SQL, not, sql, type AnyColumn } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { ANY_TENANT, selectTargetTenants } from '#core/schema/target-tenants.ts'
import { buildStaffScope, notDeleted, scoped, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { StoredAd } from './content.ts'
import type { ProgramTarget } from './programs/program-targets.ts'
import { AD_STATUS, ads, adPrograms } from './schema.ts'

/** Returns the condition for ads that the account may see. Every query on ads contains the condition. */
export const visibleAds = (user: User): SQL | undefined =>
  and(notDeleted(ads), scoped(user, { tenant: ads.tenantId, creator: ads.createBy }))

/**
 * Returns the ad, locked until the transaction ends. An ad of another tenant is reported as not found. Refuses ads that
 * the account may only read.
 */
export async function lockAd(db: Db, user: User, id: number): Promise<StoredAd> {
  const [found] = await db
    .select()
    .from(ads)
    .where(and(eq(ads.id, id), visibleAds(user)))
    .for('update')
  if (!found) throw notFound('广告')
  await assertAdInScope(db, user, id)
  return found
}

/** Returns the condition for programs that the account may see. Every query on programs contains the condition. */
export const visiblePrograms = (user: User): SQL | undefined =>
  and(notDeleted(adPrograms), scoped(user, { tenant: adPrograms.tenantId, creator: adPrograms.createBy }))

/**
 * Returns the condition for submitted ads that the account may audit. Staff of the platform audits the ads of a tenant
 * whose 广告审核方 is 平台; other ads are audited in a session of their tenant. Submitter and uploaders may not audit.
 */
export const buildAwaitingAdAuditCondition = (user: User): SQL | undefined =>
  and(
    visibleAds(user),
    eq(ads.auditStatus, AD_STATUS.submitted),
    not(buildOutOfScopeAdCondition(user, ads.id)),
    sql`not exists (select from ad_versions v where v.ad_id = ${ads.id} and v.ver_no = ${ads.verNo}
      and (v.submit_by = ${user.uid} or ${user.uid} = any(v.uploaders)))`,
    sql`case when ${ads.tenantId} <> ${PLATFORM_TENANT_ID}
        and exists (select from tenants t where t.id = ${ads.tenantId} and t.ad_platform_audit = 1)
      then ${user.isPlatform} else ${ads.tenantId} = ${user.tenantId} end`,
  )

/**
 * Returns the condition for programs with a waiting version that the account may approve. The submitter may not
 * approve.
 */
export const buildAwaitingProgramAuditCondition = (user: User): SQL | undefined =>
  and(
    visiblePrograms(user),
    not(buildOutOfScopeProgramCondition(user, adPrograms.id)),
    sql`exists (select from ad_program_versions w where w.program_id = ${adPrograms.id}
      and w.state = ${PROGRAM_VERSION_STATE.waiting} and w.publish_by <> ${user.uid})`,
  )

type Limited = Pick<User, 'scope' | 'isPlatform'>

/** True for staff of the platform whose data scope contains only chosen tenants. */
export const isLimitedStaff = ({ scope, isPlatform }: Limited) => isPlatform && scope.tenants !== 'all'

/** Columns of the edited content of the program `bp`, and of the program version `bv`. */
const EDITED = { targetType: sql`bp.target_type`, targetIds: sql`bp.target_ids`, isDefault: sql`bp.is_default = 1` }
const PUBLISHED = {
  targetType: sql`bv.target_type`,
  targetIds: sql`bv.target_ids`,
  isDefault: sql`coalesce((bv.body ->> 'fallback')::int, 0) > 0`,
}

const ENDED = sql`${PROGRAM_STATUS.ended}`

/**
 * Selects the tenants (column `id`) that the program `bp` of the platform reaches or may reach by its next publishing:
 * those of the edited content, of the version in force and of the version that waits for approval. An ended program
 * reaches no tenant. Calls that publish or copy content check the targets of this content.
 */
const selectReachedTenants = (): SQL => sql`
  select e.id from (${selectTargetTenants(EDITED)}) e where bp.status <> ${ENDED}
  union all select p.id from ad_program_versions bv, lateral (${selectTargetTenants(PUBLISHED)}) p
    where bv.program_id = bp.id and (bv.state = ${PROGRAM_VERSION_STATE.waiting}
      or (bv.ver_no = bp.published_ver and bp.status <> ${ENDED}))`

const isOutside = (selected: SQL, inside: SQL) => sql`exists (select from (${selected}) r where r.id <> all(${inside}))`

/** SQL condition on the program `bp`: the program belongs to a tenant outside `inside`, or reaches such a tenant. */
const isProgramOutside = (inside: SQL): SQL => sql`(bp.tenant_id <> all(${inside})
  or (bp.tenant_id = ${PLATFORM_TENANT_ID} and ${isOutside(selectReachedTenants(), inside)}))`

/** Tenants that a program reaches. `all`: devices of any tenant. */
type ReachedTenants = number[] | 'all'

/** Returns the tenants that programs of the platform reach or may reach by their next publishing. */
async function listReachedTenants(db: Db, programIds: SQL): Promise<ReachedTenants> {
  const { rows } = await db.execute<{ id: number }>(sql`
    select distinct r.id from ad_programs bp, lateral (${selectReachedTenants()}) r
    where bp.id in (${programIds}) and bp.tenant_id = ${PLATFORM_TENANT_ID} order by 1`)
  const ids = rows.map(({ id }) => id)
  return ids.includes(ANY_TENANT) ? 'all' : ids
}

/** Returns the tenants that the program reaches when it belongs to the platform. */
export const listTenantsOfProgram = (db: Db, programId: number) => listReachedTenants(db, sql`${programId}`)

/** Returns the tenants that the ad reaches with programs of the platform. */
export const listTenantsOfAd = (db: Db, adId: number) =>
  listReachedTenants(db, sql`select program_id from ad_uses where ad_id = ${adId}`)

/** SQL condition: the program belongs to or reaches a tenant outside the account's data scope. */
export function buildOutOfScopeProgramCondition(user: Limited, programId: AnyColumn | number): SQL<boolean> {
  const inside = buildStaffScope(user)
  if (!inside) return sql`false`
  return sql`exists (select from ad_programs bp where bp.id = ${programId} and ${isProgramOutside(inside)})`
}

/** SQL condition: the version of a program of the platform reaches a tenant outside the account's data scope. */
export function buildOutOfScopeVersionCondition(
  user: Limited,
  version: Readonly<Record<'programId' | 'verNo', AnyColumn>>,
): SQL<boolean> {
  const inside = buildStaffScope(user)
  if (!inside) return sql`false`
  return sql`exists (select from ad_program_versions bv
    where bv.program_id = ${version.programId} and bv.ver_no = ${version.verNo}
      and bv.tenant_id = ${PLATFORM_TENANT_ID} and ${isOutside(selectTargetTenants(PUBLISHED), inside)})`
}

/** SQL condition: a program that uses the ad belongs to or reaches a tenant outside the account's data scope. */
export function buildOutOfScopeAdCondition(user: Limited, adId: AnyColumn | number): SQL<boolean> {
  const inside = buildStaffScope(user)
  if (!inside) return sql`false`
  return sql`exists (select from ad_uses bu join ad_programs bp on bp.id = bu.program_id
    where bu.ad_id = ${adId} and ${isProgramOutside(inside)})`
}

async function isTrue(db: Db, condition: SQL): Promise<boolean> {
  const { rows } = await db.execute<{ found: boolean }>(sql`select ${condition} as found`)
  return rows[0]?.found === true
}

/** Returns true when a program with these targets would reach a tenant outside the account's data scope. */
export async function isTargetBeyondScope(db: Db, user: Limited, target: ProgramTarget): Promise<boolean> {
  const inside = buildStaffScope(user)
  if (!inside || target.tenantId !== PLATFORM_TENANT_ID) return false
  const targets = {
    targetType: sql`${target.targetType}::int`,
    targetIds: sql`${sql.param([...target.targetIds])}::int[]`,
    isDefault: sql`${target.isDefault === 1}::boolean`,
  }
  return isTrue(db, isOutside(selectTargetTenants(targets), inside))
}

/** Throws when a program with these targets would reach a tenant outside the data scope of the account. */
export async function assertTargetInScope(db: Db, user: Limited, target: ProgramTarget): Promise<void> {
  if (await isTargetBeyondScope(db, user, target)) throw refused(BEYOND_SCOPE_MESSAGE)
}

/** Throws when the program belongs to or reaches a tenant outside the data scope of the account. */
export async function assertProgramInScope(db: Db, user: Limited, programId: number): Promise<void> {
  if (buildStaffScope(user) && (await isTrue(db, buildOutOfScopeProgramCondition(user, programId))))
    throw refused(BEYOND_SCOPE_MESSAGE)
}

/** Throws when a program that uses the ad belongs to or reaches a tenant outside the data scope of the account. */
async function assertAdInScope(db: Db, user: Limited, adId: number): Promise<void> {
  if (buildStaffScope(user) && (await isTrue(db, buildOutOfScopeAdCondition(user, adId))))
    throw refused(AD_MESSAGES.beyondScope)
}
