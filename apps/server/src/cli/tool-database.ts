import { existsSync } from 'node:fs'
import { type Database, isNewDatabase, openDatabase } from '#core/database/client.ts'
import type { Config } from '#core/config/config.ts'
import { CommandError } from './command.ts'

/**
 * Opens the database for a command that works on an existing installation. A missing data directory or database is
 * refused and never created: `DATA_DIR` is mistyped, or the product was not started yet.
 */
export async function openExistingDatabase(config: Config, print: (line: string) => void): Promise<Database> {
  const { dataDir } = config
  if (isNewDatabase(config))
    throw new CommandError(`数据目录 ${dataDir} 里没有数据库；请检查 DATA_DIR，或先用 npm start 启动一次服务`)
  // With DATABASE_URL the directory holds the files, unless they are in a bucket, and `secret.key`.
  const isNeeded = config.s3 === undefined || !config.hasSecretKey
  if (isNeeded && !existsSync(dataDir))
    throw new CommandError(`数据目录 ${dataDir} 不存在；请检查 DATA_DIR，或先用 npm start 启动一次服务`)
  return openDatabase(config, { role: 'tool', warn: print })
}
