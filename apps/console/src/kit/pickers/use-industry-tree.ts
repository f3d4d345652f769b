import { industry } from '@oms/contract/tenant/industry.ts'
import { useRead } from '#core/api/query.ts'
import { buildTree } from '#kit/tree/tree-item.ts'

/**
 * Previously selected industries: ids and names in the same order. They stay visible and removable when disabled or
 * deleted.
 */
export interface ChosenBefore {
  readonly ids: readonly number[]
  readonly names: readonly string[]
}
const NOTHING: ChosenBefore = { ids: [], names: [] }

/** Returns the industries as a tree of options; disabled industries cannot be selected. */
export function useIndustryTree({ ids, names }: ChosenBefore = NOTHING) {
  const { data } = useRead(industry.options, {}, { quiet: true })
  if (!data) return []
  const known = new Set(data.list.map(({ id }) => id))
  const gone = ids.flatMap((id, at) => (known.has(id) ? [] : [{ key: id, title: `${names[at] ?? id}（已删除）` }]))
  const tree = buildTree(data.list, ({ id, parentId, name, status }) => ({
    key: id,
    parent: parentId || null,
    title: status === 1 ? name : `${name}（已停用）`,
    disabled: status !== 1 && !ids.includes(id),
  }))
  return [...tree, ...gone]
}
