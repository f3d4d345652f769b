import { and, eq, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import type { User } from '#core/http/context.ts'
import { agentModels } from '#schema/agent/agent-model.ts'

/** A table with rows of the platform that tenants may use besides their own rows. */
interface SharedTable {
  readonly tenantId: PgColumn
  readonly createBy: PgColumn
  readonly deletedAt: PgColumn
  /**
   * Column with the value 1 for rows that tenants may use. Without the column, tenants may use every row of the
   * platform.
   */
  readonly shared?: PgColumn
}

/** Returns the condition of rows that the account may use: those of its data scope, and shared rows of the platform. */
export function isUsableRow(table: SharedTable, user: User): SQL | undefined {
  const own = scoped(user, { tenant: table.tenantId, creator: table.createBy })
  const shared = and(eq(table.tenantId, PLATFORM_TENANT_ID), table.shared ? eq(table.shared, 1) : undefined)
  return and(notDeleted(table), own ? or(own, shared) : undefined)
}

/**
 * Returns whether the account may change the row. Platform rows that the account only uses are outside its data scope.
 */
export const isWithinScope = (table: Pick<SharedTable, 'tenantId' | 'createBy'>, user: User) =>
  sql<boolean>`${scoped(user, { tenant: table.tenantId, creator: table.createBy }) ?? sql`true`}`

/** Returns the condition of models that rows of the tenant may name: its own, and shared models of the platform. */
export const isModelUsableBy = (tenantId: number) =>
  and(
    notDeleted(agentModels),
    or(
      eq(agentModels.tenantId, tenantId),
      and(eq(agentModels.tenantId, PLATFORM_TENANT_ID), eq(agentModels.shared, 1)),
    ),
  )
