import { DICT_SEED, RETIRED_DICTS } from '@oms/contract/dict/dict-seed.ts'
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
 * Adds missing shipped dictionaries and entries. Corrects shipped words of earlier versions unless a user edited them.
 * Removes retired dictionaries. Keeps an administrator's changes of name, colour, order and status. A lock serialises
 * simultaneous starts of two servers. Returns whether anything changed.
 */
export async function syncDicts(db: Db): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${LOCK}))`)
    const types = await addTypes(tx)
    const grown = [...(await correctEntries(tx)), ...(await addEntries(tx))]
    if (grown.length > 0)
      await tx.execute(sql`update dict_types set version = version + 1
        where deleted_at is null and dict_type in ${[...new Set(grown)]}`)
    return (await retireTypes(tx)) > 0 || types > 0 || grown.length > 0
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

/** Shipped entries of earlier versions whose labels did not match the meaning of their codes. */
const FORMER = [
  { type: 'license_type', value: '3', label: '自研', list_class: 'default' },
  { type: 'license_status', value: '0', label: '未绑定', list_class: 'default' },
  { type: 'license_status', value: '0', label: '库存', list_class: 'default' },
  { type: 'license_status', value: '1', label: '已绑定', list_class: 'success' },
  { type: 'license_status', value: '2', label: '已暂停', list_class: 'warning' },
  { type: 'license_status', value: '3', label: '已吊销', list_class: 'danger' },
  { type: 'apply_status', value: '0', label: '待审核', list_class: 'warning' },
  { type: 'apply_status', value: '2', label: '已拒绝', list_class: 'danger' },
  { type: 'ad_audit_status', value: '1', label: '待审批', list_class: 'warning' },
  { type: 'sys_oper_type', value: '7', label: '强退', list_class: 'danger' },
  { type: 'oss_order_status', value: '2', label: '已到期', list_class: 'default' },
  { type: 'program_status', value: '3', label: '播放中', list_class: 'success' },
  { type: 'program_play_mode', value: '4', label: '加权', list_class: 'default' },
]

/** Replaces unedited shipped entries of earlier versions with the current words and colours. Returns their types. */
async function correctEntries(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ type: string }>(sql`
    update dict_data d set dict_label = s.label, list_class = s.list_class, dict_sort = s.sort, rev = d.rev + 1
    from json_to_recordset(${JSON.stringify(FORMER)}::json)
        as f(type text, value text, label text, list_class text)
      join json_to_recordset(${JSON.stringify(seedRows())}::json)
        as s(type text, value text, label text, list_class text, sort int) using (type, value)
    where d.dict_type = f.type and d.dict_value = f.value and d.is_builtin = 1 and d.deleted_at is null
      and d.dict_label = f.label and d.list_class = f.list_class and d.update_by is null
    returning d.dict_type as type`)
  return rows.map(({ type }) => type)
}

/**
 * Deletes retired dictionaries that nobody edited. An edited one becomes an ordinary dictionary, which an
 * administrator can delete. Returns the number of changed types.
 */
async function retireTypes(db: Db): Promise<number> {
  const { rows } = await db.execute<{ type: string }>(sql`
    update dict_types t set is_builtin = 0, deleted_at = case when t.update_by is null and not exists
        (select from dict_data d where d.dict_type = t.dict_type and d.deleted_at is null
          and (d.is_builtin = 0 or d.update_by is not null)) then now() end
    where dict_type in ${[...RETIRED_DICTS]} and is_builtin = 1 and deleted_at is null
    returning dict_type as type`)
  if (rows.length > 0)
    await db.execute(sql`
      update dict_data d set is_builtin = 0, deleted_at =
        (select t.deleted_at from dict_types t where t.dict_type = d.dict_type order by t.dict_id desc limit 1)
      where d.dict_type in ${rows.map(({ type }) => type)} and d.is_builtin = 1 and d.deleted_at is null`)
  return rows.length
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
