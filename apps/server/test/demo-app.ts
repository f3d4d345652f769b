import { pino } from 'pino'
import type { Database } from '#core/database/client.ts'
import { readConfig } from '#core/config/config.ts'
import { createDemoData } from '#demo/fill.ts'
import { createServices } from '#main/services.ts'
import { createDemoDatabase } from './database.ts'
import { startApp } from './harness.ts'

/** Starts the real server with a separate copy of the demo data. */
export const useDemoApp = (env: Record<string, string> = {}) =>
  startApp({ env, createDatabase: (dataDir) => createDemoDatabase(dataDir, fill) })

async function fill(database: Database, dataDir: string) {
  const config = readConfig({ DATA_DIR: dataDir })
  const services = await createServices({ config, database, log: pino({ level: 'silent' }) })
  await createDemoData(services)
  await services.close()
}
