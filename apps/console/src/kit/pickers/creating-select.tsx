import { Select, type SelectProps } from 'antd'
import type { CreatableKind } from '#core/routing/create-forms.ts'
import { useOptionLabels } from '#kit/form/option-labels.ts'
import { useCreateInPlace } from './create-in-place.tsx'

/** antd's Select that offers to create a missing option, with the create permission. */
export function CreatingSelect({ create, ...props }: SelectProps & { create?: CreatableKind | undefined }) {
  const { options = [], mode, value, onChange } = props
  const { select, form, created } = useCreateInPlace(create, ({ id }) =>
    onChange?.(mode === 'multiple' ? [...(value ?? []), id] : id),
  )
  const missing = created.filter(({ id }) => !options.some((option) => option.value === id))
  const offered = [...options, ...missing.map(({ id, name }) => ({ value: id, label: name }))]
  useOptionLabels(props.id, offered)
  return (
    <>
      <Select {...props} {...select} options={offered} />
      {form}
    </>
  )
}
