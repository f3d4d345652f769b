import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/** Advisory lock of the transactions that merge or drop sums: a merge must not save the sums of a dropped day. */
const SUMS = '7302519, 5'

export const lockVideoSums = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${sql.raw(SUMS)})`)

/** Maximum number of rows that one transaction merges. */
const MAX_MERGED_ROWS = 50_000

/**
 * Merges the appended additions and subtractions in the statistics tables of videos. The next run merges the rows that
 * are written during the merge.
 */
export async function mergeVideoSums(database: Db, atOnce = MAX_MERGED_ROWS) {
  const key = 'tenant_id, model_id, record_type'
  await mergeEqualKeys(
    database,
    { table: 'oss_stored', key: `expire_day, ${key}`, amounts: ['segments', 'bytes'] },
    atOnce,
  )
  const amounts = ['segments', 'duration_ms', 'bytes', 'device_days']
  const usage = { table: 'oss_usage_days', key: `day, ${key}`, amounts }
  await repeatMerge(database, buildAppendedMerge(usage, atOnce), atOnce)
}

interface SumTable {
  readonly table: string
  /** Columns that identify a sum. */
  readonly key: string
  /** Columns that are summed. */
  readonly amounts: readonly string[]
}

const listSums = (amounts: readonly string[]) => amounts.map((column) => `sum(${column})`).join(', ')

/** Replaces rows of equal keys by their sum. A row whose key is unique is not written again. */
export function mergeEqualKeys(database: Db, { table, key, amounts }: SumTable, atOnce = MAX_MERGED_ROWS) {
  const merge = `
    with chosen as (
      select id from (select id, ${key}, count(*) over (partition by ${key}) as equal from ${table}) r
      where equal > 1 order by ${key} limit ${atOnce}),
    deleted as (delete from ${table} using chosen where ${table}.id = chosen.id returning ${table}.*),
    added as (
      insert into ${table} (${key}, ${amounts.join(', ')})
      select ${key}, ${listSums(amounts)} from deleted group by ${key}
      having ${amounts.map((column) => `sum(${column}) <> 0`).join(' or ')})
    select count(*)::int as count from deleted`
  return repeatMerge(database, merge, atOnce)
}

/**
 * Returns the statement that adds the appended rows to the merged row of their key. The statement reads only the appended
 * rows and the merged rows that change, because this table keeps more than a year.
 */
function buildAppendedMerge({ table, key, amounts }: SumTable, atOnce: number): string {
  const changes = amounts.map((column) => `${column} = ${table}.${column} + excluded.${column}`)
  return `
    with appended as (
      delete from ${table} where id in (select id from ${table} where folded = 0 order by id limit ${atOnce}) returning *),
    added as (
      insert into ${table} (${key}, ${amounts.join(', ')}, folded)
      select ${key}, ${listSums(amounts)}, 1 from appended group by ${key}
      on conflict (${key}) where folded = 1 do update set ${changes.join(', ')})
    select count(*)::int as count from appended`
}

/** Repeats a merge of at most `atOnce` rows, each time in a transaction of its own, until fewer rows remain. */
async function repeatMerge(database: Db, merge: string, atOnce: number) {
  for (let count = atOnce; count >= atOnce; )
    count = await database.transaction(async (db) => {
      await lockVideoSums(db)
      const { rows } = await db.execute<{ count: number }>(sql.raw(merge))
      return rows[0]!.count
    })
}
