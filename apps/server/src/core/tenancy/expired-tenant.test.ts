import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { Db } from '#core/database/client.ts'
import { tenants } from '#core/schema/tenant.ts'
import { useApp } from '#test/harness.ts'
import { expiresWithinDays, TENANT_EXPIRED_CONDITION } from './tenant-state.ts'

const app = useApp()

/**
 * Replaces the clock of a transaction by a clock with whole milliseconds, because expiry times have no microseconds.
 */
const useWholeMilliseconds = (db: Db) =>
  db.execute(sql`create schema clock;
    create function clock.now() returns timestamptz stable language sql
      as 'select date_trunc(''milliseconds'', pg_catalog.now())';
    set local search_path = clock, pg_catalog, public`)

/** Returns the conditions for a tenant with this expiry time. The clock stands still in a transaction. */
async function conditionsAt(db: Db, expireTime: ReturnType<typeof sql>) {
  const values = { tenantNo: 'END', name: '到期客户', expireTime: expireTime as unknown as string }
  const [tenant] = await db.insert(tenants).values(values).returning({ id: tenants.id })
  const [row] = await db
    .select({ isExpired: TENANT_EXPIRED_CONDITION, isDue: sql<boolean>`coalesce(${expiresWithinDays(30)}, false)` })
    .from(tenants)
    .where(eq(tenants.id, tenant!.id))
  return row
}

test.each([
  ['a tenant without an end is neither expired nor due', sql`null`, { isExpired: false, isDue: false }],
  ['a tenant is due until its end', sql`now() + interval '1 millisecond'`, { isExpired: false, isDue: true }],
  ['a tenant is expired at its end, and no longer due', sql`now()`, { isExpired: true, isDue: false }],
  ['a tenant is due from 30 days before its end', sql`now() + interval '30 days'`, { isExpired: false, isDue: true }],
  ['a tenant is not due earlier', sql`now() + interval '30 days 1 millisecond'`, { isExpired: false, isDue: false }],
])('%s', async (_, expireTime, expected) => {
  const rolledBack = new Error('rolled back')
  const run = app.db.transaction(async (db) => {
    await useWholeMilliseconds(db)
    expect(await conditionsAt(db, expireTime)).toEqual(expected)
    throw rolledBack
  })
  await expect(run).rejects.toBe(rolledBack)
})
