import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, smallint, uniqueIndex } from 'drizzle-orm/pg-core'
import { packageColumns, versionColumns } from '#core/schema/package-columns.ts'

interface Allowance {
  unit: number
  /** 0: unlimited. */
  amount: number
}

/** Packages of voice services. */
export const agentProducts = pgTable('agent_products', packageColumns(), (t) => [
  uniqueIndex('agent_products_name').on(t.packageName).where(sql`deleted_at is null`),
  uniqueIndex('agent_products_code').on(t.packageCode).where(sql`deleted_at is null`),
  index('agent_products_sort').on(t.sort, t.id),
])

/** Terms of sale of a package. */
export const agentProductVersions = pgTable(
  'agent_product_versions',
  {
    ...versionColumns(),
    allowances: jsonb().$type<Allowance[]>().notNull(),
    /** 1 device, 2 agent, 3 tenant. */
    scope: smallint().notNull(),
    /** Days after the payment in which the first use must begin, and days from the first use to the end. */
    activateDays: integer().notNull(),
    validDays: integer().notNull(),
  },
  (t) => [
    uniqueIndex('agent_product_versions_no').on(t.packageId, t.version),
    check(
      'agent_product_versions_terms',
      sql`price >= 0 and scope between 1 and 3 and activate_days > 0 and valid_days > 0`,
    ),
  ],
)
