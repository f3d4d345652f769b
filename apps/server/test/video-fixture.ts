import { afterAll, beforeAll } from 'vitest'
import type { Database } from '#core/database/client.ts'
import { createTestDatabase } from './database.ts'

/** Opens a migrated database without rows for the tests of a file. */
export function useDatabase(): Database {
  let database: Database
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database?.close())
  return {
    get pool() {
      return database.pool
    },
    get db() {
      return database.db
    },
    get connection() {
      return database.connection
    },
    embedded: true,
    close: async () => {},
  }
}
