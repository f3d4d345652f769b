import { openPool } from '#core/database/client.ts'
import { openCluster } from './cluster.ts'

/** Test server that only writes rows and prints the number of every acknowledged row. Tests kill this process. */
const [dataDir = '', mode = 'write'] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)

// Exits when the test that started this process ends.
process.stdin.resume().once('end', () => process.exit(1))

try {
  const cluster = await openCluster({ dataDir, role: 'server', warn: () => {} })
  const closeAfter = () => cluster.close()
  const { pool, close } = await openPool(cluster.connection, { size: 4, embedded: true, warn: () => {}, closeAfter })
  await pool.query('create table if not exists marks (id int primary key)')
  const { rows } = await pool.query<{ next: number }>('select coalesce(max(id), 0) + 1 as next from marks')
  say('ready')
  process.once('SIGTERM', () => void close().then(() => process.exit(0)))
  for (let id = rows[0]?.next ?? 1; mode === 'write'; id += 1) {
    await pool.query('insert into marks values ($1)', [id])
    say(String(id))
  }
} catch (error) {
  say(`refused ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}
