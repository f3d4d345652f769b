import pg from 'pg'

export type Table = { readonly name: string; readonly columns: string[] }

export const quoteIdentifier = (name: string) => pg.escapeIdentifier(name)

/** Opens a session without time limits and with fixed output formats. */
export async function openSession(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  await client.query(
    `set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
     set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1;
     set row_security = off; set synchronize_seqscans = off; set max_parallel_workers_per_gather = 0`,
  )
  return client
}

/** Table in the target of a restore that lists the rows and files added so far. */
export const RESTORE_TABLE = 'restore_in_progress'

/** Returns every table with its own rows. Rows of partitions are read through their parent. */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, coalesce(json_agg(a.attname order by a.attnum)
        filter (where a.attnum > 0 and not a.attisdropped and a.attgenerated = ''), '[]') as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not in ('schema_migrations', $1)
     group by c.relname order by c.relname`,
    [RESTORE_TABLE],
  )
  return rows
}

export async function listPartitions(client: pg.ClientBase) {
  const { rows } = await client.query<{ name: string; parent: string; bound: string }>(
    `select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
     from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relispartition order by c.relname`,
  )
  return rows
}

/**
 * Returns the values of all sequences. Read after the rows: sequences do not belong to a snapshot, and larger values do
 * no harm.
 */
export async function readSequences(client: pg.ClientBase) {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by 1`,
  )
  const sequences: { name: string; value: string; called: boolean }[] = []
  for (const { name } of rows) {
    const state = await client.query<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoteIdentifier(name)}`,
    )
    sequences.push(...state.rows.map((row) => ({ name, ...row })))
  }
  return sequences
}

export async function hasTable(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    `public.${quoteIdentifier(name)}`,
  ])
  return rows[0]?.found === true
}
