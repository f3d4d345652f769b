import { createHash } from 'node:crypto'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type homeDisplay, DISPLAY_HEADER, MAX_DISPLAYS } from '@oms/contract/home/home-display.ts'
import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { canSwitchTenant, hasSwitchedTenant, createUser } from '#core/auth/rights.ts'
import { createSecret } from '#core/crypto/keys.ts'
import { forbidden, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx, PublicCtx, User } from '#core/http/context.ts'
import { accounts, displayLinks } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { inTransaction, scoped, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import { isTenantActive } from '#core/tenancy/tenant-state.ts'

const BIG_SCREEN = 'index:indexScreen:bigScreen'
const LONGEST = 64
const hashOf = (token: string) => createHash('sha256').update(token).digest()
const stands = isNull(displayLinks.revokeTime)

/** Returns the condition for the display links that an account sees and revokes. */
const visibleLinks = (user: User) =>
  and(
    eq(displayLinks.tenantId, workplace(user)),
    stands,
    scoped(user, { tenant: displayLinks.tenantId, creator: displayLinks.uid }),
  )

/** Returns the tenant of the display links: the tenant in which they were created. */
function workplace({ tenantId }: User) {
  if (tenantId === null) throw forbidden()
  return tenantId
}

export async function listDisplayLinks({ db, user }: Ctx) {
  const rows = await db
    .select({
      id: displayLinks.id,
      name: displayLinks.name,
      maker: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`,
      createTime: displayLinks.createTime,
      expireTime: displayLinks.expireTime,
      expired: sql<boolean>`${displayLinks.expireTime} <= now()`,
      lastSeenTime: displayLinks.lastSeenTime,
      lastSeenIp: displayLinks.lastSeenIp,
    })
    .from(displayLinks)
    .leftJoin(accounts, eq(accounts.uid, displayLinks.uid))
    .where(visibleLinks(user))
    .orderBy(desc(displayLinks.id))
    .limit(MAX_DISPLAYS)
  return { list: rows }
}

/**
 * Creates a display link in its own transaction. The secret is stored only as a hash, and encrypted in the response
 * that repeated calls receive.
 */
export async function createDisplayLink(ctx: Ctx, { name, days }: ParsedOf<typeof homeDisplay.create>) {
  const { user } = ctx
  const tenantId = workplace(user)
  if (!user.can(BIG_SCREEN)) throw forbidden()
  const token = createSecret()
  const id = await transactWithOperationLog(ctx, async (db) => {
    await db.execute(sql`select pg_advisory_xact_lock(hashtext('display links'), ${tenantId})`)
    const many = await db.$count(displayLinks, and(eq(displayLinks.tenantId, tenantId), stands))
    if (many >= MAX_DISPLAYS) throw refused(`展示链接最多${MAX_DISPLAYS}个，请先撤销不用的链接`)
    const [made] = await db
      .insert(displayLinks)
      .values({
        tenantId,
        name,
        tokenHash: hashOf(token),
        uid: user.uid,
        expireTime: sql`now() + make_interval(days => ${days})` as unknown as string,
      })
      .returning({ id: displayLinks.id })
    const bizId = made!.id
    ctx.audit({ bizType: 'displayLink', bizId, action: `新增大屏展示链接「${name}」，有效期 ${days} 天` })
    return bizId
  })
  return { id, token }
}

export async function revokeDisplayLink({ db, user, now, audit }: Ctx, { id }: ParsedOf<typeof homeDisplay.revoke>) {
  const [gone] = await db
    .update(displayLinks)
    .set({ revokeTime: now.toISOString() })
    .where(and(eq(displayLinks.id, id), visibleLinks(user)))
    .returning({ name: displayLinks.name })
  if (!gone) throw notFound('展示链接')
  audit({ bizType: 'displayLink', bizId: id, action: `撤销大屏展示链接「${gone.name}」` })
  return null
}

/**
 * Returns the account whose permissions a display link uses. The link must be valid, its creator must still hold the
 * big-screen permission in the link's tenant, and the tenant must be active. Uses the creator's current permissions.
 */
async function seer({ db, services, request }: PublicCtx): Promise<{ id: number; name: string; user: User }> {
  const token = request.header(DISPLAY_HEADER)
  const [link] =
    token && token.length <= LONGEST
      ? await db
          .select({
            id: displayLinks.id,
            name: displayLinks.name,
            uid: displayLinks.uid,
            tenantId: displayLinks.tenantId,
          })
          .from(displayLinks)
          .where(and(eq(displayLinks.tokenHash, hashOf(token)), stands, gt(displayLinks.expireTime, sql`now()`)))
      : []
  const rights = link && (await services.sessions.rightsOf(link.uid))
  if (!link || !rights || rights.suspendedReason) throw over()
  if (hasSwitchedTenant(rights, link.tenantId) && !canSwitchTenant(rights, link.tenantId)) throw over()
  if (!(await db.$count(tenants, and(eq(tenants.id, link.tenantId), isTenantActive())))) throw over()
  const user = createUser(rights, { id: `display${link.id}`, tenantId: link.tenantId })
  if (!user.can(BIG_SCREEN)) throw over()
  return { id: link.id, name: link.name, user }
}

const over = () => refused('展示链接无效、已过期或已被撤销，请联系管理员重新生成')

/** Records the last use of a display link, at most once a minute. The list shows which links are in use. */
async function recordDisplayPoll({ db, request }: PublicCtx, id: number) {
  await db
    .update(displayLinks)
    .set({ lastSeenTime: sql`now()` as unknown as string, lastSeenIp: request.ip })
    .where(
      and(
        eq(displayLinks.id, id),
        sql`(${displayLinks.lastSeenTime} is null or ${displayLinks.lastSeenTime} < now() - interval '1 minute')`,
      ),
    )
}

export async function getDisplayLinkName(ctx: PublicCtx) {
  const { id, name } = await seer(ctx)
  await recordDisplayPoll(ctx, id)
  return { name, zone: ctx.services.config.timeZone }
}

/** Returns one panel of the big screen for a display link, by the same query and data scope as the console. */
export const createDisplayHandler =
  <T>(load: (ctx: Ctx) => Promise<T>) =>
  async (ctx: PublicCtx): Promise<T> => {
    const { user } = await seer(ctx)
    return inTransaction(ctx.services.database, user, (db) => load({ ...ctx, db, user }))
  }
