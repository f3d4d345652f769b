import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { MAX_ROWS } from '@oms/contract/core/page.ts'
import { type AnyColumn, asc, Column, desc, gte, ilike, is, lte, type SQL, sql } from 'drizzle-orm'
import type { PgSelect } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { invalid } from '#core/http/api-error.ts'

type Build = (fields: unknown, options?: { readonly isSingleTable?: boolean }) => unknown

/**
 * Makes every selected expression name the table of its columns. Drizzle 0.45 omits the table in a select from one
 * table. Inside a subquery PostgreSQL then resolves the bare name to a column of the subquery: `where v.code = "code"`
 * is true for every row.
 */
export function qualifySelectedColumns(db: NodePgDatabase) {
  const { dialect } = db as unknown as { readonly dialect: { buildSelection: Build } }
  const build = dialect.buildSelection.bind(dialect)
  dialect.buildSelection = (fields) => build(fields)
}

/** Returns the condition `column contains text`, with wildcards escaped. Returns no condition without text. */
export const contains = (column: AnyColumn | SQL, text: string | undefined) =>
  text ? ilike(column as Column, `%${text.replaceAll(/[%_\\]/g, '\\$&')}%`) : undefined

/** Returns the condition for a time range, both ends included. An end date without time means its last second. */
export const within = (column: Column, begin: string | undefined, end: string | undefined): SQL[] => [
  ...(begin ? [gte(column, begin)] : []),
  ...(end ? [lte(column, end.length === 10 ? `${end} 23:59:59.999` : end)] : []),
]

/**
 * Returns the condition that `column` is one of many keys. Uses one parameter, where `inArray` uses one per key. The
 * keys are converted to text at once: V8 would cache the text of each converted number, a million of them in an export.
 */
export const among = (column: AnyColumn, keys: readonly number[]) =>
  sql`${column} = any(${sql.param(`{${JSON.stringify(keys).slice(1, -1)}}`)}::bigint[])`

interface SortInput<C extends string> {
  orderByColumn?: C | undefined
  isAsc?: 'asc' | 'desc' | undefined
}

/**
 * Returns the order of a list: the requested column of a fixed map, otherwise `standard`. The primary key breaks ties
 * in the same direction, so that one index serves both directions: `(column, key)`, with `nulls first` for a column that
 * may be null. Null is the lowest value.
 */
export function buildSort<C extends string>(
  { orderByColumn, isAsc }: SortInput<C>,
  columns: Readonly<Record<C, AnyColumn | SQL>>,
  key: AnyColumn,
  standard: SQL[] = [desc(key)],
): SQL[] {
  if (!orderByColumn) return standard
  const direction = isAsc === 'asc' ? asc : desc
  const column = columns[orderByColumn]
  const sorted = direction(column)
  // PostgreSQL uses an index only with the same position of nulls, even for a column without nulls.
  if (is(column, Column) && column.notNull) return [sorted, direction(key)]
  return [isAsc === 'asc' ? sql`${sorted} nulls first` : sql`${sorted} nulls last`, direction(key)]
}

/**
 * Returns the sort expression of a column with names: Chinese characters in pinyin order, and letters without regard to
 * case. An index that serves this order has the form `(column collate oms_names nulls first, key)`.
 */
export const byName = (column: AnyColumn) => sql`${column} collate oms_names`

interface PageInput {
  pageNum: number
  pageSize: number
}

/** Returns the offset of a page. Refuses pages after row 10,000, because each page costs all rows before it. */
export function computePageOffset({ pageNum, pageSize }: PageInput) {
  const offset = (pageNum - 1) * pageSize
  if (offset >= MAX_ROWS && pageNum > 1) throw invalid(`只能查看前${MAX_ROWS}条，请缩小查询范围`, 'pageNum')
  return offset
}

/**
 * Returns one page of a query in the given order with the total. Totals above 10,000 are the planner's estimate and
 * marked so. The count never reads more than 10,001 rows.
 */
export async function paginate<Q extends PgSelect>(db: Db, query: Q, page: PageInput, order: SQL[]) {
  const offset = computePageOffset(page)
  const counted = await countUpTo(db, query)
  const list: Awaited<Q> = await query
    .orderBy(...order)
    .limit(page.pageSize)
    .offset(offset)
  return { list, ...counted }
}

/** Counts the rows of a query exactly up to 10,000. Larger totals are the planner's estimate (at least 10,001). */
async function countUpTo(db: Db, query: PgSelect): Promise<{ total: number; totalIsEstimate?: true }> {
  const capped = sql`select count(*)::int as n from (${toSql(query)} limit ${MAX_ROWS + 1}) as counted`
  const { rows } = await db.execute<{ n: number }>(capped)
  const total = rows[0]?.n ?? 0
  if (total <= MAX_ROWS) return { total }
  return { total: await estimate(db, query), totalIsEstimate: true }
}

const toSql = (query: PgSelect) => query.getSQL()

async function estimate(db: Db, query: PgSelect) {
  const { rows } = (await db.execute(sql`explain (format json) ${toSql(query)}`)) as unknown as {
    rows: { 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[]
  }
  const planned = rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
  return Math.max(Math.round(planned), MAX_ROWS + 1)
}
