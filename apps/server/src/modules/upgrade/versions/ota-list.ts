import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { ota } from '@oms/contract/upgrade/ota.ts'
import { and, eq, type SQL } from 'drizzle-orm'
import { otaVersions } from '../schema-ota.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { notFound } from '#core/http/api-error.ts'
import { isAwaitingAudit, hasOpenAlarm } from '../releases/release-rules.ts'
import { paginateLarge } from '#core/database/lists/prepared-list.ts'
import { contains, buildSort, within } from '#core/database/lists/list-query.ts'
import type { VersionQuery, ArtifactKind } from './ota-artifact-kind.ts'
import {
  listComponents,
  selectVersionRows,
  selectVersions,
  VERSION_NAME_COLUMNS,
  visibleVersionsOfKind,
} from './ota-rows.ts'

type Filter = Omit<VersionQuery, 'pageNum' | 'pageSize'>

const SORTABLE = {
  verCode: otaVersions.verCode,
  releaseDate: otaVersions.releaseDate,
  updateTime: otaVersions.updateTime,
} as const

export function buildVersionFilter(
  user: User,
  artifact: ArtifactKind,
  { verName, packageName, verCode, modelId, status, todo, beginTime, endTime }: Filter,
): SQL | undefined {
  return and(
    visibleVersionsOfKind(user, artifact),
    contains(otaVersions.verName, verName),
    contains(otaVersions.packageName, packageName),
    verCode === undefined ? undefined : eq(otaVersions.verCode, verCode),
    modelId === undefined ? undefined : eq(otaVersions.modelId, modelId),
    status === undefined ? undefined : eq(otaVersions.status, status),
    todo === undefined ? undefined : (todo === 1 ? isAwaitingAudit : hasOpenAlarm)(user),
    ...within(otaVersions.releaseDate, beginTime, endTime),
  )
}

/** Returns the sort order: newest first unless a column is given. */
export const buildVersionSort = (asked: Pick<Filter, 'orderByColumn' | 'isAsc'>) =>
  buildSort(asked, SORTABLE, otaVersions.otaId)

const EXACT = { verCode: otaVersions.verCode, modelId: otaVersions.modelId, status: otaVersions.status } as const

export const listVersions = (ctx: Ctx, artifact: ArtifactKind, input: VersionQuery) =>
  paginateLarge(ctx, input, {
    name: artifact.bizType,
    key: otaVersions.otaId,
    exact: EXACT,
    order: buildVersionSort(input),
    select: () => selectVersions(ctx.db).$dynamic(),
    where: () => buildVersionFilter(ctx.user, artifact, input),
    prepared: {
      where: visibleVersionsOfKind(ctx.user, artifact),
      select: () => selectVersionRows(ctx.db).$dynamic(),
      names: VERSION_NAME_COLUMNS,
    },
  })

export async function getVersion({ db, user }: Ctx, artifact: ArtifactKind, { otaId }: ParsedOf<typeof ota.get>) {
  const [otaVersion] = await selectVersions(db).where(
    and(eq(otaVersions.otaId, otaId), visibleVersionsOfKind(user, artifact)),
  )
  if (!otaVersion) throw notFound(artifact.noun)
  return { otaVersion, components: await listComponents(db, otaId) }
}
