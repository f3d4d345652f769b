import { createHmac } from 'node:crypto'
import type { Database } from '#core/database/client.ts'
import { ConfigError, type Config } from '#core/config/config.ts'
import type { Services } from '#core/services.ts'

/** Keys of the table `settings`. */
const SECRET_KEY_CHECK = 'secretKeyCheck'
const SIGNING_KEY_ID = 'signingKeyId'
/** Advisory lock that every running server holds shared on its LISTEN connection. */
const RUNNING = { classId: 7_302_515, objectId: 6 }
/** Advisory lock of the transaction that compares signing keys. The lock serialises starting servers. */
const COMPARING = '7302515, 7'

/**
 * Refuses a secret key other than the one that the rows of this database are encrypted with. The database keeps a check
 * value, from which the key cannot be computed. A missing `secret.key` is not created when the database has a check value.
 * Without a check value the present key is recorded, unless `isRecorded` is false.
 */
export async function assertSecretKey(
  { pool }: Pick<Database, 'pool'>,
  config: Config,
  { isRecorded = true } = {},
): Promise<void> {
  const read = async () => {
    const { rows } = await pool.query<{ value: string }>('select value from settings where key = $1', [
      SECRET_KEY_CHECK,
    ])
    return rows[0]?.value
  }
  const stored = await read()
  if (stored === undefined && !isRecorded) return
  if (stored !== undefined && !config.hasSecretKey) throw wrongSecretKey(config, '没有密钥')
  const check = createHmac('sha256', config.secretKey).update('oms secret key check').digest('hex')
  if (stored === undefined)
    await pool.query('insert into settings (key, value) values ($1, to_jsonb($2::text)) on conflict do nothing', [
      SECRET_KEY_CHECK,
      check,
    ])
  if ((stored ?? (await read())) !== check) throw wrongSecretKey(config, '密钥不同')
}

const wrongSecretKey = ({ dataDir }: Config, reason: string) =>
  new ConfigError(
    `OMS_SECRET_KEY（或 ${dataDir}/secret.key）与本安装的数据库不符（${reason}）；同一安装的所有进程须使用同一密钥，恢复的数据须使用备份时的密钥`,
  )

/**
 * Refuses a signing key that differs from the key of servers running on this database. A server that starts alone may
 * bring a new key. The caller then holds the lock of running servers.
 */
export async function assertSigningKey({ signing, database, events, log }: Services): Promise<void> {
  const keyId = signing.ownKeyId()
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(${COMPARING})`)
    const { rows } = await client.query<{ value: string | null; others: boolean }>(
      `select (select value #>> '{}' from settings where key = $1) as value,
         exists (select from pg_locks where locktype = 'advisory' and classid = $2 and objid = $3 and granted
           and database = (select oid from pg_database where datname = current_database())) as others`,
      [SIGNING_KEY_ID, RUNNING.classId, RUNNING.objectId],
    )
    const [found] = rows
    const isOther = keyId !== undefined && (found?.value ?? keyId) !== keyId
    if (isOther && found?.others)
      throw new ConfigError(
        '签名私钥与本安装正在运行的进程不同；请让所有进程的 OMS_SIGNING_KEY_FILE 指向同一私钥。更换私钥须先停止全部进程',
      )
    if (isOther) log.warn({ keyId, before: found?.value }, 'the signing key has changed')
    if (keyId !== undefined)
      await client.query(
        `insert into settings (key, value) values ($1, to_jsonb($2::text))
         on conflict (key) do update set value = excluded.value, update_time = now()`,
        [SIGNING_KEY_ID, keyId],
      )
    await events.holdLock(`${RUNNING.classId}, ${RUNNING.objectId}`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}
