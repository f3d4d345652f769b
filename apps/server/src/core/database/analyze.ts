import type { Services } from '#core/services.ts'

/**
 * Runs ANALYZE on tables that have just received many rows. Autovacuum does the same only minutes later. Until then the
 * planner expects one row instead of 12,000 new devices: an allowlist page took 32 s instead of 10 ms. A failure is
 * ignored, because autovacuum runs ANALYZE later.
 */
export async function analyzeTable(
  { database, log }: Pick<Services, 'database' | 'log'>,
  tables: readonly string[],
  how: 'analyze' | 'vacuum (analyze)' = 'analyze',
) {
  if (tables.length === 0) return
  await database.pool
    .query(`${how} ${tables.join(', ')}`)
    .catch((err: unknown) => log.debug({ err, tables }, 'statistics not renewed'))
}
