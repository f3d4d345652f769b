import { industry } from '@oms/contract/tenant/industry.ts'
import { tenant } from '@oms/contract/tenant/tenant.ts'
import { useRead } from '#core/api/query.ts'

export function useSceneChoices() {
  const { data } = useRead(tenant.scenes, {}, { quiet: true })
  return data?.list ?? []
}

/** Returns the ids of the scenes that are recommended for an industry or for its parent industry. */
export function useRecommendedScenes(industryId: number | undefined): ReadonlySet<number> {
  const scenes = useSceneChoices()
  const { data } = useRead(industry.options, {}, { quiet: true })
  const above = data?.list.find(({ id }) => id === industryId)?.parentId
  const fits = (named: number) => named === industryId || named === above
  return new Set(scenes.flatMap(({ id, industryIds }) => (industryIds.some(fits) ? [id] : [])))
}
