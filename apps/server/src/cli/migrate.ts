import { openDatabase } from '#db/client.ts'
import { migrate } from '#db/migrate.ts'
import { readConfig } from '#kernel/config.ts'
import type { Command } from './command.ts'
import { wordless } from './words.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  usage: 'migrate',
  summary: '把数据库升级到本程序的结构（启动服务时也会自动进行）',
  async run(args, { env, print }) {
    wordless(args, 'migrate', {})
    const database = await openDatabase(readConfig(env), { role: 'tool', warn: print })
    try {
      const applied = await migrate(database.connection)
      print(applied.length > 0 ? `已执行：${applied.join('、')}` : '数据库已是最新')
    } finally {
      await database.close()
    }
  },
}
