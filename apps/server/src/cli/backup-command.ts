import { join, resolve } from 'node:path'
import { openDatabase } from '#db/client.ts'
import { readConfig } from '#kernel/config.ts'
import { openFileStore } from '#kernel/files/open-store.ts'
import { backup, verify } from './backup.ts'
import { type Command, CommandError } from './command.ts'
import { inspectMembers } from './restore.ts'
import { wordless } from './words.ts'

const USAGE = 'backup [--out <目录>]'

export const backupCommand: Command = {
  name: 'backup',
  usage: USAGE,
  summary: '备份数据库与文件并立即验证；服务运行时也可以做',
  async run(args, { env, print }) {
    const { out } = wordless(args, USAGE, { out: { type: 'string' } })
    if (out === '') throw new CommandError(`--out 后请给出目录；用法：npm run oms -- ${USAGE}`)
    const config = readConfig(env)
    const stamp = new Date().toISOString().replaceAll(/[-:]/g, '').slice(0, 15)
    const folder = resolve(out ?? join(config.dataDir, 'backups', stamp))
    const database = await openDatabase(config, { role: 'tool', warn: print })
    try {
      const files = await openFileStore({ dataDir: config.dataDir, s3: config.s3 })
      const secretKeyFile = env.OMS_SECRET_KEY ? undefined : join(config.dataDir, 'secret.key')
      const manifest = await backup({ connection: database.connection, files, secretKeyFile }, folder)
      await inspectMembers(folder, manifest)
      const isRestored = await verify(database.connection, folder, manifest)
      const rows = manifest.tables.reduce((total, table) => total + table.rows, 0)
      print(`备份完成：${folder}`)
      print(`${manifest.tables.length} 张表 ${rows} 行，${manifest.files.length} 个文件`)
      print(isRestored ? '已恢复到临时数据库逐表核对，内容一致' : '账号无权建库，只核对了备份的校验和')
      if (manifest.secretKey) print('备份内含密钥 secret.key，请妥善保管')
    } finally {
      await database.close()
    }
  },
}
