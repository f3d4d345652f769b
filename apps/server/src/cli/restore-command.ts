import { join, resolve } from 'node:path'
import { openDatabase } from '#core/database/client.ts'
import { readConfig } from '#core/config/config.ts'
import { openFileStore } from '#core/storage/open-store.ts'
import type { Command } from './command.ts'
import { readManifest } from './manifest.ts'
import { restore } from './restore.ts'
import { words } from './arguments.ts'

const USAGE = 'restore <目录>'

export const restoreCommand: Command = {
  name: 'restore',
  usage: USAGE,
  summary: '把备份恢复到空的数据目录（DATA_DIR、DATABASE_URL）；先停止服务',
  async run(args, { env, print }) {
    const folder = resolve(words(args, USAGE, {}).first)
    const config = readConfig(env)
    // Reports a mistyped folder before a database is created for it.
    await readManifest(folder)
    // Opens the database as a server, so that no other process uses the folder meanwhile.
    const database = await openDatabase(config, { role: 'server', warn: print })
    try {
      const files = await openFileStore({ dataDir: config.dataDir, s3: config.s3 })
      const secretKeyFile = env.OMS_SECRET_KEY ? undefined : join(config.dataDir, 'secret.key')
      const manifest = await restore({ connection: database.connection, files, secretKeyFile }, folder)
      const rows = manifest.tables.reduce((total, table) => total + table.rows, 0)
      print(
        `恢复完成：${manifest.tables.length} 张表 ${rows} 行，${manifest.files.length} 个文件（备份于 ${manifest.takenAt}）`,
      )
    } finally {
      await database.close()
    }
  },
}
