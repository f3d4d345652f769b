import type { Kernel } from './kernel.ts'

/**
 * Lets the planner look at tables that have just got very many rows. Until it does, which autovacuum sees to within
 * minutes, it takes 12,000 new devices for one and joins accordingly: a page of a white list then took 32 s instead of
 * 10 ms. A failure only leaves it for later.
 */
export async function freshStatistics(
  { database, log }: Pick<Kernel, 'database' | 'log'>,
  tables: readonly string[],
  how: 'analyze' | 'vacuum (analyze)' = 'analyze',
) {
  if (tables.length === 0) return
  await database.pool
    .query(`${how} ${tables.join(', ')}`)
    .catch((err: unknown) => log.debug({ err, tables }, 'statistics not renewed'))
}
