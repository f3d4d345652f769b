import { createHash } from 'node:crypto'
import { openPool } from '#db/client.ts'
import type { Furniture } from '#db/embedded/template.ts'
import { migrate, readMigrations } from '#db/migrate.ts'
import { seedShipped, shippedKey } from './seed.ts'

/**
 * The tables and the rows the product ships with, for new embedded clusters: a first start then has neither to migrate
 * nor to seed, only to make its administrator. Nothing in it is secret or the same person's twice.
 */
export const furniture = (): Furniture => ({
  key: createHash('sha256')
    .update(JSON.stringify([readMigrations().map(({ checksum }) => checksum), shippedKey()]))
    .digest('hex')
    .slice(0, 16),
  async fill(connection) {
    await migrate(connection)
    const database = await openPool(connection, { size: 2, embedded: true, warn: () => {}, closeAfter: async () => {} })
    await database.db.transaction(seedShipped)
    await database.close()
  },
})
