import type pg from 'pg'

/** The schema that holds the tables of the job queue (pg-boss). Backups leave it out: jobs are queued again from `jobs`. */
export const QUEUE_SCHEMA = 'pgboss'
/** Schema version of the installed pg-boss release. A test compares the number with the library. */
export const QUEUE_VERSION = 46

/** The queue's tables cannot be installed. The message is the complete line that the operator sees. */
export class QueueSchemaError extends Error {
  override name = 'QueueSchemaError'
}

type Client = Pick<pg.Client, 'query'>

/** Creates or upgrades the queue's tables. The caller holds the migration lock. */
export async function installQueue(client: Client): Promise<void> {
  const installed = await installedVersion(client)
  if (installed === QUEUE_VERSION) return
  if (installed !== undefined && installed > QUEUE_VERSION)
    throw new QueueSchemaError(`任务队列的表比程序新（${installed}，程序只到 ${QUEUE_VERSION}）；请升级程序后再启动`)
  const { getConstructionPlans, getMigrationPlans } = await import('pg-boss')
  if (installed !== undefined) await client.query(getMigrationPlans(QUEUE_SCHEMA, installed))
  else await client.query(getConstructionPlans(QUEUE_SCHEMA, { createSchema: !(await hasSchema(client)) }))
}

/** Returns true when the queue's tables have the version of this program. */
export const isQueueCurrent = async (client: Client) => (await installedVersion(client)) === QUEUE_VERSION

async function installedVersion(client: Client): Promise<number | undefined> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `select to_regclass('${QUEUE_SCHEMA}.version') is not null as found`,
  )
  if (!tables[0]?.found) return undefined
  const { rows } = await client.query<{ version: number }>(`select version from ${QUEUE_SCHEMA}.version`)
  return rows[0]?.version
}

/**
 * Returns true when the schema exists. A role without the right to create schemas needs an administrator to create it.
 */
async function hasSchema(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean; mayCreate: boolean; role: string }>(
    `select to_regnamespace('${QUEUE_SCHEMA}') is not null as found, quote_ident(current_user) as role,
       has_database_privilege(current_database(), 'create') as "mayCreate"`,
  )
  const { found = false, mayCreate = false, role = '' } = rows[0] ?? {}
  if (!found && !mayCreate)
    throw new QueueSchemaError(
      `数据库账号不能创建任务队列的架构，请由数据库管理员执行 create schema ${QUEUE_SCHEMA} authorization ${role}`,
    )
  return found
}
