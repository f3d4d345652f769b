import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { EmbeddedDatabaseError, isAlive } from './processes.ts'

/** A folder has at most one server. Tools (backup, check) may run at the same time. */
export type Role = 'server' | 'tool'

/** Session-level advisory locks. PostgreSQL releases them however the holder ends, so no stale process ids remain. */
const SERVER = '7302515, 1'
const ANYBODY = '7302515, 2'

const HOLDER = `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.classid = 7302515 and l.objid = 1 and l.granted`

export type DirectoryLock = {
  readonly client: pg.Client
  /** Releases the folder. Returns true when nobody else uses the folder and the database should stop. */
  release(): Promise<boolean>
}

export async function lockDirectory(connection: pg.ClientConfig, dataDir: string, role: Role): Promise<DirectoryLock> {
  const client = new pg.Client({ ...connection, application_name: `oms-${role} ${process.pid}` })
  client.on('error', () => {})
  await client.connect()
  try {
    if (role === 'server') await beOnlyServer(client, dataDir)
    await client.query(`select pg_advisory_lock_shared(${ANYBODY})`)
  } catch (error) {
    await client.end()
    throw error
  }
  return { client, release: () => release(client) }
}

async function release(client: pg.Client): Promise<boolean> {
  try {
    await client.query(`select pg_advisory_unlock_shared(${ANYBODY})`)
    return await ask(client, `select pg_try_advisory_lock(${ANYBODY}) as got`)
  } catch {
    return true
  } finally {
    await client.end().catch(() => {})
  }
}

async function beOnlyServer(client: pg.Client, dataDir: string) {
  for (let tries = 0; !(await ask(client, `select pg_try_advisory_lock(${SERVER}) as got`)); tries += 1) {
    const { rows } = await client.query<{ name: string }>(HOLDER)
    const pid = Number(rows[0]?.name.split(' ')[1] ?? 0)
    // PostgreSQL takes a moment to notice that a killed server's session ended.
    const isDying = pid === 0 || pid === process.pid || !isAlive(pid)
    if (!isDying || tries >= 60)
      throw new EmbeddedDatabaseError(
        `数据目录 ${dataDir} 正由另一个 OMS 服务使用（进程 ${pid}）；请先停止它，或用 DATA_DIR 换一个目录`,
      )
    await sleep(50)
  }
}

async function ask(client: pg.Client, query: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(query)
  return rows[0]?.got === true
}
