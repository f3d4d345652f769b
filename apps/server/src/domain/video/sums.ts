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
    await mergeAppended(db, 'oss_usage_days', ['segments', 'duration_ms', 'bytes', 'device_days'])
    await mergeAppended(db, 'oss_play_days', ['segments', 'bytes'])
  })
}

/**
 * Adds the appended rows to the merged row of their day, tenant, model and recording type. Reads only the appended rows
 * and the merged rows that change, because these tables keep more than a year.
 */
function mergeAppended(db: Db, table: string, amounts: readonly string[]) {
  const key = 'day, tenant_id, model_id, record_type'
  const changes = amounts.map((column) => `${column} = ${table}.${column} + excluded.${column}`)
  return db.execute(
    sql.raw(`
      with appended as (delete from ${table} where folded = 0 returning *)
      insert into ${table} (${key}, ${amounts.join(', ')}, folded)
      select ${key}, ${amounts.map((column) => `sum(${column})`).join(', ')}, 1 from appended group by ${key}
      on conflict (${key}) where folded = 1 do update set ${changes.join(', ')}`),
  )
}
