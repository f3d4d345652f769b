import { and, eq, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notFound } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { ads } from './schema.ts'
import type { StoredAd } from './content.ts'
import { assertAdInScope } from './program-scope.ts'

/** Returns the condition for ads that the account may see. Every query on ads contains the condition. */
export const visibleAds = (user: User): SQL | undefined =>
  and(notDeleted(ads), scoped(user, { tenant: ads.tenantId, creator: ads.createBy }))

/**
 * Returns the ad, locked until the transaction ends. An ad of another tenant is reported as not found. Refuses ads that
 * the account may only read.
 */
export async function lockAd(db: Db, user: User, id: number): Promise<StoredAd> {
  const [found] = await db
    .select()
    .from(ads)
    .where(and(eq(ads.id, id), visibleAds(user)))
    .for('update')
  if (!found) throw notFound('广告')
  await assertAdInScope(db, user, id)
  return found
}
