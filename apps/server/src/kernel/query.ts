import { MAX_ROWS } from '@oms/contract/kernel/page.ts'
import { type AnyColumn, asc, type Column, desc, gte, ilike, lte, type SQL, sql } from 'drizzle-orm'
import type { PgSelect } from 'drizzle-orm/pg-core'
import type { Db } from '#db/client.ts'
import { invalid } from './problem.ts'

/** `column contains text`, wildcards taken literally; no condition when there is no text. */
export const contains = (column: AnyColumn | SQL, text: string | undefined) =>
  text ? ilike(column as Column, `%${text.replaceAll(/[%_\\]/g, '\\$&')}%`) : undefined

/** Both ends of a list filter included; a bare end day means its last second. */
export const within = (column: Column, begin: string | undefined, end: string | undefined): SQL[] => [
  ...(begin ? [gte(column, begin)] : []),
  ...(end ? [lte(column, end.length === 10 ? `${end} 23:59:59.999` : end)] : []),
]

/**
 * `column` is one of many keys: one parameter, however many they are, where `inArray` makes one of each. Written as text
 * in one go: number by number, the engine would keep each text for the next time it is asked for, a million in an export.
 */
export const among = (column: AnyColumn, keys: readonly number[]) =>
  sql`${column} = any(${sql.param(`{${JSON.stringify(keys).slice(1, -1)}}`)}::bigint[])`

interface SortInput<C extends string> {
  orderByColumn?: C | undefined
  isAsc?: 'asc' | 'desc' | undefined
}

/**
 * The order of a list: the asked column of a closed map, else `standard`; the primary key always breaks ties, in the
 * same direction, so that an index (column, key) serves both ways.
 */
export function orderOf<C extends string>(
  { orderByColumn, isAsc }: SortInput<C>,
  columns: Readonly<Record<C, AnyColumn | SQL>>,
  key: AnyColumn,
  standard: SQL[] = [desc(key)],
): SQL[] {
  if (!orderByColumn) return standard
  const direction = isAsc === 'asc' ? asc : desc
  const nulls = isAsc === 'asc' ? sql`nulls first` : sql`nulls last`
  return [sql`${direction(columns[orderByColumn])} ${nulls}`, direction(key)]
}

interface PageInput {
  pageNum: number
  pageSize: number
}

/** Refuses pages behind row 10,000: nobody reads there, and each costs all rows before it. */
export function offsetOf({ pageNum, pageSize }: PageInput) {
  const offset = (pageNum - 1) * pageSize
  if (offset >= MAX_ROWS && pageNum > 1) throw invalid(`只能查看前${MAX_ROWS}条，请缩小查询范围`, 'pageNum')
  return offset
}

/**
 * One page of a query in the given order, with the total behind it: exact up to 10,000 rows, beyond that the planner's
 * estimate, marked. The count never reads more than 10,001 rows.
 */
export async function paginate<Q extends PgSelect>(db: Db, query: Q, page: PageInput, order: SQL[]) {
  const offset = offsetOf(page)
  const counted = await countUpTo(db, query)
  const list: Awaited<Q> = await query
    .orderBy(...order)
    .limit(page.pageSize)
    .offset(offset)
  return { list, ...counted }
}

/** Number of rows of a query, exact up to 10,000; beyond it the planner's estimate (never less than 10,001). */
export async function countUpTo(db: Db, query: PgSelect): Promise<{ total: number; totalIsEstimate?: true }> {
  const capped = sql`select count(*)::int as n from (${bare(query)} limit ${MAX_ROWS + 1}) as counted`
  const { rows } = await db.execute<{ n: number }>(capped)
  const total = rows[0]?.n ?? 0
  if (total <= MAX_ROWS) return { total }
  return { total: await estimate(db, query), totalIsEstimate: true }
}

const bare = (query: PgSelect) => query.getSQL()

async function estimate(db: Db, query: PgSelect) {
  const { rows } = (await db.execute(sql`explain (format json) ${bare(query)}`)) as unknown as {
    rows: { 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[]
  }
  const planned = rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
  return Math.max(Math.round(planned), MAX_ROWS + 1)
}
