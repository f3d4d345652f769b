import { and, asc, or } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { User } from './context.ts'
import { contains } from './query.ts'
import { alive, scoped } from './tenancy.ts'

/** Customers within the account's reach whose name or number contains the keyword, `most` of them. */
export const tenantOptionsOf = (db: Db, user: User, keyword: string | undefined, most: number) =>
  db
    .select({ id: tenants.id, name: tenants.name, tenantNo: tenants.tenantNo })
    .from(tenants)
    .where(
      and(
        alive(tenants),
        scoped(user, { tenant: tenants.id }),
        or(contains(tenants.name, keyword), contains(tenants.tenantNo, keyword)),
      ),
    )
    .orderBy(asc(tenants.id))
    .limit(most)
