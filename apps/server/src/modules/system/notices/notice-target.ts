import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { notices as calls } from '@oms/contract/system/notice.ts'
import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts, roles } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { contains, computePageOffset } from '#core/database/lists/list-query.ts'
import { PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { NOTICE_TARGET_KIND } from '#core/schema/notice-targets.ts'
import { countAudiences, selectableTargets } from './notice-audience.ts'

interface Page {
  limit: number
  offset: number
}
const EVERYTHING: Page = { limit: 1000, offset: 0 }
const tenantName = sql<string>`coalesce(${tenants.name}, '')`

/** Lists tenants, roles or accounts whose name contains the keyword. */
export async function listNoticeTargets(
  { db, user }: Ctx,
  { target, keyword, ...page }: ParsedOf<typeof calls.targets>,
) {
  if (target === NOTICE_TARGET_KIND.tenants && user.tenantId !== PLATFORM_TENANT_ID) return { list: [] }
  const names = {
    [NOTICE_TARGET_KIND.tenants]: contains(tenants.name, keyword),
    [NOTICE_TARGET_KIND.roles]: contains(roles.roleName, keyword),
    [NOTICE_TARGET_KIND.accounts]: or(contains(accounts.account, keyword), contains(accounts.realname, keyword)),
  }
  const where = and(selectableTargets(user, target), names[target])
  return { list: await named(db, target, where, { limit: page.pageSize, offset: computePageOffset(page) }) }
}

/** Returns the names of a notice's targets. Omits deleted targets and targets outside the data scope. */
export const listTargetNames = (db: Db, user: User, target: number, ids: readonly number[]) => {
  if (target === NOTICE_TARGET_KIND.all || ids.length === 0) return Promise.resolve([])
  const key =
    target === NOTICE_TARGET_KIND.tenants ? tenants.id : target === NOTICE_TARGET_KIND.roles ? roles.id : accounts.uid
  const owner =
    target === NOTICE_TARGET_KIND.tenants
      ? tenants.id
      : target === NOTICE_TARGET_KIND.roles
        ? roles.tenantId
        : accounts.tenantId
  return named(db, target, and(inArray(key, [...ids]), scoped(user, { tenant: owner })), EVERYTHING)
}

function named(db: Db, target: number, where: SQL | undefined, { limit, offset }: Page) {
  if (target === NOTICE_TARGET_KIND.tenants)
    return db
      .select({ id: tenants.id, name: tenants.name, detail: tenants.tenantNo })
      .from(tenants)
      .where(where)
      .orderBy(asc(tenants.id))
      .limit(limit)
      .offset(offset)
  if (target === NOTICE_TARGET_KIND.roles)
    return db
      .select({ id: roles.id, name: roles.roleName, detail: tenantName })
      .from(roles)
      .leftJoin(tenants, eq(tenants.id, roles.tenantId))
      .where(where)
      .orderBy(asc(roles.id))
      .limit(limit)
      .offset(offset)
  const name = sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account})`
  const detail = sql<string>`${accounts.account} || coalesce(' · ' || ${tenants.name}, '')`
  return db
    .select({ id: accounts.uid, name, detail })
    .from(accounts)
    .leftJoin(tenants, eq(tenants.id, accounts.tenantId))
    .where(where)
    .orderBy(asc(accounts.uid))
    .limit(limit)
    .offset(offset)
}

/** Counts the accounts that a notice with these targets would reach. */
export async function countNoticeAudience({ db, user }: Ctx, { target, targetIds }: ParsedOf<typeof calls.audience>) {
  const tenantId = user.tenantId ?? PLATFORM_TENANT_ID
  const [count = 0] = await countAudiences(db, user, [{ tenantId, target, targetIds }])
  return { count }
}
