import type { devices as calls } from '@oms/contract/device/device-info.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import { deviceGroups } from './schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx } from '#core/http/context.ts'
import { contains, byName } from '#core/database/lists/list-query.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'

const MAX_OPTIONS = 100

export async function listGroupOptions({ db, user }: Ctx, { keyword, kind }: ParsedOf<typeof calls.groupOptions>) {
  const list = await db
    .select({
      id: deviceGroups.id,
      name: deviceGroups.groupName,
      kind: deviceGroups.kind,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
    })
    .from(deviceGroups)
    .leftJoin(tenants, eq(tenants.id, deviceGroups.tenantId))
    .where(
      and(
        notDeleted(deviceGroups),
        scoped(user, { tenant: deviceGroups.tenantId }),
        contains(deviceGroups.groupName, keyword),
        kind === undefined ? undefined : eq(deviceGroups.kind, kind),
      ),
    )
    .orderBy(asc(byName(deviceGroups.groupName)), asc(deviceGroups.id))
    .limit(MAX_OPTIONS)
  return { list }
}
