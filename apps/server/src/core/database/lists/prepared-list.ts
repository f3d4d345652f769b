import { createHash } from 'node:crypto'
import { MAX_PAGE_SIZE, MAX_ROWS } from '@oms/contract/core/page.ts'
import { Column, is, Param, Placeholder, type SQL, sql, and, eq } from 'drizzle-orm'
import type { PgColumn, PgSelect } from 'drizzle-orm/pg-core'
import type { Database, Db } from '#core/database/client.ts'
import { type Pipeline, runPrepared } from '#core/database/statements/prepared-statements.ts'
import type { NameKind, NameOf, DisplayNames } from '#core/database/display-names.ts'
import { computePageOffset, paginate } from './list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { hasRowSecurity } from '#core/tenancy/tenancy.ts'

/** Totals up to this limit are counted exactly on every request; larger totals are cached estimates. */
const FRESH_UP_TO = 1000
const TOTAL_MS = 5000
/** Limits used in statements of first pages. A statement per page size would need too many statements. */
const FIRST_LIMITS = [10, 20, 30, 50, 100, MAX_PAGE_SIZE] as const
const MAX_SHAPES = 500
const MAX_TOTALS = 5000

type Values = Readonly<Record<string, unknown>>
interface Page {
  readonly pageNum: number
  readonly pageSize: number
}
interface Total {
  readonly total: number
  readonly totalIsEstimate?: true
}
interface Statement {
  readonly name: string
  readonly text: string
  valuesOf(values: Values): unknown[]
}
interface Parts {
  readonly database: Database
  readonly pipeline: Pipeline
  readonly names: DisplayNames
}
interface Shape {
  readonly rows: Statement
  readonly fresh: Statement
  readonly capped: Statement
  readonly plan: Statement
  readonly fields: readonly Field[]
  /** Index of the id in a row, and index of the name after all read columns. */
  readonly names: readonly { readonly kind: NameKind; readonly from: number; readonly to: number }[]
}

/** Query of one list shape. */
interface PreparedQuery<Q extends PgSelect, F extends string = never> {
  /** Returns the `select` query of the rows, without filter and order. */
  readonly select: () => Q
  readonly key: PgColumn
  readonly where: SQL | undefined
  readonly order: SQL[]
  /**
   * Names that rows show for their ids. With names, `select` must read one table only, and a first page is one query.
   * Otherwise the keys of a page are read first, so that each skipped row costs one index entry.
   */
  readonly names?: Readonly<Record<F, NameOf>>
}

/**
 * Reads pages of the largest tables at a fraction of the cost of `paginate`. The query is built once per shape (set
 * filters and order) and runs as a named prepared statement. Totals above 1,000 are cached for five seconds, with one
 * running count per filter. Not for accounts under row-level security: their reads need their own transaction.
 */
export class PreparedLists {
  readonly #database: Database
  readonly #pipeline: Pipeline
  readonly #names: DisplayNames
  readonly #shapes = new Map<string, Shape>()
  readonly #totals = new Map<string, { at: number; total: Promise<Total> }>()

  constructor({ database, pipeline, names }: Parts) {
    this.#database = database
    this.#pipeline = pipeline
    this.#names = names
  }

  /**
   * Returns a page. `shape` identifies the query that uses `sql.placeholder` for `values`. The same shape must always
   * produce the same SQL text.
   */
  async page<Q extends PgSelect, F extends string = never>(
    shape: string,
    query: () => PreparedQuery<Q, F>,
    values: Values,
    page: Page,
  ) {
    const offset = computePageOffset(page)
    const limit = offset === 0 ? (FIRST_LIMITS.find((each) => each >= page.pageSize) ?? page.pageSize) : page.pageSize
    const prepared = this.#shapeOf(`${shape} ${limit} ${offset}`, query, { limit, offset })
    const [list, total] = await Promise.all([
      this.#rowsOf(prepared, values, page),
      this.#totalOf(shape, prepared, values),
    ])
    return { list: list as unknown as (Awaited<Q>[number] & Record<F, string>)[], ...total }
  }

  /** Prepares only statements of first pages on each connection. Statements of later pages are rare and too many. */
  async #rowsOf({ rows, fields, names }: Shape, values: Values, page: Page) {
    const { name, text } = rows
    const statement = { name, text, values: rows.valuesOf(values) }
    const found =
      computePageOffset(page) === 0
        ? (await this.#pipeline.rows(statement)).slice(0, page.pageSize)
        : (await this.#database.pool.query<unknown[]>({ ...statement, name: undefined, rowMode: 'array' })).rows
    for (const { kind, ...places } of names) await this.#names.put(found, kind, places)
    return found.map((row) => decode(row, fields))
  }

  #shapeOf(shape: string, query: () => PreparedQuery<PgSelect, string>, cut: Cut): Shape {
    const known = this.#shapes.get(shape)
    if (known) return known
    if (this.#shapes.size >= MAX_SHAPES) this.#shapes.clear()
    const made = shapeOf(this.#database.db, query(), cut)
    this.#shapes.set(shape, made)
    return made
  }

  #totalOf(shape: string, prepared: Shape, values: Values): Promise<Total> {
    const key = `${shape} ${JSON.stringify(values)}`
    const cached = this.#totals.get(key)
    if (cached && performance.now() - cached.at < TOTAL_MS) return cached.total
    const total = this.#count(prepared, values)
    if (this.#totals.size >= MAX_TOTALS) this.#totals.clear()
    this.#totals.set(key, { at: performance.now(), total })
    const forget = () => this.#totals.delete(key)
    total.then((counted) => (counted.total <= FRESH_UP_TO ? forget() : undefined), forget)
    return total
  }

  async #count({ fresh, capped, plan }: Shape, values: Values): Promise<Total> {
    const few = await this.#number(fresh, values)
    if (few <= FRESH_UP_TO) return { total: few }
    const total = await this.#number(capped, values)
    if (total <= MAX_ROWS) return { total }
    const { rows } = await this.#database.pool.query<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>(
      plan.text,
      plan.valuesOf(values),
    )
    const planned = rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
    return { total: Math.max(Math.round(planned), MAX_ROWS + 1), totalIsEstimate: true }
  }

  async #number(statement: Statement, values: Values) {
    const client = await this.#database.pool.connect()
    try {
      const [row] = await runPrepared(client, buildPreparedQuery(statement, values))
      return Number(row?.[0] ?? 0)
    } finally {
      client.release()
    }
  }
}

const buildPreparedQuery = ({ name, text, valuesOf }: Statement, values: Values) => ({
  name,
  text,
  values: valuesOf(values),
})

/**
 * Limit and offset are literal numbers in the SQL text. For a parameter, the planner assumes a tenth of the table and
 * scans it completely.
 */
interface Cut {
  readonly limit: number
  readonly offset: number
}

function shapeOf(
  db: Db,
  { select, key, where, order, names }: PreparedQuery<PgSelect, string>,
  { limit, offset }: Cut,
): Shape {
  const keys = () => db.select({ key }).from(key.table).where(where).$dynamic()
  const rows = select()
  const inOneGo = names !== undefined && offset === 0
  const cut = ` limit ${limit} offset ${offset}`
  const page = sql`(${keys()
    .orderBy(...order)
    .getSQL()}${sql.raw(cut)})`
  const whole = rows
    .where(inOneGo ? where : sql`${key} in ${page}`)
    .orderBy(...order)
    .toSQL()
  const counted = keys().toSQL()
  const fields = fieldsOf(rows)
  const named = Object.entries(names ?? {})
  return {
    rows: statementOf(inOneGo ? whole.sql + cut : whole.sql, whole.params),
    fresh: statementOf(
      `select count(*)::int as n from (${counted.sql} limit ${FRESH_UP_TO + 1}) counted`,
      counted.params,
    ),
    capped: statementOf(
      `select count(*)::int as n from (${counted.sql} limit ${MAX_ROWS + 1}) counted`,
      counted.params,
    ),
    plan: statementOf(`explain (format json) ${counted.sql}`, counted.params),
    fields: [...fields, ...named.map(([key]) => ({ key, read: undefined }))],
    names: named.map(([, { id, kind }], index) => ({
      kind,
      from: fields.findIndex(({ key }) => key === id),
      to: fields.length + index,
    })),
  }
}

function statementOf(text: string, params: readonly unknown[]): Statement {
  const name = `hot-${createHash('sha1').update(text).digest('hex').slice(0, 20)}`
  const readers = params.map((param) => {
    if (is(param, Placeholder)) return (values: Values) => values[param.name] ?? null
    // drizzle wraps a compared value with the encoder of its column.
    if (is(param, Param) && is(param.value, Placeholder)) {
      const { value, encoder } = param
      return (values: Values) => encoder.mapToDriverValue(values[value.name])
    }
    return () => param
  })
  return { name, text, valuesOf: (values) => readers.map((read) => read(values)) }
}

interface Field {
  readonly key: string
  readonly read: ((value: unknown) => unknown) | undefined
}

const fieldsOf = (query: PgSelect): Field[] =>
  Object.entries(query._.selectedFields as Record<string, unknown>).map(([key, field]) => ({
    key,
    read: readerOf(field),
  }))

/** Converts a row array into an object. Each field is decoded as drizzle decodes it. */
function decode(row: readonly unknown[], fields: readonly Field[]) {
  const decoded: Record<string, unknown> = {}
  for (const [at, { key, read }] of fields.entries()) decoded[key] = read && row[at] !== null ? read(row[at]) : row[at]
  return decoded
}

/** Computed fields and most columns need no conversion. */
const readerOf = (field: unknown) =>
  is(field, Column) && field.mapFromDriverValue !== Column.prototype.mapFromDriverValue
    ? (value: unknown) => field.mapFromDriverValue(value)
    : undefined

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
