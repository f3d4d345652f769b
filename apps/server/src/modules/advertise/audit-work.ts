import { PROGRAM_VERSION_STATE } from '@oms/contract/advertise/program-words.ts'
import { and, eq, not, type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { adPrograms, ads } from './schema.ts'
import { buildOutOfScopeAdCondition, buildOutOfScopeProgramCondition } from './program-scope.ts'
import { visibleAds } from './visible-ads.ts'
import { visiblePrograms } from './visible-programs.ts'

const SUBMITTED = 1

/**
 * Returns the condition for submitted ads that the account may audit. Staff of the platform audits the ads of a tenant
 * with 平台审核; other ads are audited in a session of their tenant. Submitter and uploaders may not audit.
 */
export const buildAwaitingAdAuditCondition = (user: User): SQL | undefined =>
  and(
    visibleAds(user),
    eq(ads.auditStatus, SUBMITTED),
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
