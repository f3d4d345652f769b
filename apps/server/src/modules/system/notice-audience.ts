import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { notices as calls } from '@oms/contract/system/notice.ts'
import { and, eq, inArray, type SQL, sql, asc, or } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, computePageOffset } from '#core/database/lists/list-query.ts'
import { invalid } from '#core/http/api-error.ts'
import type { User, Ctx } from '#core/http/context.ts'
import { accounts, roles, sessions } from '#core/schema/account.ts'
import { NOTICE_TARGET_KIND } from '#core/schema/notice-targets.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { isTenantActive } from '#core/tenancy/tenant-state.ts'

/** Tenant and targets of a notice. */
interface NoticeAddress {
  readonly tenantId: number
  readonly target: number
  readonly targetIds: readonly number[]
}
const ONLINE_CHUNK = 500

/**
 * Returns the condition on `accounts` for the enabled accounts that a notice addresses. Inverse of the inbox
 * condition.
 */
export function buildAudienceFilter({ tenantId, target, targetIds }: NoticeAddress): SQL | undefined {
  const ids = [...targetIds]
  const own = tenantId === PLATFORM_TENANT_ID ? undefined : eq(accounts.tenantId, tenantId)
  return and(notDeleted(accounts), eq(accounts.status, 1), own, addressed(target, ids))
}

function addressed(target: number, ids: number[]): SQL | undefined {
  if (target === NOTICE_TARGET_KIND.all) return undefined
  if (ids.length === 0) return sql`false`
  if (target === NOTICE_TARGET_KIND.tenants) return inArray(accounts.tenantId, ids)
  if (target === NOTICE_TARGET_KIND.accounts) return inArray(accounts.uid, ids)
  return sql`exists (select from account_roles ar join roles r on r.id = ar.role_id
    where ar.uid = ${accounts.uid} and r.id in ${ids} and r.status = 1 and r.deleted_at is null
    and r.tenant_id = ${accounts.tenantId})`
}

/**
 * Counts the accounts in the user's data scope that each notice addresses, with one query. Counts equal audiences
 * once.
 */
export async function countAudiences(db: Db, user: User, notices: readonly NoticeAddress[]): Promise<number[]> {
  const visible = scoped(user, { tenant: accounts.tenantId })
  if (notices.length === 0) return []
  const keys = notices.map(({ tenantId, target, targetIds }) => `${tenantId}:${target}:${targetIds.join()}`)
  const unique = [...new Set(keys)]
  const counts = unique.map((key, at) => {
    const notice = notices[keys.indexOf(key)]!
    return sql`select ${at}::int as at, count(*)::int as count from accounts where ${and(buildAudienceFilter(notice), visible)}`
  })
  const { rows } = await db.execute<{ at: number; count: number }>(sql.join(counts, sql` union all `))
  const byKey = new Map(rows.map(({ at, count }) => [unique[at], count]))
  return keys.map((key) => byKey.get(key) ?? 0)
}

/** Throws for targets that do not exist or that this account may not address. */
export async function assertAddressable(db: Db, user: User, { tenantId, target, targetIds }: NoticeAddress) {
  const fromPlatform = tenantId === PLATFORM_TENANT_ID
  if (target === NOTICE_TARGET_KIND.all) {
    if (fromPlatform && user.scope.tenants !== 'all')
      throw invalid('您的数据范围不包含全部客户，请指定发送对象', 'target')
    return
  }
  if (target === NOTICE_TARGET_KIND.tenants && !fromPlatform) throw invalid('只有平台可以发送给指定客户', 'target')
  const ids = [...new Set(targetIds)]
  const found = await db.$count(
    tableOf(target),
    and(selectableTargets(user, target), inArray(keyOf(target), ids), within(target, tenantId)),
  )
  if (found !== ids.length) throw invalid('发送对象不存在或已停用，请重新选择', 'targetIds')
}

/**
 * Returns true for a platform notice to all accounts. Only platform staff whose data scope has all tenants may change
 * such a notice.
 */
export const isSharedNotice = ({ tenantId, target }: Pick<NoticeAddress, 'tenantId' | 'target'>) =>
  tenantId === PLATFORM_TENANT_ID && target === NOTICE_TARGET_KIND.all

/** Limits a tenant's notice to its own accounts, also when the platform writes the notice. */
function within(target: number, tenantId: number) {
  if (tenantId === PLATFORM_TENANT_ID) return undefined
  return eq(target === NOTICE_TARGET_KIND.roles ? roles.tenantId : accounts.tenantId, tenantId)
}

const tableOf = (target: number) =>
  target === NOTICE_TARGET_KIND.tenants ? tenants : target === NOTICE_TARGET_KIND.roles ? roles : accounts
const keyOf = (target: number) =>
  target === NOTICE_TARGET_KIND.tenants ? tenants.id : target === NOTICE_TARGET_KIND.roles ? roles.id : accounts.uid

/** Returns the condition for enabled tenants, roles or accounts within the account's data scope. */
function selectableTargets(user: User, target: number): SQL | undefined {
  if (target === NOTICE_TARGET_KIND.tenants) return and(isTenantActive(), scoped(user, { tenant: tenants.id }))
  if (target === NOTICE_TARGET_KIND.roles)
    return and(notDeleted(roles), eq(roles.status, 1), scoped(user, { tenant: roles.tenantId }))
  return and(notDeleted(accounts), eq(accounts.status, 1), scoped(user, { tenant: accounts.tenantId }))
}

interface News extends NoticeAddress {
  readonly noticeId: number
  readonly title: string
}

/**
 * Notifies open consoles of changed messages; `title` adds the new message. Only addressed accounts receive the
 * event, because a title may be confidential.
 */
export async function publishNotice(
  { events }: Pick<Services, 'events'>,
  db: Db,
  { noticeId, title, ...addressed }: News,
  { withTitle }: { withTitle: boolean },
) {
  const news = withTitle ? { noticeId, title } : {}
  if (addressed.target === NOTICE_TARGET_KIND.all && addressed.tenantId === PLATFORM_TENANT_ID)
    return events.publish(db, 'notice', news)
  const online = await db
    .selectDistinct({ uid: sessions.uid })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.uid, sessions.uid))
    .where(and(sql`${sessions.endTime} is null`, buildAudienceFilter(addressed)))
  const uids = online.map(({ uid }) => uid)
  for (let at = 0; at < uids.length; at += ONLINE_CHUNK)
    await events.publish(db, 'notice', { ...news, uids: uids.slice(at, at + ONLINE_CHUNK) })
}

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
