import { Select as FormSelect } from 'antd'
import type { NamedRecord } from '#core/routing/create-forms.ts'
import { Select } from '#kit/form/select.tsx'
import { type OptionSource, type SelectProps, useShownOptions } from './use-shown-options.tsx'

export interface RecordSelectProps extends SelectProps {
  /** Set by the form; a filter holds the URL's text. */
  readonly value?: number | string
  readonly onChange?: (id: number | undefined) => void
  /** Initially selected record, so that its name is shown instead of its id. */
  readonly chosen?: NamedRecord | undefined
}

/** Selects one record with server search while typing. */
export function RecordSelect({ value, onChange, chosen, ...rest }: RecordSelectProps & { source: OptionSource }) {
  const picked = value === undefined || value === '' ? undefined : Number(value)
  const { select, form } = useShownOptions({
    ...rest,
    picked: picked === undefined ? [] : [picked],
    chosen: chosen ? [chosen] : [],
    onCreated: ({ id }) => onChange?.(id),
  })
  // The placeholder of list filters would open the options before they can be positioned with a button below them.
  const Control = rest.create ? FormSelect : Select
  return (
    <>
      <Control
        {...select}
        {...(picked !== undefined && { value: picked })}
        onChange={(next: number | undefined) => onChange?.(next)}
      />
      {form}
    </>
  )
}
