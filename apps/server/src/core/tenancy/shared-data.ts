import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { forbidden, refused } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { PLATFORM_TENANT_ID, worksInPlatform } from './tenancy.ts'

/** Refuses staff whose data scope does not contain all tenants, also while the session works inside one tenant. */
export function assertSeesAllTenants({ isPlatform, scope }: Pick<User, 'isPlatform' | 'scope'>) {
  if (!isPlatform) throw forbidden()
  if (scope.tenants !== 'all') throw refused(SHARED_DATA_MESSAGE)
}

/** Refuses an account limited to its own records to change a setting of its whole tenant. */
export function assertSeesAllRecords({ scope }: Pick<User, 'scope'>) {
  if (scope.ownOnly) throw refused('该设置由整个客户共用，您的数据范围是仅本人，只能查看')
}

/** True when the call changes data that all tenants share, which needs a data scope with all tenants. */
export const changesSharedData = (
  user: Pick<User, 'isPlatform' | 'tenantId'>,
  { allTenants, createsSharedRows }: Pick<Endpoint, 'allTenants' | 'createsSharedRows'>,
) => allTenants === true || (createsSharedRows === true && worksInPlatform(user))

/** True when the account holds the permission of the call and, for shared data, sees all tenants. */
export function mayCall(user: User, endpoint: Endpoint): boolean {
  const { access } = endpoint
  if (access !== 'session' && access !== 'public' && !user.can(access)) return false
  return !changesSharedData(user, endpoint) || (user.isPlatform && user.scope.tenants === 'all')
}

/**
 * Refuses to change or reveal a row of the platform that all tenants use, unless the data scope contains all tenants.
 * Accepts rows of other tenants.
 */
export function assertMayChangeSharedRow(user: Pick<User, 'isPlatform' | 'scope'>, tenantId: number | undefined) {
  if (tenantId === PLATFORM_TENANT_ID) assertSeesAllTenants(user)
}
