import { and, eq, not, or, type SQL, sql } from 'drizzle-orm'
import { tenantRecords } from '#core/database/record.ts'
import type { User } from '#core/http/context.ts'
import { operLogs } from '#core/schema/system.ts'
import { selectTargetTenants } from '#core/schema/target-tenants.ts'
import { hasRowSecurity, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/** Record types of the operation log that belong to tenants, with table and key. `defineRecord` adds its record type. */
const RECORDS = [
  ['account', sql`accounts`, sql`uid`, sql`tenant_id`],
  ['role', sql`roles`, sql`id`, sql`tenant_id`],
  ['tenant', sql`tenants`, sql`id`, sql`id`],
  ['userApply', sql`user_applications`, sql`id`, sql`tenant_id`],
  ['appAccount', sql`app_accounts`, sql`uid`, sql`tenant_id`],
  ['device', sql`devices`, sql`id`, sql`tenant_id`],
  ['deviceGroup', sql`device_groups`, sql`id`, sql`tenant_id`],
  ['deviceAccess', sql`tenants`, sql`id`, sql`id`],
  ['ticket', sql`tickets`, sql`id`, sql`tenant_id`],
  ['license', sql`licenses`, sql`id`, sql`tenant_id`],
  ['license-grant', sql`license_grants`, sql`id`, sql`tenant_id`],
  ['entitlement', sql`oss_entitlements`, sql`id`, sql`tenant_id`],
  ['storageConsent', sql`oss_consents`, sql`id`, sql`tenant_id`],
  ['storageAllowance', sql`oss_allowances`, sql`id`, sql`tenant_id`],
  ['storageOrder', sql`oss_orders`, sql`id`, sql`tenant_id`],
  ['storageHook', sql`oss_hooks`, sql`id`, sql`tenant_id`],
  ['storageCardBatch', sql`oss_card_batches`, sql`id`, sql`tenant_id`],
  ['storageGrantFile', sql`oss_grant_files`, sql`id`, sql`tenant_id`],
  ['ad', sql`ads`, sql`id`, sql`tenant_id`],
  ['adProgram', sql`ad_programs`, sql`id`, sql`tenant_id`],
  ['adScreen', sql`devices`, sql`id`, sql`tenant_id`],
  ['agent', sql`agents`, sql`id`, sql`tenant_id`],
  ['agentDevice', sql`devices`, sql`id`, sql`tenant_id`],
  ['agentOrder', sql`agent_orders`, sql`id`, sql`tenant_id`],
  ['agentWordFile', sql`agent_word_files`, sql`id`, sql`tenant_id`],
  ['ota', sql`ota_versions`, sql`ota_id`, sql`tenant_id`],
  ['software', sql`ota_versions`, sql`ota_id`, sql`tenant_id`],
  ['notice', sql`notices`, sql`notice_id`, sql`tenant_id`],
  ['displayLink', sql`display_links`, sql`id`, sql`tenant_id`],
  ['license-tenant', sql`tenants`, sql`id`, sql`id`],
  // The ids of these two record types begin with the id of the tenant: `7:history.days`. A deleted voiceprint has no
  // row that could name its tenant.
  ['agentVoiceprint', sql`tenants`, sql`id`, sql`id`],
  ['agentParam', sql`tenants`, sql`id`, sql`id`],
] as const

/** Records of the platform that concern devices or accounts of several tenants, with one row for each tenant. */
const RECORDS_OF_SEVERAL_TENANTS = [
  [
    'storageOrder',
    sql`(select i.order_id as id, coalesce(d.tenant_id, nullif(i.tenant_id, ${PLATFORM_TENANT_ID}), 0) as tenant_id
      from oss_order_items i left join devices d on d.sn = i.sn and d.deleted_at is null)`,
    sql`id`,
    sql`tenant_id`,
  ],
  ['adProgram', buildProgramTenants(), sql`id`, sql`tenant_id`],
] as const

/**
 * Programs of the platform with the tenants of their targets. Log entries of a program name the targets of the edited
 * content and of all published versions.
 */
function buildProgramTenants(): SQL {
  const targets = { targetType: sql`p.target_type`, targetIds: sql`p.target_ids`, isDefault: sql`p.is_default` }
  return sql`(select p.id, t.id as tenant_id from (
      select id, target_type, target_ids, is_default = 1 as is_default from ad_programs
        where tenant_id = ${PLATFORM_TENANT_ID}
      union all select program_id, target_type, target_ids, coalesce((body ->> 'fallback')::int, 0) > 0
        from ad_program_versions where tenant_id = ${PLATFORM_TENANT_ID}
    ) p, lateral (${selectTargetTenants(targets, 'counted')}) t)`
}

/** Returns kind, table, key and owner of every record of the operation log that belongs to a tenant. */
export const listLoggedRecordTables = () => [
  ...RECORDS,
  ...[...tenantRecords].map(([kind, table]) => [kind, sql`${table}`, sql`id`, sql`tenant_id`] as const),
]

/**
 * Returns the tables of `listLoggedRecordTables`, and the records of the platform that concern several tenants.
 */
export const listRecordTenantTables = () => [...listLoggedRecordTables(), ...RECORDS_OF_SEVERAL_TENANTS]

/**
 * Returns the operation log condition for platform accounts with a limited data scope. Hides actions on records of
 * tenants outside the scope, also actions of platform staff. Undefined when the tenant of the row decides.
 */
export function isLoggedRecordInScope(user: User): SQL | undefined {
  const { uid } = user
  const { tenants } = user.scope
  if (tenants === 'all' || hasRowSecurity(user)) return undefined
  const recordId = sql`case when ${operLogs.bizId} ~ '^[0-9]{1,9}(:|$)' then split_part(${operLogs.bizId}, ':', 1)::int end`
  const outside = listRecordTenantTables().map(
    ([bizType, table, key, owner]) => sql`(${operLogs.bizType} = ${bizType} and exists (select from ${table} r
      where r.${key} = ${recordId} and r.${owner} <> all(${sql.param([...tenants])}::int[])))`,
  )
  return and(
    not(sql`(${sql.join(outside, sql` or `)})`),
    or(eq(operLogs.uid, uid), not(buildPlatformNoticeCondition(recordId))),
    or(eq(operLogs.uid, uid), not(buildHiddenBatchCondition(user, recordId, tenants))),
    or(eq(operLogs.uid, uid), not(buildForeignCallCondition(tenants))),
  )
}

/**
 * SQL condition: the row is an operation on a notice of the platform. It contains the text and the targets of its time,
 * and both may have been outside the scope. Limited staff therefore reads only its own operations on such notices.
 */
const buildPlatformNoticeCondition = (recordId: SQL) => sql`(${operLogs.bizType} = 'notice' and exists (
  select from notices n where n.notice_id = ${recordId} and n.tenant_id = ${PLATFORM_TENANT_ID}))`

/**
 * SQL condition: the row of platform staff is an operation on a batch grant that the account does not see in the list of
 * batches (`buildGrantFileInScopeCondition`), or a dry run or an import in the background, which names no batch.
 */
const buildHiddenBatchCondition = ({ uid }: User, recordId: SQL, tenants: readonly number[]) =>
  sql`(${operLogs.bizType} in ('storageGrantFile', 'storage-grant') and ${operLogs.tenantId} = ${PLATFORM_TENANT_ID}
    and not exists (select from oss_grant_files g where g.id = ${recordId} and (g.tenant_id <> ${PLATFORM_TENANT_ID}
      or g.create_by = ${uid} or g.tenant_ids <@ ${sql.param([...tenants])}::int[])))`

/**
 * SQL condition: the input names tenants or a device outside the scope, or the row is a refusal without a record in the
 * log of the platform. The message of such a refusal may name a tenant, a device or an account outside the scope.
 */
function buildForeignCallCondition(tenants: readonly number[]): SQL {
  const inside = sql`${sql.param([...tenants])}::int[]`
  const input = operLogs.operParam
  const tenantId = sql`substring(${input} from '"tenantId":"?([0-9]{1,9})[^0-9]')::int`
  const listed = sql`substring(${input} from '"tenantIds":\\[("?[0-9]{1,9}"?(?:,"?[0-9]{1,9}"?)*)\\]')`
  const sn = sql`substring(${input} from '"sn":"([A-Za-z0-9._:-]{1,64})"')`
  return sql`(coalesce(${tenantId} <> all(${inside}), false)
    or coalesce(not string_to_array(replace(${listed}, '"', ''), ',')::int[] <@ ${inside}, false)
    or (${operLogs.tenantId} = ${PLATFORM_TENANT_ID} and exists (select from devices d
      where d.sn = ${sn} and d.deleted_at is null and d.tenant_id <> all(${inside})))
    or (${operLogs.status} = 0 and ${operLogs.bizId} = '' and ${operLogs.tenantId} = ${PLATFORM_TENANT_ID}))`
}
