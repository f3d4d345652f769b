import { join, resolve } from 'node:path'
import { openDatabase } from '#db/client.ts'
import { readConfig } from '#kernel/config.ts'
import { openFileStore } from '#kernel/files/open-store.ts'
import type { Command } from './command.ts'
import { readManifest } from './manifest.ts'
import { restore } from './restore.ts'
import { words } from './words.ts'

const USAGE = 'restore <目录>'

export const restoreCommand: Command = {
  name: 'restore',
  usage: USAGE,
  summary: '把备份恢复到空的数据目录（DATA_DIR、DATABASE_URL）；先停止服务',
  async run(args, { env, print }) {
    const folder = resolve(words(args, USAGE, {}).first)
    const config = readConfig(env)
    // A mistyped folder is told before a database is made for it.
    await readManifest(folder)
    // As a server: nobody else may be at work on this folder meanwhile.
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
