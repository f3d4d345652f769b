import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { deviceModels } from '#modules/device/schema.ts'
import { otaComponents, otaVersions } from '../schema-ota.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { User } from '#core/http/context.ts'
import { forbidden, notFound } from '#core/http/api-error.ts'
import { visibleVersions } from '../releases/release-rules.ts'
import type { ArtifactKind } from './ota-artifact-kind.ts'

export type StoredVersion = typeof otaVersions.$inferSelect
export type StoredComponent = typeof otaComponents.$inferSelect

/**
 * Returns the condition for versions of an artifact kind that the account may see. Every query on versions includes the
 * condition.
 */
export const visibleVersionsOfKind = (user: User, { kind }: Pick<ArtifactKind, 'kind'>) => visibleVersions(user, kind)

/** Returns the tenant of a new version or upload: the tenant of the session, whatever the request contains. */
export function requireSessionTenant({ tenantId }: User) {
  if (tenantId === null) throw forbidden()
  return tenantId
}

const columns = {
  otaId: otaVersions.otaId,
  modelId: sql<number | null>`nullif(${otaVersions.modelId}, 0)`.as('model_id'),
  packageName: otaVersions.packageName,
  verCode: otaVersions.verCode,
  verName: otaVersions.verName,
  status: otaVersions.status,
  components: otaVersions.components,
  oldVerMin: otaVersions.oldVerMin,
  oldVerMax: otaVersions.oldVerMax,
  buildDate: otaVersions.buildDate,
  releaseDate: otaVersions.releaseDate,
  description: otaVersions.description,
  tenantId: otaVersions.tenantId,
  createTime: otaVersions.createTime,
  updateTime: otaVersions.updateTime,
  enableTime: otaVersions.enableTime,
  rev: otaVersions.rev,
}

/** Selects versions with the columns of lists and details. */
export const selectVersions = (db: Db) =>
  db
    .select({
      ...columns,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('model_name'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      createByName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as(
        'create_by_name',
      ),
    })
    .from(otaVersions)
    .leftJoin(deviceModels, eq(deviceModels.id, otaVersions.modelId))
    .leftJoin(tenants, eq(tenants.id, otaVersions.tenantId))
    .leftJoin(accounts, eq(accounts.uid, otaVersions.createBy))

/** Selects versions without the names of model, tenant and creator. `VERSION_NAME_COLUMNS` adds these names. */
export const selectVersionRows = (db: Db) => db.select({ ...columns, createBy: otaVersions.createBy }).from(otaVersions)
export const VERSION_NAME_COLUMNS = {
  modelName: { id: 'modelId', kind: 'model' },
  tenantName: { id: 'tenantId', kind: 'tenant' },
  createByName: { id: 'createBy', kind: 'account' },
} as const

/** Returns the version, locked until the transaction ends. A version of another tenant is reported as not found. */
export async function lockVersion(db: Db, user: User, artifact: ArtifactKind, otaId: number): Promise<StoredVersion> {
  const [found] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersionsOfKind(user, artifact)))
    .for('update')
  if (!found) throw notFound(artifact.noun)
  return found
}

export const listComponents = (db: Db, otaId: number): Promise<StoredComponent[]> =>
  db.select().from(otaComponents).where(eq(otaComponents.otaId, otaId)).orderBy(asc(otaComponents.sort))

/** Formats a version's name for the operation log and error messages: `「秋季版」(100)` or `「秋季版」(com.voice 100)`. */
export const formatVersionName = ({ verName, verCode, packageName = '' }: Named) =>
  `「${verName}」(${packageName && `${packageName} `}${verCode})`
interface Named {
  readonly verName: string
  readonly verCode: number
  readonly packageName?: string | undefined
}
