import type { SelectProps } from 'antd'
import type * as z from 'zod'
import { createPlaceholderSelect } from '#kit/form/select.tsx'
import { deferControl } from '#kit/form/use-placeholder.ts'
import type { TreeItem } from '#kit/tree/tree-item.ts'
import { Filter } from './filter.tsx'
import type { TextNode } from './filter-tree-control.tsx'

/** Renders a placeholder first, and antd's tree select on first interaction. */
const TreeControl = createPlaceholderSelect<SelectProps & { nodes: TextNode[] }>(
  deferControl(() => import('./filter-tree-control.tsx'), 'FilterTreeControl'),
)

/** Search field that selects a tree node. */
export function TreeFilter<S extends z.ZodObject>(props: {
  of: S
  name: keyof S['shape'] & string
  tree: readonly TreeItem[]
}) {
  const nodes = asTexts(props.tree)
  return (
    <Filter of={props.of} name={props.name}>
      <TreeControl placeholder="请选择" nodes={nodes} options={listOptions(nodes)} />
    </Filter>
  )
}

/** Converts node values to text, because the URL contains text. */
const asTexts = (tree: readonly TreeItem[]): TextNode[] =>
  tree.map(({ key, title, children }) => ({ key: String(key), title, children: asTexts(children ?? []) }))

/** Returns all nodes of the tree as options. The placeholder shows the label of the selected option. */
const listOptions = (nodes: readonly TextNode[]): { value: string; label: string }[] =>
  nodes.flatMap(({ key, title, children }) => [{ value: key, label: title }, ...listOptions(children)])
