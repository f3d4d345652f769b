import { industry } from '@oms/contract/industry.ts'
import { tenant } from '@oms/contract/tenant.ts'
import { useRead } from '#kernel/query.ts'

export function useSceneChoices() {
  const { data } = useRead(tenant.scenes, {}, { quiet: true })
  return data?.list ?? []
}

/** Ids of scenes recommended for a line of business, by itself or by the level above it. */
export function useRecommendedScenes(industryId: number | undefined): ReadonlySet<number> {
  const scenes = useSceneChoices()
  const { data } = useRead(industry.options, {}, { quiet: true })
  const above = data?.list.find(({ id }) => id === industryId)?.parentId
  const fits = (named: number) => named === industryId || named === above
  return new Set(scenes.flatMap(({ id, industryIds }) => (industryIds.some(fits) ? [id] : [])))
}
