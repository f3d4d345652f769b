import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/** Rows without a tenant column belong to the tenant of the row they point to: `[table, column, parent, parent key]`. */
const OWNED_BY_PARENT = [
  ['device_attributes', 'device_id', 'devices', 'id'],
  ['device_versions', 'device_id', 'devices', 'id'],
  ['device_packages', 'device_id', 'devices', 'id'],
  ['device_group_members', 'device_id', 'devices', 'id'],
  ['ota_whites', 'device_id', 'devices', 'id'],
  ['ota_task_logs', 'task_id', 'ota_tasks', 'task_id'],
  ['notice_reads', 'uid', 'accounts', 'uid'],
  ['account_roles', 'uid', 'accounts', 'uid'],
  ['ticket_records', 'ticket_id', 'tickets', 'id'],
  ['ticket_viewers', 'ticket_id', 'tickets', 'id'],
] as const

/** Record types of the operation log whose id belongs to a tenant's row: `[bizType, table, key]`. */
const LOGGED = [
  ['account', 'accounts', 'uid'],
  ['role', 'roles', 'id'],
  ['userApply', 'user_applications', 'id'],
  ['appAccount', 'app_accounts', 'uid'],
  ['device', 'devices', 'id'],
  ['deviceGroup', 'device_groups', 'id'],
  ['ticket', 'tickets', 'id'],
  ['license-grant', 'license_grants', 'id'],
  ['entitlement', 'oss_entitlements', 'id'],
  ['storageConsent', 'oss_consents', 'id'],
  ['appKey', 'oss_app_keys', 'id'],
  ['storageAllowance', 'oss_allowances', 'id'],
  ['storageOrder', 'oss_orders', 'id'],
  ['storageHook', 'oss_hooks', 'id'],
  ['storageCardBatch', 'oss_card_batches', 'id'],
  ['storageGrantFile', 'oss_grant_files', 'id'],
  ['ad', 'ads', 'id'],
] as const

interface Column extends Record<string, unknown> {
  readonly table: string
  readonly name: string
  readonly type: string
}

async function columnsOf(db: Db): Promise<Map<string, Column[]>> {
  const { rows } = await db.execute<Column>(sql`
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attgenerated = '' order by 1, 2`)
  return Map.groupBy(rows, ({ table }) => table)
}

/** Conditions that select the rows of tenants outside `tenantIds`, by table. */
export async function foreignConditions(db: Db, tenantIds: readonly number[]): Promise<Map<string, SQL>> {
  const columns = await columnsOf(db)
  const has = (table: string, name: string) => columns.get(table)?.some((column) => column.name === name)
  const outside = sql`(tenant_id > 0 and tenant_id <> all(${sql.param([...tenantIds])}::int[]))`
  const found = new Map<string, SQL>([['tenants', sql`id <> all(${sql.param([...tenantIds])}::int[])`]])
  for (const table of columns.keys()) if (has(table, 'tenant_id')) found.set(table, outside)
  for (const [table, column, parent, key] of OWNED_BY_PARENT) {
    if (!has(table, column) || !has(parent, key)) throw new Error(`no ${table}.${column} of ${parent}.${key}`)
    const parents = sql`select ${sql.identifier(key)} from ${sql.identifier(parent)} where ${outside}`
    found.set(table, sql`${sql.identifier(column)} in (${parents})`)
  }
  const ids = sql`select id::text from tenants where id <> all(${sql.param([...tenantIds])}::int[])`
  const recorded = LOGGED.map(
    ([bizType, table, key]) => sql`biz_type = ${bizType} and biz_id in
      (select ${sql.identifier(key)}::text from ${sql.identifier(table)} where ${outside})`,
  )
  const logged = sql.join([outside, sql`biz_type = 'tenant' and biz_id in (${ids})`, ...recorded], sql` or `)
  found.set('oper_logs', sql`(${logged})`)
  return found
}

const isKey = (name: string) => /(^|_)(id|ids|uid|uids|by|handler|publisher|hash|key)$/.test(name)

/** Returns a changed value for a column; undefined for keys and for types without a number or text. */
function changed({ name, type }: Column): SQL | undefined {
  const column = sql.identifier(name)
  if (isKey(name) || name === 'deleted_at' || name === 'biz_type') return undefined
  if (type === 'character varying' || type === 'text')
    return sql`left('ZQ' || ${column}, greatest(length(${column}), 2))`
  if (type === 'boolean') return sql`not ${column}`
  if (/^(integer|bigint|smallint|double precision|numeric|real)$/.test(type)) return sql`${column} + 1`
  if (type.startsWith('timestamp')) return sql`${column} - interval '3 hours 7 minutes'`
  return undefined
}

/** Drops constraints that would refuse rewritten rows. Other tests cover valid states. */
async function dropConstraints(db: Db) {
  const { rows } = await db.execute<{ table: string; name: string }>(sql`
    select conrelid::regclass::text as table, conname as name from pg_constraint
    where contype in ('c', 'f') and connamespace = 'public'::regnamespace and coninhcount = 0`)
  for (const { table, name } of rows)
    await db.execute(sql`alter table ${sql.raw(table)} drop constraint if exists ${sql.identifier(name)} cascade`)
}

/** Changes all texts, numbers, states and times of the selected rows. Returns the number of rewritten rows. */
export async function rewriteRows(db: Db, conditions: ReadonlyMap<string, SQL>): Promise<number> {
  await dropConstraints(db)
  const columns = await columnsOf(db)
  let rewritten = 0
  for (const [table, condition] of [...conditions].toReversed()) {
    let most = 0
    for (const column of columns.get(table) ?? []) {
      const value = changed(column)
      if (!value) continue
      const change = sql`update ${sql.identifier(table)} set ${sql.identifier(column.name)} = ${value} where ${condition}`
      // A unique index or a partition may refuse one column. The other columns still change.
      const done = await db.execute(change).catch(() => undefined)
      most = Math.max(most, done?.rowCount ?? 0)
    }
    rewritten += most
  }
  return rewritten
}

/** Deletes the selected rows, children first. Returns their number. */
export async function deleteRows(db: Db, conditions: ReadonlyMap<string, SQL>): Promise<number> {
  let deleted = 0
  const children = new Set<string>([...OWNED_BY_PARENT.map(([table]) => table), 'oper_logs'])
  const order = [...conditions].toSorted(([a], [b]) => Number(children.has(b)) - Number(children.has(a)))
  for (const [table, condition] of order)
    if (table !== 'tenants') {
      // Triggers of append-only tables refuse the deletion.
      const done = await db.execute(sql`delete from ${sql.identifier(table)} where ${condition}`).catch(() => undefined)
      deleted += done?.rowCount ?? 0
    }
  return deleted
}
