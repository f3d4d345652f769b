import { TreeSelect } from 'antd'
import type * as z from 'zod'
import { Filter } from './filter.tsx'
import type { TreeItem } from '#kit/tree/tree-item.ts'

/** Search field that selects a tree node. */
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

/** Converts node values to text, because the URL contains text. */
const asTexts = (tree: readonly TreeItem[]): TextNode[] =>
  tree.map(({ key, title, children }) => ({ key: String(key), title, children: asTexts(children ?? []) }))

interface TextNode {
  key: string
  title: string
  children: TextNode[]
}
