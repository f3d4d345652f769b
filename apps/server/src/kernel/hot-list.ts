import { createHash } from 'node:crypto'
import { MAX_ROWS } from '@oms/contract/kernel/page.ts'
import { Column, is, Param, Placeholder, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgSelect } from 'drizzle-orm/pg-core'
import type { Database, Db } from '#db/client.ts'
import type { Pipeline } from '#db/pipeline.ts'
import type { NameKind, NameOf, Names } from './names.ts'
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
interface Parts {
  readonly database: Database
  readonly pipeline: Pipeline
  readonly names: Names
}
interface Shape {
  readonly rows: Statement
  readonly fresh: Statement
  readonly capped: Statement
  readonly plan: Statement
  readonly decode: (row: unknown[]) => Record<string, unknown>
  /** Where in a row the id stands and where the name goes, behind all that was read. */
  readonly names: readonly { readonly kind: NameKind; readonly from: number; readonly to: number }[]
}

/** How one shape of a list is read. */
export interface HotQuery<Q extends PgSelect, F extends string = never> {
  /** What each row shows, with neither filter nor order. */
  readonly select: () => Q
  readonly key: PgColumn
  readonly where: SQL | undefined
  readonly order: SQL[]
  /**
   * Names each row shows beside an id of its own. With them `select` has to read one table alone, and a first page is
   * read in one go; otherwise the keys of a page are read first, so that skipped rows cost an index entry each.
   */
  readonly names?: Readonly<Record<F, NameOf>>
}

/**
 * Pages of the largest tables at a fraction of the cost of `paginate`: the query is built once per shape (which filters
 * are set, how it is sorted), runs as a named prepared statement, and totals beyond 1,000 are kept for five seconds with
 * one count under way per filter. Not for accounts behind the tenant wall: their reads need a transaction of their own.
 */
export class HotLists {
  readonly #database: Database
  readonly #pipeline: Pipeline
  readonly #names: Names
  readonly #shapes = new Map<string, Shape>()
  readonly #picks = new Map<string, Pick<Shape, 'rows' | 'decode'>>()
  readonly #totals = new Map<string, { at: number; total: Promise<Total> }>()

  constructor({ database, pipeline, names }: Parts) {
    this.#database = database
    this.#pipeline = pipeline
    this.#names = names
  }

  /**
   * `shape` names the query made with `sql.placeholder`s for `values`; the same shape must always mean the same text.
   */
  async page<Q extends PgSelect, F extends string = never>(
    shape: string,
    query: () => HotQuery<Q, F>,
    values: Values,
    page: Page,
  ) {
    const offset = offsetOf(page)
    const prepared = this.#shapeOf(`${shape} ${page.pageSize} ${offset}`, query, { limit: page.pageSize, offset })
    const [list, total] = await Promise.all([
      this.#rowsOf(prepared, values, offset),
      this.#totalOf(shape, prepared, values),
    ])
    return { list: list as unknown as (Awaited<Q>[number] & Record<F, string>)[], ...total }
  }

  /** The rows with these keys, in their order: a page that was found some other way. */
  async among<Q extends PgSelect>(
    shape: string,
    query: () => Pick<HotQuery<Q>, 'select' | 'key' | 'order'>,
    ids: readonly number[],
  ) {
    if (ids.length === 0) return []
    const made = this.#picks.get(shape) ?? pickOf(query())
    this.#picks.set(shape, made)
    const rows = await this.#pipeline.rows(named(made.rows, { ids }))
    return rows.map(made.decode) as unknown as Awaited<Q>[number][]
  }

  /** Each connection keeps the statements of first pages; those of later ones are too many, and rare. */
  async #rowsOf({ rows, decode, names }: Shape, values: Values, offset: number) {
    const { name, text } = rows
    const statement = { name, text, values: rows.valuesOf(values) }
    const found =
      offset === 0
        ? await this.#pipeline.rows(statement)
        : (await this.#database.pool.query<unknown[]>({ ...statement, name: undefined, rowMode: 'array' })).rows
    for (const { kind, ...places } of names) await this.#names.put(found, kind, places)
    return found.map(decode)
  }

  #shapeOf(shape: string, query: () => HotQuery<PgSelect, string>, cut: Cut): Shape {
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
    const { rows } = await this.#database.pool.query<{ n: number }>(named(statement, values))
    return rows[0]?.n ?? 0
  }
}

const named = ({ name, text, valuesOf }: Statement, values: Values) => ({ name, text, values: valuesOf(values) })

/**
 * Limit and offset stand in the text as numbers: of a parameter the planner would assume a tenth of the table, and read
 * it whole.
 */
interface Cut {
  readonly limit: number
  readonly offset: number
}

function shapeOf(
  db: Db,
  { select, key, where, order, names }: HotQuery<PgSelect, string>,
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
    decode: decoderOf([...fields, ...named.map(([key]) => ({ key, read: undefined }))]),
    names: named.map(([, { id, kind }], index) => ({
      kind,
      from: fields.findIndex(({ key }) => key === id),
      to: fields.length + index,
    })),
  }
}

function pickOf({
  select,
  key,
  order,
}: Pick<HotQuery<PgSelect>, 'select' | 'key' | 'order'>): Pick<Shape, 'rows' | 'decode'> {
  const rows = select()
  const { sql: text, params } = rows
    .where(sql`${key} = any(${sql.placeholder('ids')})`)
    .orderBy(...order)
    .toSQL()
  return { rows: statementOf(text, params), decode: decoderOf(fieldsOf(rows)) }
}

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

interface Field {
  readonly key: string
  readonly read: ((value: unknown) => unknown) | undefined
}

const fieldsOf = (query: PgSelect): Field[] =>
  Object.entries(query._.selectedFields as Record<string, unknown>).map(([key, field]) => ({
    key,
    read: readerOf(field),
  }))

type Decode = (row: unknown[]) => Record<string, unknown>

/**
 * Rows come as arrays in the order of the selection; each field is read as drizzle itself would read it. Compiled, as
 * fast-json-stringify is: filling twenty rows field by field costs more than reading them from the socket. The names of
 * fields are those of the query's source text, never a caller's.
 */
function decoderOf(fields: readonly Field[]): Decode {
  const parts = fields.map(({ key, read }, at) => {
    const value = read ? `row[${at}] === null ? null : readers[${at}](row[${at}])` : `row[${at}]`
    return `${JSON.stringify(key)}: ${value}`
  })
  const readers = fields.map(({ read }) => read)
  return new Function('readers', `return (row) => ({ ${parts.join(', ')} })`)(readers) as Decode
}

/** Computed fields come as the driver read them, and most columns too. */
const readerOf = (field: unknown) =>
  is(field, Column) && field.mapFromDriverValue !== Column.prototype.mapFromDriverValue
    ? (value: unknown) => field.mapFromDriverValue(value)
    : undefined
