import type { ossHooks } from '../schema-sales.ts'
import { type Actor, createPlatformUser } from '#core/auth/system-actor.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

export type Webhook = typeof ossHooks.$inferSelect

/** Returns the actor of a shop's events: it sees the devices of the hook's tenant, or all devices for the platform. */
export function createWebhookActor({ tenantId, hookName }: Webhook, ip: string): Actor {
  const isPlatform = tenantId === PLATFORM_TENANT_ID
  return {
    user: {
      ...createPlatformUser({ account: 'webhook', realname: `商城 ${hookName}`.slice(0, 30), tenantId }),
      homeTenantId: tenantId,
      isPlatform,
      isSuper: false,
      roleIds: [],
      scope: { tenants: isPlatform ? 'all' : [tenantId], ownOnly: false },
    },
    facts: { ip, userAgent: 'webhook' },
  }
}
