import { pino } from 'pino'
import { openDatabase } from '#db/client.ts'
import { pendingMigrations } from '#db/migrate.ts'
import { readConfig } from '#kernel/config.ts'
import { createKernel, type Kernel } from '#kernel/kernel.ts'
import { type CommandContext, CommandError } from './command.ts'

/** Gives a command the parts the server's services work with, beside a running server or without one. */
export async function withKernel<T>({ env, print }: CommandContext, work: (kernel: Kernel) => Promise<T>): Promise<T> {
  const config = readConfig(env)
  const database = await openDatabase(config, { role: 'tool', warn: print })
  try {
    const pending = await pendingMigrations(database.pool)
    if (pending > 0) throw new CommandError('数据库还没有建好或版本较旧，请先用 npm start 启动一次服务')
    const kernel = await createKernel({ config, database, log: pino({ level: 'silent' }) })
    try {
      return await work(kernel)
    } finally {
      await kernel.close()
    }
  } finally {
    await database.close()
  }
}
