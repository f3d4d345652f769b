import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { User } from '#core/http/context.ts'
import { refused } from '#core/http/api-error.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/**
 * SQL condition: the release of a platform version reaches a tenant outside the account's data scope, by its targets, the
 * targets of a change that waits for approval, its allowlist or its open tasks. Undefined when the scope has no limit.
 * The version of a tenant reaches that tenant only.
 */
export function buildBeyondScopeCondition({ scope }: Pick<User, 'scope'>, otaId: AnyColumn | number): SQL | undefined {
  if (scope.tenants === 'all') return undefined
  const inside = sql`${sql.param([...scope.tenants])}::int[]`
  const reaches = (
    tenantIds: SQL,
    groupIds: SQL,
  ) => sql`case when ${tenantIds} <> '{}' then not ${tenantIds} <@ ${inside}
    when ${groupIds} <> '{}' then exists (select from unnest(${groupIds}) as g(id)
      left join device_groups dg on dg.id = g.id
      where dg.id is null or dg.tenant_id = ${PLATFORM_TENANT_ID} or dg.tenant_id <> all(${inside}))
    else true end`
  const waiting = (field: string) => sql`array(select jsonb_array_elements_text(
    p.pending #> array['plan', 'fields', ${sql.raw(`'${field}'`)}])::int)`
  return sql`exists (select from ota_versions rv left join ota_policies p on p.ota_id = rv.ota_id
    where rv.ota_id = ${otaId} and rv.tenant_id = ${PLATFORM_TENANT_ID} and (
      (rv.status = 1 and p.mode = 2 and p.state <> 4 and ${reaches(sql`p.tenant_ids`, sql`p.group_ids`)})
      or (p.pending ? 'plan' and ${reaches(waiting('tenantIds'), waiting('groupIds'))})
      or exists (select from ota_whites w join devices d on d.id = w.device_id
        where w.ota_id = rv.ota_id and d.deleted_at is null and d.tenant_id <> all(${inside}))
      or exists (select from ota_tasks t
        where t.ota_id = rv.ota_id and t.close_time is null and t.tenant_id <> all(${inside}))))`
}

export async function isBeyondScope(db: Db, user: Pick<User, 'scope'>, otaId: number): Promise<boolean> {
  const beyond = buildBeyondScopeCondition(user, otaId)
  if (!beyond) return false
  const { rows } = await db.execute<{ beyond: boolean }>(sql`select ${beyond} as beyond`)
  return rows[0]?.beyond === true
}

/** Refuses to change a release that also concerns tenants outside the account's data scope. */
export async function assertReleaseInScope(db: Db, user: Pick<User, 'scope'>, otaId: number): Promise<void> {
  if (await isBeyondScope(db, user, otaId)) throw refused('该版本的发布涉及您数据范围之外的客户，您只能查看')
}
