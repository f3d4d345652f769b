import { about } from '@oms/contract/kernel/fields.ts'
import { TreeSelect } from 'antd'
import type * as z from 'zod'
import { Field, type Of, type Within } from './field.tsx'
import type { TreeItem } from './tree/tree-item.ts'

/** A node of a tree, or several. */
export function TreeSelectField<S extends z.ZodObject>({
  tree,
  multiple,
  ...props
}: Of<S> & Within & { tree: readonly TreeItem[]; multiple?: true }) {
  return (
    <Field {...props}>
      <TreeSelect
        allowClear
        {...(multiple && { multiple })}
        showSearch={{ treeNodeFilterProp: 'title' }}
        placeholder={`请选择${about(props.of, props.name).title}`}
        disabled={props.disabled === true}
        fieldNames={{ value: 'key', label: 'title' }}
        treeData={[...tree] as { key: string }[]}
      />
    </Field>
  )
}
