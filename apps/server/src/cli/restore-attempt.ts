import { existsSync } from 'node:fs'
import { copyFile, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type pg from 'pg'
import { makeDirectory } from '#core/storage/local/local-files.ts'
import type { FileStore } from '#core/storage/store.ts'
import { hasTable, openSession, quoteIdentifier, RESTORE_TABLE, listTables } from './catalog.ts'
import { CommandError } from './command.ts'

export type RestoreTarget = {
  readonly connection: pg.ClientConfig
  readonly files: FileStore
  /** Path of `secret.key`; undefined when the operator sets `OMS_SECRET_KEY`. */
  readonly secretKeyFile?: string | undefined
}

type Addition = { readonly kind: 'schema' | 'key' | 'file'; readonly name: string }

/** Records what a restore adds to the target, so that a failure can remove it. */
export type RestoreAttempt = {
  addKey(from: string, to: string): Promise<void>
  /** Records a file before it is stored. */
  announceFile(sha256: string): Promise<void>
  undo(): Promise<void>
  close(): Promise<void>
}

/**
 * Refuses a target in use and removes remains of a killed restore. A table of the target lists the additions until the
 * rows are committed, so that the next restore can remove them.
 */
export async function beginRestore({ connection, files }: RestoreTarget): Promise<RestoreAttempt> {
  const client = await openSession(connection)
  try {
    await assertNoRows(client)
    if (await hasTable(client, RESTORE_TABLE)) await removeAdditions(client, files, await recordedAdditions(client))
    await assertNoFiles(files)
    const hadSchema = await hasTable(client, 'schema_migrations')
    await client.query(`create table ${RESTORE_TABLE} (kind text not null, name text not null)`)
    const additions: Addition[] = []
    const record = async (kind: Addition['kind'], name: string) => {
      additions.push({ kind, name })
      await client.query(`insert into ${RESTORE_TABLE} values ($1, $2)`, [kind, name])
    }
    if (!hadSchema) await record('schema', 'public')
    return {
      async addKey(from, to) {
        if (!existsSync(to)) await record('key', to)
        await copyKey(from, to)
      },
      announceFile: (sha256) => record('file', sha256),
      undo: () => removeAdditions(client, files, additions),
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

async function recordedAdditions(client: pg.Client) {
  return (await client.query<Addition>(`select kind, name from ${RESTORE_TABLE}`)).rows
}

async function assertNoRows(client: pg.Client) {
  for (const { name } of await listTables(client)) {
    const { rows } = await client.query<{ used: boolean }>(
      `select exists (select from ${quoteIdentifier(name)}) as used`,
    )
    if (rows[0]?.used) throw new CommandError(`目标数据库不是空的（表 ${name} 里有数据），恢复只能到空的数据目录`)
  }
}

async function assertNoFiles(files: FileStore) {
  for await (const { sha256 } of files.list())
    throw new CommandError(`目标文件库不是空的（有文件 ${sha256}），恢复只能到空的数据目录`)
}

async function copyKey(from: string, to: string) {
  const restored = await readFile(from, 'utf8')
  const present = await readFile(to, 'utf8').catch(() => restored)
  if (present !== restored) throw new CommandError(`${to} 与备份的密钥不同，恢复只能到空的数据目录`)
  makeDirectory(dirname(to))
  await copyFile(from, to)
}

async function removeAdditions(client: pg.Client, files: FileStore, additions: readonly Addition[]) {
  for (const { kind, name } of additions) {
    if (kind === 'file') await files.remove(name)
    if (kind === 'key') await rm(name, { force: true })
  }
  if (additions.some(({ kind }) => kind === 'schema')) await dropSchemaObjects(client)
  else await emptyTables(client)
  await client.query(`drop table if exists ${RESTORE_TABLE}`)
}

/**
 * Deletes rows that remain when a migration failed after the rows were committed. The tables were empty before the
 * restore.
 */
async function emptyTables(client: pg.Client) {
  const names = (await listTables(client)).map(({ name }) => quoteIdentifier(name))
  if (names.length === 0) return
  await client.query('begin')
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  await client.query(`truncate ${names.join(', ')}`)
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
  await client.query('commit')
}

/**
 * Drops tables, functions, types and collations of the schema, but not those of extensions, which another role may own.
 * Revokes the default privileges of the schema.
 */
async function dropSchemaObjects(client: pg.Client) {
  const { rows } = await client.query<{ command: string }>(
    `with of_extension as (select classid, objid from pg_depend where deptype = 'e')
     select format('drop table if exists %s cascade', oid::regclass) as command, 1 as place from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and ('pg_class'::regclass, oid) not in (select * from of_extension)
     union all
     select format('drop sequence if exists %s cascade', oid::regclass), 2 from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'S'
     union all
     select format('drop routine if exists %s cascade', oid::regprocedure), 3 from pg_proc
     where pronamespace = 'public'::regnamespace and ('pg_proc'::regclass, oid) not in (select * from of_extension)
     union all
     select format('drop type if exists %s cascade', oid::regtype), 4 from pg_type
     where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
       and ('pg_type'::regclass, oid) not in (select * from of_extension)
     union all
     select format('drop collation if exists %s cascade', oid::regcollation), 5 from pg_collation
     where collnamespace = 'public'::regnamespace
       and ('pg_collation'::regclass, oid) not in (select * from of_extension)
     union all
     select format('alter default privileges in schema public revoke all on %s from %s',
       case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'routines' else 'types' end,
       grantee::regrole), 6
     from pg_default_acl, aclexplode(defaclacl)
     where defaclnamespace = 'public'::regnamespace and defaclrole = (select oid from pg_roles where rolname = current_user) and grantee <> 0
     order by place`,
  )
  await client.query('begin')
  for (const { command } of rows) await client.query(command)
  await client.query('commit')
}
