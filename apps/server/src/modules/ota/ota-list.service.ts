import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ota } from '@oms/contract/ota/ota.ts'
import { and, eq, type SQL } from 'drizzle-orm'
import { otaVersions } from '#schema/ota.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notFound } from '#core/http/api-error.ts'
import { awaitsAudit, hasOpenAlarm } from '#domain/fleet/visible-versions.ts'
import { paginateLarge } from '#core/database/lists/large-list.ts'
import { contains, buildOrder, within } from '#core/database/lists/list-query.ts'
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
export const sortOf = (asked: Pick<Filter, 'orderByColumn' | 'isAsc'>) => buildOrder(asked, SORTABLE, otaVersions.otaId)

const EXACT = { verCode: otaVersions.verCode, modelId: otaVersions.modelId, status: otaVersions.status } as const

export const list = (ctx: Ctx, artifact: ArtifactKind, input: Asked) =>
  paginateLarge(ctx, input, {
    name: artifact.bizType,
    key: otaVersions.otaId,
    exact: EXACT,
    order: sortOf(input),
    select: () => selectVersions(ctx.db).$dynamic(),
    where: () => conditionsOf(ctx.user, artifact, input),
    prepared: {
      where: visible(ctx.user, artifact),
      select: () => namelessVersions(ctx.db).$dynamic(),
      names: VERSION_NAMES,
    },
  })

export async function get({ db, user }: Ctx, artifact: ArtifactKind, { otaId }: ParsedOf<typeof ota.get>) {
  const [otaVersion] = await selectVersions(db).where(and(eq(otaVersions.otaId, otaId), visible(user, artifact)))
  if (!otaVersion) throw notFound(artifact.noun)
  return { otaVersion, components: await componentsOf(db, otaId) }
}
