import { industry } from '@oms/contract/industry.ts'
import { useRead } from '#kernel/query.ts'
import { treeOf } from './tree/tree-item.ts'

/** Chosen before, by id and name in the same order: they stay in sight and can be taken away, switched off or deleted. */
export interface ChosenBefore {
  readonly ids: readonly number[]
  readonly names: readonly string[]
}
const NOTHING: ChosenBefore = { ids: [], names: [] }

/** Industries as a tree of choices; those out of use cannot be newly chosen. */
export function useIndustryTree({ ids, names }: ChosenBefore = NOTHING) {
  const { data } = useRead(industry.options, {}, { quiet: true })
  if (!data) return []
  const known = new Set(data.list.map(({ id }) => id))
  const gone = ids.flatMap((id, at) => (known.has(id) ? [] : [{ key: id, title: `${names[at] ?? id}（已删除）` }]))
  const tree = treeOf(data.list, ({ id, parentId, name, status }) => ({
    key: id,
    parent: parentId || null,
    title: status === 1 ? name : `${name}（已停用）`,
    disabled: status !== 1 && !ids.includes(id),
  }))
  return [...tree, ...gone]
}
