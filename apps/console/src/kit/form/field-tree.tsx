import { about } from '@oms/contract/core/fields.ts'
import { TreeSelect, type TreeSelectProps } from 'antd'
import type * as z from 'zod'
import type { CreatableKind } from '#core/routing/create-forms.ts'
import { useCreateInPlace } from '#kit/pickers/create-in-place.tsx'
import type { TreeItem } from '#kit/tree/tree-item.ts'
import { Field, type FieldOf, type FieldOptions } from './field.tsx'

/** Form field that selects a tree node. */
export function TreeSelectField<S extends z.ZodObject>({
  tree,
  create,
  ...props
}: FieldOf<S> & FieldOptions & { tree: readonly TreeItem[]; create?: CreatableKind }) {
  return (
    <Field {...props}>
      <Control
        create={create}
        allowClear
        showSearch={{ treeNodeFilterProp: 'title' }}
        placeholder={`请选择${about(props.of, props.name).title}`}
        disabled={props.disabled === true}
        fieldNames={{ value: 'key', label: 'title' }}
        treeData={[...tree] as { key: string }[]}
      />
    </Field>
  )
}

type ControlProps = Omit<TreeSelectProps, 'onChange'> & {
  readonly create?: CreatableKind | undefined
  readonly onChange?: (value: unknown) => void
}

function Control({ create, ...props }: ControlProps) {
  const { select, form } = useCreateInPlace(create, ({ id }) => props.onChange?.(id))
  return (
    <>
      <TreeSelect {...props} {...select} />
      {form}
    </>
  )
}
