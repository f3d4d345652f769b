import { type SelectProps, TreeSelect } from 'antd'
import { type PlaceholderState, usePlaceholderState } from '#kit/form/use-placeholder.ts'

export interface TextNode {
  readonly key: string
  readonly title: string
  readonly children: TextNode[]
}

type Props = Pick<SelectProps<string>, 'id' | 'value' | 'onChange' | 'placeholder'> & {
  readonly nodes: TextNode[]
  readonly due: PlaceholderState
}

/** antd's tree select, which replaces the placeholder of a tree filter. */
export function FilterTreeControl({ due, nodes, id, placeholder, value, onChange }: Props) {
  return (
    <TreeSelect<string>
      {...(id && { id })}
      placeholder={placeholder}
      {...usePlaceholderState(due)}
      {...(value && { value })}
      onChange={(next) => onChange?.(next)}
      allowClear
      showSearch={{ treeNodeFilterProp: 'title' }}
      fieldNames={{ value: 'key' }}
      treeData={nodes}
    />
  )
}
