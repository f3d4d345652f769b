import { and, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { deviceModels } from '#db/schema/device.ts'
import { otaComponents, otaVersions } from '#db/schema/ota.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { User } from '#kernel/context.ts'
import { forbidden, notFound } from '#kernel/problem.ts'
import { alive, scoped } from '#kernel/tenancy.ts'
import type { Family } from './ota-family.ts'

export type StoredVersion = typeof otaVersions.$inferSelect
export type StoredComponent = typeof otaComponents.$inferSelect

/** What this account may see of a family's versions; part of every query on them. */
export const visible = (user: User, { kind }: Pick<Family, 'kind'>) =>
  and(
    alive(otaVersions),
    eq(otaVersions.kind, kind),
    scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }),
  )

/** The tenant a new version or upload belongs to: the session's, whatever the request says. */
export function tenantOf({ tenantId }: User) {
  if (tenantId === null) throw forbidden()
  return tenantId
}

const columns = {
  otaId: otaVersions.otaId,
  modelId: otaVersions.modelId,
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

/** Versions as lists and details show them. */
export const shownVersions = (db: Db) =>
  db
    .select({
      ...columns,
      modelName: deviceModels.modelName,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name'),
      createByName: sql<string>`coalesce(nullif(${accounts.realname}, ''), ${accounts.account}, '')`.as(
        'create_by_name',
      ),
    })
    .from(otaVersions)
    .innerJoin(deviceModels, eq(deviceModels.id, otaVersions.modelId))
    .leftJoin(tenants, eq(tenants.id, otaVersions.tenantId))
    .leftJoin(accounts, eq(accounts.uid, otaVersions.createBy))

/** The same without the names of model, customer and maker: `VERSION_NAMES` says whose they are. */
export const namelessVersions = (db: Db) => db.select({ ...columns, createBy: otaVersions.createBy }).from(otaVersions)
export const VERSION_NAMES = {
  modelName: { id: 'modelId', kind: 'model' },
  tenantName: { id: 'tenantId', kind: 'tenant' },
  createByName: { id: 'createBy', kind: 'account' },
} as const

/** The row to change, locked until the transaction ends; one of another tenant is as good as missing. */
export async function lockVersion(db: Db, user: User, family: Family, otaId: number): Promise<StoredVersion> {
  const [found] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visible(user, family)))
    .for('update')
  if (!found) throw notFound(family.noun)
  return found
}

export const componentsOf = (db: Db, otaId: number): Promise<StoredComponent[]> =>
  db.select().from(otaComponents).where(eq(otaComponents.otaId, otaId)).orderBy(asc(otaComponents.sort))

/** `「秋季版」(100)` or `「秋季版」(com.voice 100)`, for the operation log and for refusals. */
export const nameOf = ({ verName, verCode, packageName = '' }: Named) =>
  `「${verName}」(${packageName && `${packageName} `}${verCode})`
interface Named {
  readonly verName: string
  readonly verCode: number
  readonly packageName?: string | undefined
}
