import { type SelectProps, TreeSelect } from 'antd'
import type * as z from 'zod'
import type { TreeItem } from '#kit/tree/tree-item.ts'
import { Filter } from './filter.tsx'

interface TextNode {
  readonly key: string
  readonly title: string
  readonly children: TextNode[]
}

/** Search field that selects a tree node. */
export function TreeFilter<S extends z.ZodObject>(props: {
  of: S
  name: keyof S['shape'] & string
  tree: readonly TreeItem[]
}) {
  return (
    <Filter of={props.of} name={props.name}>
      <TreeControl nodes={asTexts(props.tree)} />
    </Filter>
  )
}

type TreeControlProps = Pick<SelectProps<string>, 'id' | 'value' | 'onChange'> & { readonly nodes: TextNode[] }

const TreeControl = ({ nodes, id, value, onChange }: TreeControlProps) => (
  <TreeSelect<string>
    {...(id && { id })}
    placeholder="请选择"
    {...(value && { value })}
    onChange={(next) => onChange?.(next)}
    allowClear
    showSearch={{ treeNodeFilterProp: 'title' }}
    fieldNames={{ value: 'key' }}
    treeData={nodes}
  />
)

/** Converts node values to text, because the URL contains text. */
const asTexts = (tree: readonly TreeItem[]): TextNode[] =>
  tree.map(({ key, title, children }) => ({ key: String(key), title, children: asTexts(children ?? []) }))
