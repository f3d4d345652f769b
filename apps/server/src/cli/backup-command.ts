import { join, resolve } from 'node:path'
import { readConfig } from '#core/config/config.ts'
import { openFileStore } from '#core/storage/open-store.ts'
import { assertSecretKey } from '#core/crypto/installation-keys.ts'
import { backup } from './backup.ts'
import { type Command, CommandError } from './command.ts'
import { openExistingDatabase } from './tool-database.ts'
import { parseOptions } from './arguments.ts'

const UNDEFINED_TABLE = '42P01'
/** Stores the time of a complete backup for the metric `oms_backup_timestamp_seconds`. */
const RECORD = `insert into settings (key, value) values ('lastBackup', to_jsonb(extract(epoch from now())))
  on conflict (key) do update set value = excluded.value`
const USAGE = 'backup [--out <目录>]'

export const backupCommand: Command = {
  name: 'backup',
  usage: USAGE,
  summary: '备份数据库与文件并立即验证；服务运行时也可以做',
  async run(args, { env, print }) {
    const { out } = parseOptions(args, USAGE, { out: { type: 'string' } })
    if (out === '') throw new CommandError(`--out 后请给出目录；用法：npm run oms -- ${USAGE}`)
    const config = readConfig(env)
    const stamp = new Date().toISOString().replaceAll(/[-:]/g, '').slice(0, 15)
    const folder = resolve(out ?? join(config.dataDir, 'backups', stamp))
    const database = await openExistingDatabase(config, print)
    try {
      // Without this check the backup could lack the key of this database or contain another key.
      await assertSecretKey(database, config, { isRecorded: false }).catch(ignoreEmptyDatabase)
      const files = await openFileStore({ dataDir: config.dataDir, s3: config.s3 })
      const secretKeyFile = env.OMS_SECRET_KEY ? undefined : join(config.dataDir, 'secret.key')
      const source = { connection: database.connection, files, secretKeyFile }
      const { manifest, isVerified } = await backup(source, folder)
      await database.pool.query(RECORD)
      const rows = manifest.tables.reduce((total, table) => total + table.rows, 0)
      print(isVerified ? `备份完成：${folder}` : `备份完成（未经恢复验证：数据库账号无权建库）：${folder}`)
      print(`${manifest.tables.length} 张表 ${rows} 行，${manifest.files.length} 个文件`)
      print(isVerified ? '已恢复到临时数据库逐表核对，内容一致' : '只核对了备份的校验和')
      if (manifest.secretKey) print('备份内含密钥 secret.key，请妥善保管')
    } finally {
      await database.close()
    }
  },
}

/** Ignores the missing key of a database without tables; the backup refuses such a database with its own message. */
function ignoreEmptyDatabase(error: unknown) {
  if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return
  throw error
}
