import { type SQL, sql, and, eq, inArray, asc, not, or } from 'drizzle-orm'
import { tenants } from '#core/schema/tenant.ts'
import type { Db } from '#core/database/client.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import { notDeleted, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'
import { among, contains } from '#core/database/lists/list-query.ts'

/**
 * Condition on `tenants`: the tenant has expired. A tenant expires at its expiry time, and never without an expiry
 * time. The condition uses the clock of the database, which also decides about logins.
 */
export const TENANT_EXPIRED_CONDITION: SQL<boolean> = sql<boolean>`(${tenants.expireTime} is not null and ${tenants.expireTime} <= now())`

/** Condition on `tenants`: the tenant has not expired, and expires within this number of days. */
export const expiresWithinDays = (days: number): SQL =>
  sql`(${tenants.expireTime} > now() and ${tenants.expireTime} <= now() + make_interval(days => ${days}))`

/** Columns that `findStandingProblem` needs. */
export const TENANT_STANDING_COLUMNS = {
  name: tenants.name,
  status: tenants.status,
  isExpired: TENANT_EXPIRED_CONDITION,
}

interface Standing {
  readonly name: string
  readonly status: number
  readonly isExpired: boolean
}

/** Returns the reason why a tenant receives nothing new, or undefined for an active tenant. */
export const findStandingProblem = ({ name, status, isExpired }: Standing): string | undefined =>
  isExpired || status !== 1 ? `客户「${name}」已${isExpired ? '过期' : '停用'}，不能新增、分配或转入` : undefined

const readTenant = async (db: Db, id: number) => {
  const rows = db.select({ id: tenants.id, ...TENANT_STANDING_COLUMNS }).from(tenants)
  const [found] = await rows.where(and(eq(tenants.id, id), notDeleted(tenants)))
  return found
}

/** Returns the reason why this tenant receives nothing new, or undefined. Does not check the data scope. */
export async function findReceivingTenantProblem(db: Db, tenantId: number): Promise<string | undefined> {
  const found = await readTenant(db, tenantId)
  return found ? findStandingProblem(found) : '客户不存在或已被删除'
}

/**
 * Returns the tenant that receives a new row, a transfer or an allotment. Refuses, at the given form field, a tenant
 * that is deleted, disabled, expired or outside the data scope. Every call that adds to a tenant uses this check.
 */
export async function requireReceivingTenant({ db, user }: Pick<Ctx, 'db' | 'user'>, tenantId: number, field?: string) {
  const isVisible = tenantId === user.tenantId || isTenantInScope(user, tenantId)
  const found = isVisible ? await readTenant(db, tenantId) : undefined
  if (!found) throw invalid('客户不存在或已被删除', field)
  const problem = findStandingProblem(found)
  if (problem) throw invalid(problem, field)
  return { id: found.id, name: found.name }
}

/** Refuses when one of these tenants is disabled or expired. Does not check the data scope. */
export async function requireReceivingTenants(db: Db, ids: readonly number[], field: string) {
  const found = await db
    .select(TENANT_STANDING_COLUMNS)
    .from(tenants)
    .where(inArray(tenants.id, [...ids]))
  const problem = found.map(findStandingProblem).find((each) => each !== undefined)
  if (problem) throw invalid(problem, field)
}

/**
 * Returns the tenant that owns a new row: the requested tenant, otherwise the tenant of the session. Every call that
 * creates rows of a tenant uses this function. Refuses like `requireReceivingTenant`.
 */
export function resolveOwningTenant(ctx: Pick<Ctx, 'db' | 'user'>, requested?: number, field?: string) {
  const tenantId = requested ?? ctx.user.tenantId
  if (tenantId === null) throw refused('您还没有加入任何客户')
  return requireReceivingTenant(ctx, tenantId, field)
}

const MAX_OPTIONS = 100

/** Condition on `tenants`: neither deleted, disabled nor expired. Only such tenants are offered as new targets. */
export const isTenantActive = (): SQL | undefined =>
  and(notDeleted(tenants), eq(tenants.status, 1), not(TENANT_EXPIRED_CONDITION))

interface TenantsWanted {
  readonly keyword?: string | undefined
  /** 1: only tenants that may become the target of something new. */
  readonly onlyEnabled?: number | undefined
}

/** Returns the tenants with these ids that exist and that the account may see, in the order of their ids. */
export const readTenantNames = (db: Db, user: User, ids: readonly number[]) =>
  db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(and(among(tenants.id, ids), notDeleted(tenants), scoped(user, { tenant: tenants.id })))
    .orderBy(asc(tenants.id))

/** Returns at most 100 tenants within the data scope of the account whose name or number contains the keyword. */
export const listTenantOptions = (db: Db, user: User, { keyword, onlyEnabled }: TenantsWanted) =>
  db
    .select({ id: tenants.id, name: tenants.name, tenantNo: tenants.tenantNo })
    .from(tenants)
    .where(
      and(
        onlyEnabled === 1 ? isTenantActive() : notDeleted(tenants),
        scoped(user, { tenant: tenants.id }),
        or(contains(tenants.name, keyword), contains(tenants.tenantNo, keyword)),
      ),
    )
    .orderBy(asc(tenants.id))
    .limit(MAX_OPTIONS)
