import { parseArgs, type ParseArgsConfig } from 'node:util'
import { existsSync } from 'node:fs'
import { type Database, isNewDatabase, openDatabase } from '#core/database/client.ts'
import { type Config, readConfig } from '#core/config/config.ts'
import { pino } from 'pino'
import { countPendingMigrations } from '#core/database/migrate.ts'
import { assertSecretKey } from '#core/crypto/installation-keys.ts'
import type { Services } from '#core/services.ts'
import { createServices } from '#main/services.ts'

/** A command of `npm run oms --`. */
export type Command = {
  /** Name of one or two words: `user create`. */
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly run: (args: readonly string[], context: CommandContext) => Promise<void>
}

export type CommandContext = {
  readonly env: Record<string, string | undefined>
  readonly print: (line: string) => void
}

/** The command failed. The message is the complete line that is printed. */
export class CommandError extends Error {
  override name = 'CommandError'
}

type Options = NonNullable<ParseArgsConfig['options']>

/**
 * Parses the single positional argument and the options of a command. Prints invalid arguments in one line without a
 * stack.
 */
export function parseArguments<const O extends Options>(args: readonly string[], usage: string, options: O) {
  const { positionals, values } = read(args, usage, options)
  const [first, ...rest] = positionals
  if (first === undefined || rest.length > 0) throw new CommandError(`用法：npm run oms -- ${usage}`)
  return { first, values }
}

/** Parses the options of a command without positional arguments. */
export function parseOptions<const O extends Options>(args: readonly string[], usage: string, options: O) {
  const { positionals, values } = read(args, usage, options)
  if (positionals.length > 0)
    throw new CommandError(`不认识的参数 ${positionals.join(' ')}；用法：npm run oms -- ${usage}`)
  return values
}

function read<const O extends Options>(args: readonly string[], usage: string, options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    const option = error instanceof Error ? /'(-[^' ]*)/.exec(error.message)?.[1] : undefined
    throw new CommandError(`${option ? `选项 ${option} 不正确` : '参数不正确'}；用法：npm run oms -- ${usage}`)
  }
}

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
