import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { STORAGE_BREACHES } from '#domain/storage/invariants.ts'
import { useApp } from '#test/harness.ts'
import { createDemoData } from './fill.ts'

const server = useApp()

test('the demo has entitlements in every state, and all sums are correct', { timeout: 300_000 }, async () => {
  await createDemoData(server.services)
  const { rows } = await server.services.database.pool.query<{ what: string }>(STORAGE_BREACHES, [
    new Date().toISOString(),
  ])
  expect(rows).toEqual([])
  const states = await server.db.execute<{ state: number; n: number }>(
    sql`select state, count(*)::int as n from oss_entitlements group by 1 order by 1`,
  )
  expect(states.rows.map(({ state }) => state)).toEqual([0, 1, 2, 3, 4, 5])
  expect(states.rows.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThan(600)
})
