import type pg from 'pg'
import { openPool } from '#core/database/client.ts'
import { mergeUsage } from '#modules/agent/usage/usage-merge.ts'

/** Merges and spends use in small transactions until somebody kills the process. The argument is the connection as JSON. */
const connection = JSON.parse(process.argv[2]!) as pg.ClientConfig
const database = await openPool(connection, { size: 1, embedded: true, warn: () => {}, closeAfter: async () => {} })
process.stdout.write('ready\n')
for (;;) await mergeUsage(database.db, { atOnce: 10 })
