import { and, asc, eq, not, or, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { User } from '#core/http/context.ts'
import { contains } from '#core/database/lists/list-query.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { TENANT_EXPIRED_CONDITION } from './expired-tenant.ts'

const MAX_OPTIONS = 100

/** Condition on `tenants`: neither deleted, disabled nor expired. Only such tenants are offered as new targets. */
export const isTenantActive = (): SQL | undefined =>
  and(notDeleted(tenants), eq(tenants.status, 1), not(TENANT_EXPIRED_CONDITION))

interface TenantsWanted {
  readonly keyword?: string | undefined
  /** 1: only tenants that may become the target of something new. */
  readonly inUse?: number | undefined
}

/** Returns at most 100 tenants within the data scope of the account whose name or number contains the keyword. */
export const listTenantOptions = (db: Db, user: User, { keyword, inUse }: TenantsWanted) =>
  db
    .select({ id: tenants.id, name: tenants.name, tenantNo: tenants.tenantNo })
    .from(tenants)
    .where(
      and(
        inUse === 1 ? isTenantActive() : notDeleted(tenants),
        scoped(user, { tenant: tenants.id }),
        or(contains(tenants.name, keyword), contains(tenants.tenantNo, keyword)),
      ),
    )
    .orderBy(asc(tenants.id))
    .limit(MAX_OPTIONS)
