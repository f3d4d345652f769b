import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { tenant } from '@oms/contract/tenant/tenant.ts'
import { and, asc, eq, inArray, ne, or } from 'drizzle-orm'
import { canSwitchTenant } from '#core/auth/rights.ts'
import { contains } from '#core/database/lists/list-query.ts'
import { forbidden, notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { sessions } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { clearSessionsAfterCommit } from '#modules/account/index.ts'

const OFFERED = 50

/**
 * Loads the account's permissions in its own tenant, because working in another tenant narrows the current
 * permissions.
 */
async function atHome({ services, user }: Ctx) {
  const rights = await services.sessions.rightsOf(user.uid)
  if (!rights || !user.isPlatform) throw forbidden()
  return rights
}

export async function listSwitchableTenants(ctx: Ctx, { keyword }: ParsedOf<typeof tenant.switchable>) {
  const { db, user } = ctx
  if (!user.isPlatform) return { list: [] }
  const { scope } = await atHome(ctx)
  const list = await db
    .select({ id: tenants.id, name: tenants.name, tenantNo: tenants.tenantNo, status: tenants.status })
    .from(tenants)
    .where(
      and(
        notDeleted(tenants),
        ne(tenants.id, user.homeTenantId ?? 0),
        scope.tenants === 'all' ? undefined : inArray(tenants.id, [...scope.tenants]),
        or(contains(tenants.name, keyword), contains(tenants.tenantNo, keyword)),
      ),
    )
    .orderBy(asc(tenants.id))
    .limit(OFFERED)
  return { list }
}

export async function switchToTenant(ctx: Ctx, { id }: ParsedOf<typeof tenant.switchTo>) {
  const { db, user } = ctx
  const rights = await atHome(ctx)
  if (id === user.homeTenantId) throw refused('这是您所属的客户，请使用返回')
  if (!canSwitchTenant(rights, id)) throw notFound('客户')
  const [found] = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(and(eq(tenants.id, id), notDeleted(tenants)))
  if (!found) throw notFound('客户')
  await moveTo(ctx, id)
  ctx.audit({ bizType: 'tenant', bizId: id, action: `进入客户「${found.name}」工作` })
  return { ownerId: found.id, ownerName: found.name }
}

export async function switchToHomeTenant(ctx: Ctx) {
  const { db, user } = ctx
  if (user.homeTenantId === null) throw refused('您还没有加入任何客户')
  const [home] = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(eq(tenants.id, user.homeTenantId))
  if (!home) throw notFound('客户')
  const left = user.tenantId === user.homeTenantId ? undefined : user.tenantId
  if (left !== undefined) await moveTo(ctx, user.homeTenantId)
  ctx.audit({ bizType: 'tenant', bizId: left ?? '', action: `结束代客户工作，返回「${home.name}」` })
  return { ownerId: home.id, ownerName: home.name }
}

async function moveTo(ctx: Ctx, tenantId: number) {
  await ctx.services.sessions.move(ctx.db, eq(sessions.id, ctx.user.sessionId), tenantId)
  clearSessionsAfterCommit(ctx)
}
