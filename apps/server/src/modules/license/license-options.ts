import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { licenseOptions as calls } from '@oms/contract/license/license.ts'
import { and, desc, sql } from 'drizzle-orm'
import { licenseBatches, licenseCounts, licenseGrants } from './schema.ts'
import { assertHasPermissionInDirectory } from '#core/auth/rights.ts'
import type { Ctx } from '#core/http/context.ts'
import { contains } from '#core/database/lists/list-query.ts'
import { scoped } from '#core/tenancy/tenancy.ts'

const MAX_OPTIONS = 100

export async function listBatchOptions({ db, user }: Ctx, { keyword, stock }: ParsedOf<typeof calls.batches>) {
  const left = sql<number>`(select coalesce(sum(n), 0)::int from license_counts c where c.batch_id = ${licenseBatches.id} and c.state = 0)`
  const seen =
    user.scope.tenants === 'all'
      ? undefined
      : sql`exists (select from ${licenseCounts} where ${licenseCounts.batchId} = ${licenseBatches.id} and ${scoped(user, { tenant: licenseCounts.tenantId })})`
  const rows = await db
    .select({ id: licenseBatches.id, name: licenseBatches.batchNo, vendor: licenseBatches.vendor, stock: left })
    .from(licenseBatches)
    .where(and(seen, contains(licenseBatches.batchNo, keyword), stock === 1 ? sql`${left} > 0` : undefined))
    .orderBy(desc(licenseBatches.id))
    .limit(MAX_OPTIONS)
  return { list: rows }
}

/** Lists type codes that occur in deliveries and grants. */
export async function listTypeOptions({ db, user }: Ctx) {
  assertHasPermissionInDirectory(user, 'LicenseManage')
  const { rows } = await db.execute<{ code: string }>(sql`
    select distinct type_code as code from ${licenseCounts}
      where ${user.scope.tenants === 'all' ? sql`true` : scoped(user, { tenant: licenseCounts.tenantId })}
    union select distinct type_code from ${licenseGrants} where ${scoped(user, { tenant: licenseGrants.tenantId }) ?? sql`true`}
    order by 1 limit ${MAX_OPTIONS}`)
  return { list: rows.map(({ code }) => code) }
}
