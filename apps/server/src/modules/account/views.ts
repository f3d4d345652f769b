import { CATALOGUE } from '@oms/contract/catalogue.ts'
import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS, views as calls } from '@oms/contract/account/views.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { listPagePermissions } from '@oms/contract/core/permissions.ts'
import { and, asc, eq, getTableColumns, isNull, or, type SQL, sql } from 'drizzle-orm'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { forbidden, invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { implement } from '#core/http/implement.ts'
import { accounts, savedViews } from '#core/schema/account.ts'

/** Permission to open a page of the menu or a page below it, by URL. */
const permissionByPage = new Map<string, string>(
  CATALOGUE.flatMap(({ pages }) =>
    pages.flatMap((page) =>
      [page, ...(page.hidden ?? [])].map(({ url }) => [url, listPagePermissions(page)[0]!.perms] as const),
    ),
  ),
)

function mayOpenPage(user: User, page: string) {
  const permission = permissionByPage.get(page.split('?')[0]!)
  return permission !== undefined && user.can(permission)
}

const view = defineRecord({
  calls,
  table: savedViews,
  kind: 'savedView',
  noun: '视图',
  nameOf: ({ name }) => name,
  titles: { shared: '共享' },
})

/** Returns the tenant of the caller's views. Staff of the platform in a switched session uses views of that tenant. */
function readTenant({ tenantId }: User) {
  if (tenantId === null) throw forbidden()
  return tenantId
}

/**
 * Condition of all reads and writes. Limited staff of the platform also uses the views of the platform, although its data
 * scope lacks the platform: the lists apply the data scope to the rows.
 */
const inTenant = (user: User, owner: SQL | undefined) =>
  and(eq(savedViews.tenantId, readTenant(user)), isNull(savedViews.deletedAt), owner)
const isOwn = ({ uid }: User) => eq(savedViews.createBy, uid)
const isShared = eq(savedViews.shared, true)

async function listViews({ db, user }: Ctx) {
  const rows = await db
    .select({
      ...getTableColumns(savedViews),
      isOwn: sql<boolean>`${isOwn(user)}`,
      ownerName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`,
    })
    .from(savedViews)
    .leftJoin(accounts, eq(accounts.uid, savedViews.createBy))
    .where(inTenant(user, or(isOwn(user), isShared)))
    .orderBy(asc(savedViews.id))
    .limit(MAX_OWN_VIEWS + MAX_SHARED_VIEWS)
  return { list: rows.filter(({ page }) => mayOpenPage(user, page)) }
}

/** Refuses one more view when `where` already selects `max` views. Simultaneous calls of one tenant wait. */
async function assertRoom({ db, user }: Ctx, where: SQL, max: number, refusal: string) {
  await db.execute(sql`select pg_advisory_xact_lock(hashtext('saved views'), ${readTenant(user)})`)
  if ((await db.$count(savedViews, inTenant(user, where))) >= max) throw refused(refusal)
}

/** Creates a view of the caller. */
export async function createView(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { user } = ctx
  if (!mayOpenPage(user, input.page)) throw invalid('页面不存在或您没有权限打开', 'page')
  await assertRoom(ctx, isOwn(user), MAX_OWN_VIEWS, `每人最多保存${MAX_OWN_VIEWS}个视图，请先删除不用的视图`)
  return view.insert(ctx, { ...input, tenantId: readTenant(user) })
}

async function lockView({ db, user }: Ctx, id: number, owner: SQL | undefined) {
  const [found] = await db
    .select()
    .from(savedViews)
    .where(and(eq(savedViews.id, id), inTenant(user, owner)))
    .for('update')
  if (!found) throw notFound('视图')
  return found
}

async function updateView(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof calls.update>) {
  const stored = await lockView(ctx, id, isOwn(ctx.user))
  if (stored.shared && !ctx.user.can(calls.share.access)) throw forbidden()
  return view.save(ctx, stored, rev, input)
}

export async function shareView(ctx: Ctx, { id, shared }: ParsedOf<typeof calls.share>) {
  const stored = await lockView(ctx, id, isOwn(ctx.user))
  if (shared && !stored.shared)
    await assertRoom(ctx, isShared, MAX_SHARED_VIEWS, `共享的视图最多${MAX_SHARED_VIEWS}个，请先删除不用的视图`)
  const saved = await view.save(ctx, stored, undefined, { shared })
  ctx.audit({ action: `${shared ? '共享' : '取消共享'}视图「${stored.name}」` })
  return saved
}

async function removeView(ctx: Ctx, { id }: ParsedOf<typeof calls.remove>) {
  const { db, user, now, services } = ctx
  const stored = await lockView(ctx, id, user.can(calls.share.access) ? or(isOwn(user), isShared) : isOwn(user))
  await db
    .update(savedViews)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(savedViews.id, id))
  ctx.audit({ bizType: 'savedView', bizId: id, action: `删除视图「${stored.name}」` })
  await services.events.publish(db, 'changed', { resource: 'view', tenantId: stored.tenantId })
  return null
}

export const viewModule = implement(calls, {
  list: listViews,
  create: createView,
  update: updateView,
  share: shareView,
  remove: removeView,
})
