import { join, resolve } from 'node:path'
import { openDatabase } from '#db/client.ts'
import { readConfig } from '#kernel/config.ts'
import { openFileStore } from '#kernel/files/open-store.ts'
import { type Command, CommandError } from './command.ts'
import { restore } from './restore.ts'

export const restoreCommand: Command = {
  name: 'restore',
  usage: 'restore <目录>',
  summary: '把备份恢复到空的数据目录（DATA_DIR、DATABASE_URL）；先停止服务',
  async run([folder], { env, print }) {
    if (!folder) throw new CommandError('请给出备份目录：npm run oms -- restore <目录>')
    const config = readConfig(env)
    // As a server: nobody else may be at work on this folder meanwhile.
    const database = await openDatabase(config, { role: 'server', warn: print })
    try {
      const files = await openFileStore({ dataDir: config.dataDir, s3: config.s3 })
      const secretKeyFile = env.OMS_SECRET_KEY ? undefined : join(config.dataDir, 'secret.key')
      const manifest = await restore({ connection: database.connection, files, secretKeyFile }, resolve(folder))
      const rows = manifest.tables.reduce((total, table) => total + table.rows, 0)
      print(
        `恢复完成：${manifest.tables.length} 张表 ${rows} 行，${manifest.files.length} 个文件（备份于 ${manifest.takenAt}）`,
      )
    } finally {
      await database.close()
    }
  },
}
