import { DICT_SEED } from '@oms/contract/system/dict-seed.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

const LOCK = 'oms dicts'
const STEP = 10

interface SeedRow {
  type: string
  value: string
  label: string
  list_class: string
  is_default: 'Y' | 'N'
  sort: number
}

/**
 * Adds missing shipped dictionaries and entries. Keeps an administrator's changes of name, colour, order and status. A
 * lock serialises simultaneous starts of two servers. Returns whether anything changed.
 */
export async function syncDicts(db: Db): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`)
    const types = await addTypes(tx)
    const grown = await addEntries(tx)
    if (grown.length > 0)
      await tx.execute(sql`update dict_types set version = version + 1
        where deleted_at is null and dict_type in ${[...new Set(grown)]}`)
    return types > 0 || grown.length > 0
  })
}

async function addTypes(db: Db) {
  const types = DICT_SEED.map(({ type, name }) => ({ type, name }))
  const { rowCount } = await db.execute(sql`
    insert into dict_types (dict_name, dict_type, is_builtin)
    select name, type, 1 from json_to_recordset(${JSON.stringify(types)}::json) as s(name text, type text)
    on conflict (dict_type) where deleted_at is null do update set is_builtin = 1 where dict_types.is_builtin = 0`)
  return rowCount ?? 0
}

/** An entry that an administrator added with the same value becomes the built-in entry and keeps its appearance. */
async function addEntries(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ type: string }>(sql`
    insert into dict_data as d (dict_type, dict_value, dict_label, list_class, is_default, dict_sort, is_builtin)
    select s.type, s.value, s.label, s.list_class,
      case when exists (select from dict_data o where o.dict_type = s.type and o.is_default = 'Y'
        and o.deleted_at is null) then 'N' else s.is_default end, s.sort, 1
    from json_to_recordset(${JSON.stringify(seedRows())}::json)
      as s(type text, value text, label text, list_class text, is_default text, sort int)
    on conflict (dict_type, dict_value) where deleted_at is null
      do update set is_builtin = 1 where d.is_builtin = 0
    returning dict_type as type`)
  return rows.map(({ type }) => type)
}

const seedRows = (): SeedRow[] =>
  DICT_SEED.flatMap(({ type, entries, standard }) =>
    entries.map(([value, label, listClass = 'default'], place) => ({
      type,
      value,
      label,
      list_class: listClass,
      is_default: value === standard ? 'Y' : 'N',
      sort: (place + 1) * STEP,
    })),
  )
