import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { hasRunSteadily } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'

const RETENTION = 'ad-retention'
/**
 * Number of years that a deleted ad, its versions and its files are kept after the deletion and after the last play.
 */
const YEARS_KEPT = 3
const BATCH = 100

/** Registers the daily job that removes deleted ads after their retention period. */
export function registerAdRetention(services: Services) {
  services.jobs.schedule(
    RETENTION,
    async (_job, _progress, signal) => {
      if (!(await hasRunSteadily(services, RETENTION))) return { removed: 0 }
      return { removed: await removeExpiredAds(services.database.db, { now: services.now(), signal }) }
    },
    { title: '已删除广告保留期处理', cron: '0 50 3 * * *', keepsRuns: true, timeLimitSeconds: 30 * 60 },
  )
}

interface Removal {
  readonly now: Date
  /** Maximum number of ads in one transaction. */
  readonly batch?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Removes deleted ads and their versions three years after both the deletion and the last play. Marks files that no other
 * ad uses as unused, so that the job `file-sweep` deletes these files. Returns the number of removed ads.
 */
export async function removeExpiredAds(db: Db, { now, batch = BATCH, signal }: Removal): Promise<number> {
  let removed = 0
  for (let count = batch; count === batch; removed += count) {
    signal?.throwIfAborted()
    count = await db.transaction((step) => removeBatch(step, now, batch))
  }
  return removed
}

async function removeBatch(db: Db, now: Date, batch: number): Promise<number> {
  const before = sql`(${now.toISOString()}::timestamptz - make_interval(years => ${YEARS_KEPT}::int))`
  // Sums older than 400 days are stored with the first day of their month.
  const { rows } = await db.execute<{ id: number }>(sql`
    select id from ads where deleted_at < ${before}
      and not exists (select from ad_play_days d where d.ad_id = ads.id and d.day >= date_trunc('month', ${before})::date)
      and not exists (select from ad_play_fresh f where f.ad_id = ads.id)
      and not exists (select from ad_uses u where u.ad_id = ads.id)
    order by id limit ${batch}::int for update skip locked`)
  if (rows.length === 0) return 0
  const ids = sql`${sql.param(rows.map(({ id }) => id))}::int[]`
  // Materials of ads that are not saved yet have no ad.
  const isRemoved = (column: SQL) => sql`coalesce(${column} = any(${ids}), false)`
  await db.execute(sql`
    update files set used_time = null where id in (${filesOf(isRemoved)}) and id not in (${filesOf((column) => sql`not ${isRemoved(column)}`)})`)
  await db.execute(sql`delete from ad_materials where ${isRemoved(sql`ad_id`)}`)
  await db.execute(sql`delete from ad_versions where ${isRemoved(sql`ad_id`)}`)
  await db.execute(sql`delete from ads where ${isRemoved(sql`id`)}`)
  return rows.length
}

/**
 * Returns a query of the file ids of ads: materials, thumbnails, pages, posters and proofs, also of former versions.
 */
const filesOf = (where: (column: SQL) => SQL) => sql`
  select f.id from ad_materials m, unnest(array[m.file_id, m.thumb_file_id, m.page_file_id, m.poster_file_id]) f (id)
    where ${where(sql`m.ad_id`)}
  union select a.thumb from ads a where ${where(sql`a.id`)}
  union select p ->> 'id' from ads a, jsonb_array_elements(a.proofs) p where ${where(sql`a.id`)}
  union select p ->> 'id' from ad_versions v, jsonb_path_query(v.body, '$.review.*[*] ? (exists(@.id))') p
    where ${where(sql`v.ad_id`)}`
