import { and, type SQL } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { adPrograms } from './schema.ts'

/** Returns the condition for programs that the account may see. Every query on programs contains the condition. */
export const visiblePrograms = (user: User): SQL | undefined =>
  and(notDeleted(adPrograms), scoped(user, { tenant: adPrograms.tenantId, creator: adPrograms.createBy }))
