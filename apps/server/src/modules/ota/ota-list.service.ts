import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { ota } from '@oms/contract/ota.ts'
import { and, type Column, eq, type SQL, sql } from 'drizzle-orm'
import { otaVersions } from '#db/schema/ota.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { notFound } from '#kernel/problem.ts'
import { contains, orderOf, paginate, within } from '#kernel/query.ts'
import type { Asked, Family } from './ota-family.ts'
import { componentsOf, namelessVersions, shownVersions, VERSION_NAMES, visible } from './ota-rows.ts'

type Filter = Omit<Asked, 'pageNum' | 'pageSize'>

const SORTABLE = {
  verCode: otaVersions.verCode,
  releaseDate: otaVersions.releaseDate,
  updateTime: otaVersions.updateTime,
} as const

export function matching(
  user: User,
  family: Family,
  { verName, packageName, verCode, modelId, status, beginTime, endTime }: Filter,
): SQL | undefined {
  return and(
    visible(user, family),
    contains(otaVersions.verName, verName),
    contains(otaVersions.packageName, packageName),
    verCode === undefined ? undefined : eq(otaVersions.verCode, verCode),
    modelId === undefined ? undefined : eq(otaVersions.modelId, modelId),
    status === undefined ? undefined : eq(otaVersions.status, status),
    ...within(otaVersions.releaseDate, beginTime, endTime),
  )
}

/** Newest first unless a column is asked for. */
export const sortOf = (asked: Pick<Filter, 'orderByColumn' | 'isAsc'>) => orderOf(asked, SORTABLE, otaVersions.otaId)

export const list = (family: Family) => (ctx: Ctx, input: Asked) => {
  const { db, user } = ctx
  if (isPlain(user, input)) return hotPage(ctx, family, input)
  const query = shownVersions(db)
    .where(matching(user, family, input))
    .$dynamic()
  return paginate(db, query, input, sortOf(input))
}

/** Most pages are asked for by staff who see everything, with no filter or exact ones: these go the short way. */
const isPlain = ({ scope }: User, { verName, packageName, beginTime, endTime }: Filter) =>
  scope.tenants === 'all' && !scope.ownOnly && !verName && !packageName && !beginTime && !endTime

function hotPage({ db, user, kernel }: Ctx, family: Family, input: Asked) {
  const { verCode, modelId, status, orderByColumn, isAsc } = input
  const set = Object.entries({ verCode, modelId, status }).filter(([, value]) => value !== undefined)
  const shape = [family.bizType, ...set.map(([key]) => key), orderByColumn, isAsc].join(' ')
  const stand = (key: string, column: Column) =>
    set.some(([name]) => name === key) ? eq(column, sql.placeholder(key)) : undefined
  const query = () => ({
    select: () => namelessVersions(db).$dynamic(),
    key: otaVersions.otaId,
    where: and(
      visible(user, family),
      stand('verCode', otaVersions.verCode),
      stand('modelId', otaVersions.modelId),
      stand('status', otaVersions.status),
    ),
    order: sortOf(input),
    names: VERSION_NAMES,
  })
  return kernel.lists.page(shape, query, Object.fromEntries(set), input)
}

export const get =
  (family: Family) =>
  async ({ db, user }: Ctx, { otaId }: ParsedOf<typeof ota.get>) => {
    const [otaVersion] = await shownVersions(db).where(and(eq(otaVersions.otaId, otaId), visible(user, family)))
    if (!otaVersion) throw notFound(family.noun)
    return { otaVersion, components: await componentsOf(db, otaId) }
  }
