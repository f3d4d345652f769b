import { type account, ProfileInput } from '@oms/contract/account/account.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { about } from '@oms/contract/core/fields.ts'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { findShownBrand } from '#core/brand.ts'
import { buildMenuTree } from '#core/auth/menus.ts'
import { listButtons } from '#core/auth/rights.ts'
import { ACCOUNT_VIOLATIONS, toUniqueViolation } from '#core/database/error-codes.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { expired, forbidden, invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accounts, preferences, sessions } from '#core/schema/account.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'

const TITLES = Object.fromEntries(Object.keys(ProfileInput.shape).map((key) => [key, about(ProfileInput, key).title]))

/** Returns the caller's profile, or a colleague's profile with the permission to list accounts. */
export async function getProfile({ db, user, services }: Ctx, { id }: ParsedOf<typeof account.detail>) {
  const foreign = id !== user.uid
  if (foreign && !user.can('system:manager:query') && !user.can('system:userList:query')) throw forbidden()
  const isVisible = foreign ? scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }) : undefined
  const [row] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.uid, id), notDeleted(accounts), isVisible))
  if (!row) throw notFound('账号')
  const rights = await services.sessions.rightsOf(id)
  return { ...row, tenantName: rights?.tenantName ?? '', roles: [...(rights?.roleNames ?? [])] }
}

/** Changes the caller's profile. Only profile fields can be changed by this call. */
export async function updateProfile(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof account.modify>) {
  const { db, user } = ctx
  if (id !== user.uid) throw notFound('账号')
  const [stored] = await db.select().from(accounts).where(eq(accounts.uid, id)).for('update')
  if (!stored) throw expired()
  if (rev !== undefined) await checkRevision(db, stored, rev)
  await adoptAvatar(ctx, stored.avatar, input.avatar ?? '')
  const next = {
    ...input,
    avatar: input.avatar ?? '',
    gender: input.gender ?? null,
    birthday: input.birthday ?? null,
    mobileNo: input.mobileNo ?? null,
    email: input.email ?? null,
  }
  await db
    .update(accounts)
    .set({ ...next, ...updateColumns(stored, user.uid, ctx.now) })
    .where(eq(accounts.uid, id))
    .catch((error: unknown) => {
      throw toUniqueViolation(error, ACCOUNT_VIOLATIONS) ?? error
    })
  ctx.audit({ bizType: 'account', bizId: id, action: '修改个人资料', diff: listChanges(stored, next, TITLES) })
  return { rev: stored.rev + 1 }
}

/** Marks the avatar's file as used. The file must be an avatar uploaded by this account; other URLs are refused. */
async function adoptAvatar({ db, user, now }: Ctx, before: string, after: string) {
  if (after === before || after === '') return
  const id = /^\/api\/v1\/file\/([0-9a-f]{32})$/.exec(after)?.[1]
  const [adopted] = id
    ? await db
        .update(files)
        .set({ usedTime: now.toISOString() })
        .where(and(eq(files.id, id), eq(files.uid, user.uid), eq(files.purpose, 'avatar')))
        .returning({ id: files.id })
    : []
  if (!adopted) throw invalid('头像不正确，请重新上传', 'avatar')
}

export async function getPermissions({ db, user, services }: Ctx) {
  const rights = await services.sessions.rightsOf(user.uid)
  if (!rights) throw expired()
  return {
    buttons: listButtons(rights),
    menus: await buildMenuTree(db, rights.menuIds, rights.isSuper),
    roles: [...rights.roleCodes],
    version: services.permissionVersion.current,
    homeUrl: rights.homeUrl,
    seesAllTenants: user.scope.tenants === 'all',
    switchedTenant: await switchedTenantOf({ db, user }, rights.tenantName),
    zone: services.config.timeZone,
    theme: await readTheme({ db, user }),
    brand: await findShownBrand(db, user.homeTenantId),
  }
}

const THEMES = { '"light"': 'light', '"dark"': 'dark' } as const

/** Returns the colour scheme that the console stored as preference `theme`, in JSON; '' without a choice. */
async function readTheme({ db, user }: Pick<Ctx, 'db' | 'user'>) {
  const [stored] = await db
    .select({ value: preferences.value })
    .from(preferences)
    .where(and(eq(preferences.uid, user.uid), eq(preferences.key, 'theme')))
  return THEMES[stored?.value as keyof typeof THEMES] ?? ('' as const)
}

async function switchedTenantOf({ db, user }: Pick<Ctx, 'db' | 'user'>, home: string) {
  if (user.tenantId === null || user.tenantId === user.homeTenantId) return null
  const [host] = await db.select({ name: tenants.name }).from(tenants).where(eq(tenants.id, user.tenantId))
  return { id: user.tenantId, name: host?.name ?? '', home }
}

export async function listOwnSessions({ db, user }: Ctx) {
  const live = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.uid, user.uid), isNull(sessions.endTime), sql`${sessions.expireTime} > now()`))
    .orderBy(sql`${sessions.lastActiveTime} desc`)
    .limit(200)
  return { list: live.map(({ id, ...row }) => ({ ...row, sessionId: id, current: id === user.sessionId })) }
}

export async function endSession(ctx: Ctx, { sessionId }: ParsedOf<typeof account.endSession>) {
  const { list } = await listOwnSessions(ctx)
  const chosen = list.filter((row) => (sessionId ? row.sessionId === sessionId : !row.current))
  if (sessionId && chosen.length === 0) throw notFound('会话')
  return {
    ended: await ctx.services.sessions.end(
      ctx.db,
      chosen.map((row) => row.sessionId),
      'forced',
    ),
  }
}

const MAX_PREFERENCES = 500

export async function listPreferences({ db, user }: Ctx) {
  const list = await db
    .select({ key: preferences.key, value: preferences.value })
    .from(preferences)
    .where(eq(preferences.uid, user.uid))
    .limit(MAX_PREFERENCES)
  return { list }
}

export async function setPreference({ db, user }: Ctx, { key, value }: ParsedOf<typeof account.setPreference>) {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from preferences where uid = ${user.uid} and key <> ${key}`,
  )
  if ((rows[0]?.n ?? 0) >= MAX_PREFERENCES) throw invalid('个人设置过多')
  await db
    .insert(preferences)
    .values({ uid: user.uid, key, value })
    .onConflictDoUpdate({ target: [preferences.uid, preferences.key], set: { value } })
  return null
}
