import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ota } from '@oms/contract/ota/ota.ts'
import { and, type Column, eq, type SQL, sql } from 'drizzle-orm'
import { otaVersions } from '#schema/ota.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notFound } from '#core/http/api-error.ts'
import { awaitsAudit, hasOpenAlarm } from '#domain/fleet/visible-versions.ts'
import { contains, orderOf, paginate, within } from '#core/database/list-query.ts'
import type { Asked, ArtifactKind } from './ota-artifact-kind.ts'
import { componentsOf, namelessVersions, selectVersions, VERSION_NAMES, visible } from './ota-rows.ts'

type Filter = Omit<Asked, 'pageNum' | 'pageSize'>

const SORTABLE = {
  verCode: otaVersions.verCode,
  releaseDate: otaVersions.releaseDate,
  updateTime: otaVersions.updateTime,
} as const

export function conditionsOf(
  user: User,
  artifact: ArtifactKind,
  { verName, packageName, verCode, modelId, status, todo, beginTime, endTime }: Filter,
): SQL | undefined {
  return and(
    visible(user, artifact),
    contains(otaVersions.verName, verName),
    contains(otaVersions.packageName, packageName),
    verCode === undefined ? undefined : eq(otaVersions.verCode, verCode),
    modelId === undefined ? undefined : eq(otaVersions.modelId, modelId),
    status === undefined ? undefined : eq(otaVersions.status, status),
    todo === undefined ? undefined : (todo === 1 ? awaitsAudit : hasOpenAlarm)(user),
    ...within(otaVersions.releaseDate, beginTime, endTime),
  )
}

/** Returns the sort order: newest first unless a column is given. */
export const sortOf = (asked: Pick<Filter, 'orderByColumn' | 'isAsc'>) => orderOf(asked, SORTABLE, otaVersions.otaId)

export function list(ctx: Ctx, artifact: ArtifactKind, input: Asked) {
  const { db, user } = ctx
  if (isPlain(user, input)) return hotPage(ctx, artifact, input)
  const query = selectVersions(db)
    .where(conditionsOf(user, artifact, input))
    .$dynamic()
  return paginate(db, query, input, sortOf(input))
}

/**
 * True for requests of staff with unlimited scope and no or exact filters. Most pages are such requests and use a
 * prepared statement.
 */
const isPlain = ({ scope }: User, { verName, packageName, todo, beginTime, endTime }: Filter) =>
  scope.tenants === 'all' && !scope.ownOnly && !verName && !packageName && !todo && !beginTime && !endTime

function hotPage({ db, user, services }: Ctx, artifact: ArtifactKind, input: Asked) {
  const { verCode, modelId, status, orderByColumn, isAsc } = input
  const set = Object.entries({ verCode, modelId, status }).filter(([, value]) => value !== undefined)
  const shape = [artifact.bizType, ...set.map(([key]) => key), orderByColumn, isAsc].join(' ')
  const stand = (key: string, column: Column) =>
    set.some(([name]) => name === key) ? eq(column, sql.placeholder(key)) : undefined
  const query = () => ({
    select: () => namelessVersions(db).$dynamic(),
    key: otaVersions.otaId,
    where: and(
      visible(user, artifact),
      stand('verCode', otaVersions.verCode),
      stand('modelId', otaVersions.modelId),
      stand('status', otaVersions.status),
    ),
    order: sortOf(input),
    names: VERSION_NAMES,
  })
  return services.lists.page(shape, query, Object.fromEntries(set), input)
}

export async function get({ db, user }: Ctx, artifact: ArtifactKind, { otaId }: ParsedOf<typeof ota.get>) {
  const [otaVersion] = await selectVersions(db).where(and(eq(otaVersions.otaId, otaId), visible(user, artifact)))
  if (!otaVersion) throw notFound(artifact.noun)
  return { otaVersion, components: await componentsOf(db, otaId) }
}
