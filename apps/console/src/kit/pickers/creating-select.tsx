import { Select, type SelectProps } from 'antd'
import type { ReactElement } from 'react'
import type { CreatableKind } from '#core/routing/create-forms.ts'
import { type OptionsQuery, renderNoOptions } from '#kit/form/no-options.tsx'
import { useCreateInPlace } from './create-in-place.tsx'

/**
 * antd's Select with a button that creates a missing option, for accounts with the create permission. `read` is the
 * request that loads the options. When `read` fails, the list shows the failure and a retry instead of options.
 */
export function CreatingSelect({
  create,
  read,
  ...props
}: SelectProps & { create?: CreatableKind | undefined; read?: OptionsQuery | undefined }) {
  const { options = [], mode, value, onChange } = props
  const { select, form, created } = useCreateInPlace(create, ({ id }) =>
    onChange?.(mode === 'multiple' ? [...(value ?? []), id] : id),
  )
  const missing = created.filter(({ id }) => !options.some((option) => option.value === id))
  const offered = [...options, ...missing.map(({ id, name }) => ({ value: id, label: name }))]
  return (
    <>
      <Select
        {...props}
        {...(read && { notFoundContent: renderNoOptions(read, props.notFoundContent ?? '没有可选项') })}
        {...select}
        {...(read && read.error !== null && { popupRender: showMenu })}
        options={offered}
      />
      {form}
    </>
  )
}

const showMenu = (menu: ReactElement) => menu
