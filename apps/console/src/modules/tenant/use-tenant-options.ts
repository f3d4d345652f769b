import { industry } from '@oms/contract/industry.ts'
import { tenant } from '@oms/contract/tenant.ts'
import { useRead } from '#kernel/query.ts'
import { treeOf } from '#kit/tree/tree-item.ts'

/** Industries as a tree of choices; those out of use cannot be newly chosen. */
export function useIndustryTree() {
  const { data } = useRead(industry.options, {}, { quiet: true })
  return treeOf(data?.list ?? [], ({ id, parentId, name, status }) => ({
    key: id,
    parent: parentId || null,
    title: status === 1 ? name : `${name}（已停用）`,
    disabled: status !== 1,
  }))
}

export function useSceneChoices() {
  const { data } = useRead(tenant.scenes, {}, { quiet: true })
  return data?.list ?? []
}
