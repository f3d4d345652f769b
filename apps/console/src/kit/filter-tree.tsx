import { TreeSelect } from 'antd'
import type * as z from 'zod'
import { Filter } from './filter.tsx'
import type { TreeItem } from './tree/tree-item.ts'

/** A search field whose value is a node of a tree. */
export function TreeFilter<S extends z.ZodObject>(props: {
  of: S
  name: keyof S['shape'] & string
  tree: readonly TreeItem[]
}) {
  return (
    <Filter of={props.of} name={props.name}>
      <TreeSelect
        allowClear
        showSearch
        treeNodeFilterProp="title"
        placeholder="请选择"
        fieldNames={{ value: 'key' }}
        treeData={asTexts(props.tree)}
      />
    </Filter>
  )
}

/** The address holds texts; so must the nodes, to be found from it. */
const asTexts = (tree: readonly TreeItem[]): TextNode[] =>
  tree.map(({ key, title, children }) => ({ key: String(key), title, children: asTexts(children ?? []) }))

interface TextNode {
  key: string
  title: string
  children: TextNode[]
}
