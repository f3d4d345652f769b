import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { PermNode } from '@oms/contract/permission-tree.ts'
import { MAX_TOKEN_DAYS, MAX_TOKENS, type tokens as calls } from '@oms/contract/account/tokens.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { createApiToken, hashApiToken } from '#core/auth/api-tokens.ts'
import { buildPermissionTree } from '#core/auth/grants.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { accounts, apiTokens } from '#core/schema/account.ts'
import { formatLocalDay } from '#core/time/zone.ts'
import { assertPassword, requireOwnAccount } from './password.ts'

/** Number of characters of a token that its list shows. */
const PREFIX_LENGTH = 12

const ownTokens = ({ user }: Pick<Ctx, 'user'>) => eq(apiTokens.uid, user.uid)

export async function listTokens(ctx: Ctx) {
  const rows = await ctx.db.select().from(apiTokens).where(ownTokens(ctx)).orderBy(desc(apiTokens.id))
  return { list: rows }
}

/** Returns the tree of the caller's permissions. A platform account has the tree of all menus. */
export async function listTokenPermissions({ db, user }: Ctx) {
  if (user.tenantId === null) return { menus: [] }
  return { menus: held(await buildPermissionTree(db, user, user.tenantId)) }
}

const held = (nodes: readonly PermNode[]): PermNode[] =>
  nodes.flatMap((node) => {
    const children = held(node.children)
    return node.grantable || children.length > 0 ? [{ ...node, children }] : []
  })

export async function createToken(ctx: Ctx, input: ParsedOf<typeof calls.create>) {
  const { user, services } = ctx
  const own = await requireOwnAccount(ctx)
  assertExpiry(ctx, input.expireDay)
  if (input.permissions.some((each) => !user.permissions.has(each)))
    throw invalid('不能授予您没有的权限', 'permissions')
  await assertPassword(ctx, own, input.pswdMd5, 'pswdMd5')
  const token = createApiToken()
  const id = await services.database.db.transaction(async (db) => {
    // Locks the account, so that simultaneous calls do not exceed the limit.
    await db.select({ uid: accounts.uid }).from(accounts).where(eq(accounts.uid, user.uid)).for('update')
    if ((await db.$count(apiTokens, ownTokens(ctx))) >= MAX_TOKENS)
      throw refused(`访问令牌不能超过${MAX_TOKENS}个，请先撤销不用的令牌`)
    const [made] = await db
      .insert(apiTokens)
      .values({
        uid: user.uid,
        name: input.name,
        prefix: token.slice(0, PREFIX_LENGTH),
        tokenHash: hashApiToken(token),
        permissions: [...new Set(input.permissions)],
        nets: input.nets,
        expireTime: `${input.expireDay} 23:59:59`,
      })
      .returning({ id: apiTokens.id })
    ctx.audit({
      bizType: 'account',
      bizId: user.uid,
      action: `新增访问令牌「${input.name}」，有效期至 ${input.expireDay}`,
    })
    await ctx.recordIn(db)
    return made!.id
  })
  return { id, token }
}

function assertExpiry({ now, services }: Pick<Ctx, 'now' | 'services'>, expireDay: string) {
  const { timeZone } = services.config
  const last = new Date(now.getTime() + MAX_TOKEN_DAYS * 86_400_000)
  if (expireDay < formatLocalDay(now, timeZone)) throw invalid('有效期不能早于今天', 'expireDay')
  if (expireDay > formatLocalDay(last, timeZone)) throw invalid(`有效期不能超过 ${MAX_TOKEN_DAYS} 天`, 'expireDay')
}

export async function rotateToken(ctx: Ctx, { id, hours }: ParsedOf<typeof calls.rotate>) {
  const token = createApiToken()
  const [changed] = await ctx.db
    .update(apiTokens)
    .set({
      tokenHash: hashApiToken(token),
      prefix: token.slice(0, PREFIX_LENGTH),
      formerHash: hours > 0 ? sql`token_hash` : null,
      formerUntil: hours > 0 ? sql`now() + make_interval(hours => ${hours})` : null,
    } as unknown as Partial<typeof apiTokens.$inferInsert>)
    .where(and(ownTokens(ctx), eq(apiTokens.id, id)))
    .returning({ name: apiTokens.name })
  if (!changed) throw notFound('访问令牌')
  const kept = hours > 0 ? `，旧令牌 ${hours} 小时后失效` : '，旧令牌立即失效'
  ctx.audit({ bizType: 'account', bizId: ctx.user.uid, action: `更换访问令牌「${changed.name}」${kept}` })
  await ctx.services.apiTokens.publishRevoked(ctx.db)
  return { id, token }
}

export async function revokeToken(ctx: Ctx, { id }: ParsedOf<typeof calls.revoke>) {
  const [revoked] = await ctx.db
    .delete(apiTokens)
    .where(and(ownTokens(ctx), eq(apiTokens.id, id)))
    .returning({ name: apiTokens.name })
  if (!revoked) throw notFound('访问令牌')
  ctx.audit({ bizType: 'account', bizId: ctx.user.uid, action: `撤销访问令牌「${revoked.name}」` })
  await ctx.services.apiTokens.publishRevoked(ctx.db)
  return null
}
