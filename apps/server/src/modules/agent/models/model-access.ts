import { and, eq, ne, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { User } from '#core/http/context.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { agentModels, agentVoices } from '../schema/agent-model.ts'

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
export function buildUsableRowCondition(table: SharedTable, user: User): SQL | undefined {
  const own = scoped(user, { tenant: table.tenantId, creator: table.createBy })
  const shared = and(eq(table.tenantId, PLATFORM_TENANT_ID), table.shared ? eq(table.shared, 1) : undefined)
  return and(notDeleted(table), own ? or(own, shared) : undefined)
}

/**
 * Returns whether the account may change the row. Only accounts whose data scope contains all tenants change rows of the
 * platform, because all tenants use them.
 */
export const buildEditableCondition = (table: Pick<SharedTable, 'tenantId' | 'createBy'>, user: User) => {
  const isShared = user.scope.tenants === 'all' ? undefined : ne(table.tenantId, PLATFORM_TENANT_ID)
  const condition = and(scoped(user, { tenant: table.tenantId, creator: table.createBy }), isShared)
  return sql<boolean>`${condition ?? sql`true`}`
}

/** Returns the condition of models that rows of the tenant may name: its own, and shared models of the platform. */
export const buildUsableModelCondition = (tenantId: number) =>
  and(
    notDeleted(agentModels),
    or(
      eq(agentModels.tenantId, tenantId),
      and(eq(agentModels.tenantId, PLATFORM_TENANT_ID), eq(agentModels.shared, 1)),
    ),
  )

/**
 * Returns the condition of voices that the account may use. Tenants may not use a voice of the platform whose model is
 * not shared.
 */
export const buildUsableVoiceCondition = (user: User): SQL | undefined =>
  and(
    buildUsableRowCondition(agentVoices, user),
    user.isPlatform ? undefined : or(ne(agentVoices.tenantId, PLATFORM_TENANT_ID), hasSharedModel),
  )

/** Condition of voices whose model is a shared model of the platform. */
export const hasSharedModel = sql`exists (select 1 from ${agentModels} m where m.id = ${agentVoices.modelId}
  and m.deleted_at is null and m.tenant_id = ${PLATFORM_TENANT_ID} and m.shared = 1)`
