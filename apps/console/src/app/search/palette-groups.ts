import type { SearchHit } from './finder.ts'

/** Hits of one kind below a heading. */
export interface HitGroup {
  readonly title: string
  readonly hits: readonly SearchHit[]
  /** True until the search of this kind has answered. */
  readonly isPending?: boolean
}

/** Removes hits that an earlier group contains: two lists may contain the same record. Removes empty groups. */
export function mergeGroups(groups: readonly HitGroup[]): readonly HitGroup[] {
  const seen = new Set<string>()
  return groups
    .map((group) => ({
      ...group,
      hits: group.hits.filter(({ key }) => {
        const isNew = !seen.has(key)
        seen.add(key)
        return isNew
      }),
    }))
    .filter(({ hits }) => hits.length > 0)
}

/** Returns the first hit once no search before it can still answer. Enter opens this hit. */
export function findFirstCertainHit(groups: readonly HitGroup[]): SearchHit | undefined {
  for (const { hits, isPending } of groups) {
    if (isPending) return undefined
    if (hits[0]) return hits[0]
  }
  return undefined
}
