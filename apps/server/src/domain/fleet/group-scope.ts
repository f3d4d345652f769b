import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { refused } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { selectGroupTenants } from '#schema/target-tenants.ts'

/**
 * Throws when limited staff changes or deletes a group of the platform with devices outside its data scope: releases and
 * programs that target the group would change for these devices. A dynamic group may contain devices of any tenant.
 */
export async function assertGroupInScope(
  db: Db,
  { scope, isPlatform }: Pick<User, 'scope' | 'isPlatform'>,
  group: { readonly id: number; readonly tenantId: number },
): Promise<void> {
  if (!isPlatform || scope.tenants === 'all' || group.tenantId !== PLATFORM_TENANT_ID) return
  const tenants = selectGroupTenants(sql`array[${group.id}::int]`)
  const { rows } = await db.execute<{ found: boolean }>(sql`select exists (select from (${tenants}) t
    where t.id <> all(${sql.param([...scope.tenants])}::int[])) as found`)
  if (rows[0]?.found) throw refused('该分组包含您数据范围之外的设备，您只能查看')
}
