import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/** Advisory lock of the transactions that merge or drop sums: a merge must not save the sums of a dropped day. */
const SUMS = '7302519, 5'

export const lockVideoSums = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${sql.raw(SUMS)})`)

/**
 * Merges the appended additions and subtractions in the statistics tables of videos. The next run merges the rows that
 * are written during the merge.
 */
export async function mergeVideoSums(database: Db) {
  await database.transaction(async (db) => {
    await lockVideoSums(db)
    await db.execute(sql`
      with deleted as (delete from oss_stored returning *)
      insert into oss_stored (expire_day, tenant_id, model_id, record_type, segments, bytes)
      select expire_day, tenant_id, model_id, record_type, sum(segments), sum(bytes) from deleted
      group by 1, 2, 3, 4 having sum(segments) <> 0 or sum(bytes) <> 0`)
    await db.execute(sql`
      with deleted as (delete from oss_usage_days returning *)
      insert into oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes, device_days)
      select day, tenant_id, model_id, record_type, sum(segments), sum(duration_ms), sum(bytes), sum(device_days) from deleted
      group by 1, 2, 3, 4`)
  })
}
