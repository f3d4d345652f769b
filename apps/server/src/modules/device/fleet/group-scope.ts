import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { refused } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { selectGroupTenants } from '#core/schema/target-tenants.ts'

/**
 * Throws when an account limited to its own records changes or deletes a group of another account. Also throws when
 * limited staff changes or deletes a platform group with devices outside its data scope. Such a change would affect the
 * releases and programs of these devices. A dynamic group may contain devices of any tenant.
 */
export async function assertGroupInScope(
  db: Db,
  { scope, isPlatform, uid }: Pick<User, 'scope' | 'isPlatform' | 'uid'>,
  group: { readonly id: number; readonly tenantId: number; readonly createBy: number | null },
): Promise<void> {
  if (scope.ownOnly && group.createBy !== uid) throw refused('该分组由其他账号创建，您的数据范围是仅本人，只能查看')
  if (!isPlatform || scope.tenants === 'all' || group.tenantId !== PLATFORM_TENANT_ID) return
  const tenants = selectGroupTenants(sql`array[${group.id}::int]`)
  const { rows } = await db.execute<{ found: boolean }>(sql`select exists (select from (${tenants}) t
    where t.id <> all(${sql.param([...scope.tenants])}::int[])) as found`)
  if (rows[0]?.found) throw refused('该分组包含您数据范围之外的设备，您只能查看')
}
