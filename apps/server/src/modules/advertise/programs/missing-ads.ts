import { inArray } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { ads } from '../schema.ts'

/** Returns ads that no manifest contains, with the reason: disabled or not approved. */
export async function readMissingAds(db: Db, ids: readonly number[]) {
  if (ids.length === 0) return []
  const rows = await db
    .select({ id: ads.id, name: ads.adName, enableStat: ads.enableStat })
    .from(ads)
    .where(inArray(ads.id, [...ids]))
  return rows.map(({ id, name, enableStat }) => ({
    id,
    name,
    obstacle: enableStat === 0 ? ('adDisabled' as const) : ('adNotApproved' as const),
  }))
}
