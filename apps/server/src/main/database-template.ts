import { createHash } from 'node:crypto'
import { openPool } from '#core/database/client.ts'
import type { DatabaseTemplate } from '#core/database/embedded/cluster-template.ts'
import { migrateDatabase, readMigrations, QUEUE_VERSION } from '#core/database/migrate.ts'
import { seedShippedRows, shippedRowsKey } from './seed/seed.ts'

/**
 * Template for new embedded clusters with tables and initial rows. The first start then skips migration and seeding and
 * only creates the administrator. The template contains no secrets and no installation-specific values.
 */
export const databaseTemplate = (): DatabaseTemplate => ({
  key: createHash('sha256')
    .update(JSON.stringify([readMigrations().map(({ checksum }) => checksum), QUEUE_VERSION, shippedRowsKey()]))
    .digest('hex')
    .slice(0, 16),
  async fill(connection) {
    await migrateDatabase(connection)
    const database = await openPool(connection, { size: 2, embedded: true, warn: () => {}, closeAfter: async () => {} })
    await database.db.transaction(seedShippedRows)
    await database.close()
  },
})
