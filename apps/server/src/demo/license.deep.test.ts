import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { breaches } from '#test/fixtures/license-fixture.ts'
import { useDemoApp } from '#test/demo-app.ts'

const server = useDemoApp()

test('the demo has certificates in every state, and all sums are correct', async () => {
  expect(await breaches(server.db)).toEqual([])
  const { rows } = await server.db.execute<{ state: number }>(sql`select distinct state from licenses order by 1`)
  expect(rows.map(({ state }) => state)).toEqual([0, 1, 2, 3, 4, 6])
})
