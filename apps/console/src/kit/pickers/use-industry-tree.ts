import { industry } from '@oms/contract/tenant/industry.ts'
import { useRead } from '#core/api/query.ts'
import { buildTree } from '#kit/tree/tree-item.ts'

/** Returns the industries as a tree of options; disabled industries cannot be selected. */
export function useIndustryTree() {
  const { data } = useRead(industry.options, {}, { quiet: true })
  return buildTree(data?.list ?? [], ({ id, parentId, name, status }) => ({
    key: id,
    parent: parentId || null,
    title: status === 1 ? name : `${name}（已停用）`,
    disabled: status !== 1,
  }))
}
