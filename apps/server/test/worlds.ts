import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '#core/database/client.ts'

/** Id of every row of the other tenant. Such rows refer only to each other. */
export const FOREIGN_ID = 9_000_001
/** Mark in every text of the other tenant. */
export const MARK = 'ZQXB'
/** Tables that all tenants share. All other tables, including new ones, are treated as tenant data. */
const SHARED = new Set([
  'agent_providers',
  'challenges',
  'device_models',
  'device_types',
  'dict_data',
  'dict_types',
  'idempotency_keys',
  'industries',
  'login_failures',
  'menus',
  'ota_versions_platform',
  'scene_device_types',
  'scene_industries',
  'scene_menus',
  'scenes',
  'schema_migrations',
  'settings',
])

interface Column extends Record<string, unknown> {
  table: string
  name: string
  type: string
  length: number | null
  required: boolean
}

/** Returns the columns of every table, with partitions counted in their parent. */
async function columnsOf(db: Db): Promise<Map<string, Column[]>> {
  const { rows } = await db.execute<Column>(sql`
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
      case when a.atttypmod > 4 and format_type(a.atttypid, null) = 'character varying' then a.atttypmod - 4 end as length,
      a.attnotnull and not a.atthasdef and a.attidentity = '' as required
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by 1, a.attnum`)
  return Map.groupBy(rows, ({ table }) => table)
}

const isKey = (name: string) => /(^|_)(id|uid|by|handler|publisher)$/.test(name)

function valueOf({ name, type, length, required }: Column): unknown {
  if (name === 'deleted_at' || name.endsWith('_hash')) return required ? sql`'\\x00'::bytea` : undefined
  if (/^(integer|bigint)$/.test(type) && isKey(name)) return FOREIGN_ID
  if (type === 'integer[]' && /(_ids|^ids)$/.test(name)) return sql`array[${FOREIGN_ID}::int]`
  if (type === 'character varying' || type === 'text') {
    const text = `${MARK}${name.replaceAll('_', '')}`
    return length ? text.slice(0, length) : text
  }
  if (!required) return undefined
  if (/^(integer|bigint|smallint|double precision|numeric|real)$/.test(type)) return 1
  if (type.startsWith('timestamp')) return sql`now()`
  if (type === 'date') return sql`current_date`
  if (type === 'uuid') return sql`gen_random_uuid()`
  if (type === 'boolean') return false
  if (type === 'bytea') return sql`'\\x00'::bytea`
  if (type === 'jsonb') return sql`'{}'::jsonb`
  if (type.endsWith('[]')) return sql`'{}'`
  return undefined
}

/**
 * Drops check constraints; partitions lose theirs with the parent. The rows only need to exist and belong to a tenant;
 * other tests cover valid states.
 */
async function dropChecks(db: Db) {
  const { rows } = await db.execute<{ table: string; name: string }>(
    sql`select conrelid::regclass::text as table, conname as name from pg_constraint where contype = 'c' and coninhcount = 0 and connamespace = 'public'::regnamespace`,
  )
  for (const { table, name } of rows)
    await db.execute(sql`alter table ${sql.identifier(table)} drop constraint ${sql.identifier(name)}`)
}

/** Inserts one row of the other tenant into every table with tenant data. Returns the tables. */
export async function insertForeignRows(db: Db): Promise<string[]> {
  await dropChecks(db)
  const tables = await columnsOf(db)
  for (const [table, columns] of tables) {
    if (SHARED.has(table)) continue
    const given = columns.flatMap((column) => {
      const value = valueOf(column)
      return value === undefined ? [] : [{ name: column.name, value }]
    })
    const names = sql.join(
      given.map(({ name }) => sql.identifier(name)),
      sql`, `,
    )
    const values = sql.join(
      given.map(({ value }) => (typeof value === 'object' ? (value as ReturnType<typeof sql>) : sql`${value}`)),
      sql`, `,
    )
    await db.execute(sql`insert into ${sql.identifier(table)} (${names}) values (${values})`)
  }
  return [...tables.keys()].filter((table) => !SHARED.has(table))
}

/** Returns the rows of the other tenant as texts for comparison. */
export async function foreignRows(db: Db, tables: readonly string[]) {
  const found: Record<string, string> = {}
  for (const table of tables) {
    const { rows } = await db.execute<{ all: string | null }>(
      sql`select string_agg(t::text, '|' order by t::text) as all from ${sql.identifier(table)} t where t::text like ${`%${FOREIGN_ID}%`} or t::text like ${`%${MARK}%`}`,
    )
    found[table] = rows[0]?.all ?? ''
  }
  return found
}

/** Returns tables with a tenant column and without row-level security. */
export async function tablesWithoutRowSecurity(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not c.relrowsecurity
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)
    order by 1`)
  return rows.map(({ name }) => name)
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const schemaOf = ({ input }: Endpoint) => z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema

const ID_FIELD = /(^|[a-z])(id|Id|uid|Uid|ids|Ids|uids|Uids)$/

/** Returns a sample value of the schema. Ids are ids of the other tenant. */
function sampleValue(name: string, schema: Schema): unknown {
  const { type, enum: values, const: only, anyOf, items, properties, required = [] } = schema
  if (/(ids|Ids|uids|Uids)$/.test(name)) return [FOREIGN_ID]
  if (ID_FIELD.test(name)) return FOREIGN_ID
  if (only !== undefined) return only
  if (values?.length) return values[0]
  if (anyOf?.[0]) return sampleValue(name, anyOf[0])
  if (type === 'array') return items ? [sampleValue(name.replace(/s$/, ''), items)] : [FOREIGN_ID]
  if (type === 'object')
    return Object.fromEntries(required.map((key) => [key, sampleValue(key, properties?.[key] ?? {})]))
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  return /time|date/i.test(name) ? '2030-01-01 00:00:00' : MARK.toLowerCase()
}

/** Returns inputs of one call that refer to the other tenant: the required fields, then each further id. */
export function reachingInputs(endpoint: Endpoint): Record<string, unknown>[] {
  const { properties = {}, required = [] } = schemaOf(endpoint)
  const inPath = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
  const needed = [...new Set([...required, ...inPath])]
  const base = Object.fromEntries(needed.map((name) => [name, sampleValue(name, properties[name] ?? {})]))
  const besides = Object.keys(properties).filter((name) => ID_FIELD.test(name) && !needed.includes(name))
  return [base, ...besides.map((name) => ({ ...base, [name]: sampleValue(name, properties[name] ?? {}) }))]
}

/** Returns path, query and body of a request for this input. */
export function requestOf({ method, path }: Endpoint, input: Readonly<Record<string, unknown>>) {
  const used = new Set<string>()
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    used.add(name)
    return encodeURIComponent(String(input[name]))
  })
  const rest = Object.entries(input).filter(([name]) => !used.has(name))
  if (method === 'POST' || method === 'PUT') return { method, url, payload: Object.fromEntries(rest) }
  const query = new URLSearchParams()
  for (const [name, value] of rest) for (const each of [value].flat()) query.append(name, String(each))
  return { method, url: query.size > 0 ? `${url}?${query}` : url }
}
