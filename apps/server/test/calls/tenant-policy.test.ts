import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { sql } from 'drizzle-orm'
import { integer, pgTable, serial } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { tenantPolicy } from '#schema/tenant-policy.ts'
import { useApp } from '#test/harness.ts'
import { tablesWithoutRowSecurity } from '#test/fixtures/worlds.ts'

const app = useApp()

test('TENANT-05 accounts see only rows of their tenant in a table that declares the tenant policy', async () => {
  const parts = pgTable('policy_parts', { id: serial().primaryKey(), tenantId: integer().notNull() }, () => [
    tenantPolicy(),
  ])
  const [before, after] = [{}, { parts }].map((tables) =>
    generateDrizzleJson(tables, undefined, undefined, 'snake_case'),
  )
  for (const statement of await generateMigration(before!, after!)) await app.db.execute(sql.raw(statement))
  expect(await tablesWithoutRowSecurity(app.db)).toEqual([])
  await app.db.insert(parts).values([{ tenantId: 7 }, { tenantId: 8 }])
  const inTenant = <T>(work: (db: Parameters<Parameters<typeof app.db.transaction>[0]>[0]) => Promise<T>) =>
    app.db.transaction(async (tx) => {
      await tx.execute(sql`set local role oms_tenant; set local oms.tenant = '7'`)
      return work(tx)
    })
  expect(await inTenant((tx) => tx.select().from(parts))).toMatchObject([{ tenantId: 7 }])
  await expect(inTenant((tx) => tx.insert(parts).values({ tenantId: 8 }))).rejects.toThrow()
})
