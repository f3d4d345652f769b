import type pg from 'pg'
import { migrateDatabase, countPendingMigrations, readMigrations, isQueueCurrent } from '#core/database/migrate.ts'
import { readConfig } from '#core/config/config.ts'
import type { Command } from './command.ts'
import { openExistingDatabase } from './tool-database.ts'
import { parseOptions } from './arguments.ts'

const USAGE = 'migrate [--dry-run]'

/** Returns what a start of this program would change in the schema. */
async function pendingIn(pool: pg.Pool): Promise<string[]> {
  const count = await countPendingMigrations(pool)
  const tags = readMigrations().map(({ tag }) => tag)
  return [...tags.slice(tags.length - count), ...((await isQueueCurrent(pool)) ? [] : ['任务队列的表'])]
}

export const migrateCommand: Command = {
  name: 'migrate',
  usage: USAGE,
  summary: '把数据库升级到本程序的结构（启动服务时也会自动进行）；--dry-run 只列出待执行的迁移',
  async run(args, { env, print }) {
    const { 'dry-run': isDryRun } = parseOptions(args, USAGE, { 'dry-run': { type: 'boolean' } })
    const database = await openExistingDatabase(readConfig(env), print)
    try {
      const listed = isDryRun ? await pendingIn(database.pool) : await migrateDatabase(database.connection)
      print(listed.length > 0 ? `${isDryRun ? '待执行' : '已执行'}：${listed.join('、')}` : '数据库已是最新')
    } finally {
      await database.close()
    }
  },
}
