import { and, type Column, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgSelect } from 'drizzle-orm/pg-core'
import type { Ctx, User } from '#core/http/context.ts'
import { hasRowSecurity } from '#core/tenancy/tenancy.ts'
import type { NameOf } from '#core/database/display-names.ts'
import { paginate } from './list-query.ts'

interface ListInput {
  readonly pageNum: number
  readonly pageSize: number
  readonly orderByColumn?: string | undefined
  readonly isAsc?: string | undefined
}

/** One list of a large table. */
interface LargeList<Q extends PgSelect> {
  /** Identifies the list among all large lists. */
  readonly name: string
  readonly key: PgColumn
  /** Filters that compare one column. Requests with only these filters run as prepared statements. */
  readonly exact: Readonly<Record<string, Column>>
  readonly order: SQL[]
  select(): Q
  /** Returns the conditions of the filter and of the data scope. */
  where(): SQL | undefined | Promise<SQL | undefined>
  readonly prepared?: {
    /** Condition besides the exact filters, for accounts that see all rows. May contain placeholders of `values`. */
    readonly where?: SQL | undefined
    readonly values?: Readonly<Record<string, unknown>>
    /** Selects rows without names; `names` adds them from the display-name cache. */
    readonly select?: () => PgSelect
    readonly names?: Readonly<Record<string, NameOf>>
  }
}

const PAGING = new Set(['pageNum', 'pageSize', 'orderByColumn', 'isAsc'])

/** Returns the filters of a request that are set. */
const filtersOf = (input: object) =>
  Object.entries(input).filter(([key, value]) => !PAGING.has(key) && value !== undefined && value !== '')

/** Returns true when no data scope and no row-level security limits the account. */
export const canSeeAllRows = (user: User) =>
  user.scope.tenants === 'all' && !user.scope.ownOnly && !hasRowSecurity(user)

/**
 * Returns true when a list request runs as a prepared statement: a request of staff with unlimited scope without filters
 * or with exact filters only.
 */
export const isPreparedRequest = (user: User, input: object, exact: Readonly<Record<string, Column>>) =>
  canSeeAllRows(user) && filtersOf(input).every(([filter]) => filter in exact)

/**
 * Returns one page of a large table. A request that `isPreparedRequest` accepts runs as a prepared statement
 * (`prepared-list.ts`); every other request runs like `paginate`.
 */
export async function paginateLarge<Q extends PgSelect>(
  { db, user, services }: Ctx,
  input: ListInput,
  list: LargeList<Q>,
): Promise<{ list: Awaited<Q>; total: number; totalIsEstimate?: true }> {
  const { name, key, exact, order, select, prepared = {} } = list
  const set = filtersOf(input)
  if (!isPreparedRequest(user, input, exact)) return paginate(db, select().where(await list.where()) as Q, input, order)
  const shape = [name, ...set.map(([filter]) => filter), input.orderByColumn, input.isAsc].join(' ')
  const query = () => ({
    select: prepared.select ?? select,
    key,
    where: and(prepared.where, ...set.map(([filter]) => eq(exact[filter]!, sql.placeholder(filter)))),
    order,
    ...(prepared.names && { names: prepared.names }),
  })
  const page = await services.lists.page(shape, query, { ...Object.fromEntries(set), ...prepared.values }, input)
  return page as { list: Awaited<Q>; total: number }
}
