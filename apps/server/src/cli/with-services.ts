import { pino } from 'pino'
import { countPendingMigrations } from '#core/database/migrate.ts'
import { readConfig } from '#core/config/config.ts'
import { assertSecretKey } from '#core/crypto/installation-keys.ts'
import type { Services } from '#core/services.ts'
import { createServices } from '#main/services.ts'
import { type CommandContext, CommandError } from './command.ts'
import { openExistingDatabase } from './tool-database.ts'

/** Runs a command with the server's services, whether or not a server is running. */
export async function withServices<T>(
  { env, print }: CommandContext,
  work: (services: Services) => Promise<T>,
): Promise<T> {
  const config = readConfig(env)
  const database = await openExistingDatabase(config, print)
  try {
    const pending = await countPendingMigrations(database.pool)
    if (pending > 0) throw new CommandError('数据库还没有建好或版本较旧，请先用 npm start 启动一次服务')
    await assertSecretKey(database, config)
    const services = await createServices({ config, database, log: pino({ level: 'silent' }) })
    try {
      return await work(services)
    } finally {
      await services.close()
    }
  } finally {
    await database.close()
  }
}
