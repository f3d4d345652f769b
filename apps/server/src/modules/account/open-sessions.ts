import { and, gt, isNull, sql } from 'drizzle-orm'
import { accounts, sessions } from '#core/schema/account.ts'
import type { Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'

/**
 * Returns the condition for the valid sessions that the account may see: not ended, not expired and not idle for too
 * long. Combine with a join of `accounts`.
 */
export const isOpenAccountSession = ({ services, user }: Pick<Ctx, 'services' | 'user'>) =>
  and(
    isNull(sessions.endTime),
    gt(sessions.expireTime, sql`now()`),
    gt(sessions.lastActiveTime, sql`now() - make_interval(mins => ${services.config.session.idleMinutes}::int)`),
    scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
  )
