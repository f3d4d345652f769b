import { createHash } from 'node:crypto'
import { MAX_ROWS } from '@oms/contract/kernel/page.ts'
import { Column, is, Param, Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgSelect } from 'drizzle-orm/pg-core'
import type pg from 'pg'
import { offsetOf } from './query.ts'

/** Totals up to here are counted afresh every time: cheap, and a person who has just added a row sees it counted. */
const FRESH_UP_TO = 1000
const TOTAL_MS = 5000
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
interface Shape {
  readonly rows: Statement
  readonly fresh: Statement
  readonly capped: Statement
  readonly plan: Statement
  readonly decode: (row: unknown[]) => Record<string, unknown>
}

/** How one shape of a list is read: first the keys of the page, then its rows. */
export interface HotQuery<K extends PgSelect, Q extends PgSelect> {
  /** Selects the key alone, filtered and ordered, so that skipped rows cost an index entry each and nothing else. */
  readonly keys: () => K
  /** The rows of those keys, in the same order; `page` is the sub-select of the keys. */
  readonly rows: (page: SQL) => Q
}

/**
 * Pages of the largest tables at a fraction of the cost of `paginate`: the query is built once per shape (which filters
 * are set, how it is sorted), runs as a named prepared statement, and totals beyond 1,000 are kept for five seconds with
 * one count under way per filter. Not for accounts behind the tenant wall: their reads need a transaction of their own.
 */
export class HotLists {
  readonly #pool: pg.Pool
  readonly #shapes = new Map<string, Shape>()
  readonly #totals = new Map<string, { at: number; total: Promise<Total> }>()

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /**
   * `shape` names the query made with `sql.placeholder`s for `values`; the same shape must always mean the same text.
   */
  async page<K extends PgSelect, Q extends PgSelect>(shape: string, query: HotQuery<K, Q>, values: Values, page: Page) {
    const offset = offsetOf(page)
    const prepared = this.#shapeOf(`${shape} ${page.pageSize} ${offset}`, { ...query, limit: page.pageSize, offset })
    const { text, valuesOf, name } = prepared.rows
    // Each connection keeps the statements of first pages; those of later ones are too many, and rare.
    const statement = { ...(offset === 0 && { name }), text, values: valuesOf(values), rowMode: 'array' as const }
    const [{ rows }, total] = await Promise.all([
      this.#pool.query<unknown[]>(statement),
      this.#totalOf(shape, prepared, values),
    ])
    return { list: rows.map(prepared.decode) as Awaited<Q>, ...total }
  }

  #shapeOf(shape: string, query: Cut): Shape {
    const known = this.#shapes.get(shape)
    if (known) return known
    if (this.#shapes.size >= MAX_SHAPES) this.#shapes.clear()
    const made = shapeOf(query)
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
    const { rows } = await this.#pool.query<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>(
      plan.text,
      plan.valuesOf(values),
    )
    const planned = rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
    return { total: Math.max(Math.round(planned), MAX_ROWS + 1), totalIsEstimate: true }
  }

  async #number(statement: Statement, values: Values) {
    const { rows } = await this.#pool.query<{ n: number }>(named(statement, values))
    return rows[0]?.n ?? 0
  }
}

const named = ({ name, text, valuesOf }: Statement, values: Values) => ({ name, text, values: valuesOf(values) })

/**
 * Limit and offset stand in the text as numbers: of a parameter the planner would assume a tenth of the table, and read
 * it whole.
 */
type Cut = HotQuery<PgSelect, PgSelect> & { readonly limit: number; readonly offset: number }

function shapeOf({ keys, rows, limit, offset }: Cut): Shape {
  const { sql: text, params } = keys().toSQL()
  const bare = withoutOrder(text)
  const page = sql`(${keys().getSQL()} limit ${sql.raw(String(limit))} offset ${sql.raw(String(offset))})`
  const query = rows(page)
  const whole = query.toSQL()
  return {
    rows: statementOf(whole.sql, whole.params),
    fresh: statementOf(`select count(*)::int as n from (${bare} limit ${FRESH_UP_TO + 1}) counted`, params),
    capped: statementOf(`select count(*)::int as n from (${bare} limit ${MAX_ROWS + 1}) counted`, params),
    plan: statementOf(`explain (format json) ${bare}`, params),
    decode: decoderOf(query),
  }
}

/** Counting needs no order; ours is always the last clause. */
const withoutOrder = (text: string) => text.replace(/ order by (?:(?! order by )[\s\S])*$/, '')

function statementOf(text: string, params: readonly unknown[]): Statement {
  const name = `hot-${createHash('sha1').update(text).digest('hex').slice(0, 20)}`
  const readers = params.map((param) => {
    if (is(param, Placeholder)) return (values: Values) => values[param.name] ?? null
    // A value compared with a column is wrapped with the column's own encoder.
    if (is(param, Param) && is(param.value, Placeholder)) {
      const { value, encoder } = param
      return (values: Values) => encoder.mapToDriverValue(values[value.name])
    }
    return () => param
  })
  return { name, text, valuesOf: (values) => readers.map((read) => read(values)) }
}

/** Rows come as arrays in the order of the selection; each field is read as drizzle itself would read it. */
function decoderOf(query: PgSelect) {
  const fields = Object.entries(query._.selectedFields as Record<string, unknown>).map(([key, field]) => ({
    key,
    read: readerOf(field),
  }))
  return (row: unknown[]) => {
    const decoded: Record<string, unknown> = {}
    for (let i = 0; i < fields.length; i++) {
      const { key, read } = fields[i] as (typeof fields)[number]
      const value = row[i]
      decoded[key] = value === null || read === undefined ? value : read(value)
    }
    return decoded
  }
}

/** Computed fields come as the driver read them. */
const readerOf = (field: unknown) =>
  is(field, Column) ? (value: unknown) => field.mapFromDriverValue(value) : undefined
