import { not, type SQL, sql } from 'drizzle-orm'
import { operLogs } from '#schema/system.ts'
import type { User } from '#core/http/context.ts'
import { tenantRecords } from '#core/database/record.ts'
import { hasRowSecurity } from '#core/tenancy/tenancy.ts'

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

/** Returns kind, table, key and owner of every record of the operation log that belongs to a tenant. */
export const loggedRecords = () => [
  ...RECORDS,
  ...[...tenantRecords].map(([kind, table]) => [kind, sql`${table}`, sql`id`, sql`tenant_id`] as const),
]

/**
 * Returns the operation log condition for platform accounts with a limited data scope. Hides actions on records of
 * tenants outside the scope, also actions of platform staff. Undefined when the tenant of the row decides.
 */
export function loggedRecordsInScope(user: User): SQL | undefined {
  const { tenants } = user.scope
  if (tenants === 'all' || hasRowSecurity(user)) return undefined
  const recordId = sql`case when ${operLogs.bizId} ~ '^[0-9]{1,9}(:|$)' then split_part(${operLogs.bizId}, ':', 1)::int end`
  const outside = loggedRecords().map(
    ([bizType, table, key, owner]) => sql`(${operLogs.bizType} = ${bizType} and exists (select from ${table} r
      where r.${key} = ${recordId} and r.${owner} <> all(${sql.param([...tenants])}::int[])))`,
  )
  return not(sql`(${sql.join(outside, sql` or `)})`)
}
