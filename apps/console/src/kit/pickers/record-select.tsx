import type { NamedRecord } from '#core/routing/create-forms.ts'
import { Select } from '#kit/form/select.tsx'
import { type OptionSource, type SelectProps, useShownOptions } from './use-shown-options.tsx'

export interface RecordSelectProps extends SelectProps {
  /** Id of the selected record, null without a record. Filters pass the id as a text from the URL. */
  readonly value?: number | string | null
  readonly onChange?: (id: number | undefined) => void
  /** Initially selected record, so that its name is shown instead of its id. */
  readonly chosen?: NamedRecord | undefined
}

/**
 * Selects one record with server search while typing. A select that offers 新增 also starts as a placeholder. Its popup
 * is positioned correctly, because every build contains the style rule of the popup.
 */
export function RecordSelect({ value, onChange, chosen, ...rest }: RecordSelectProps & { source: OptionSource }) {
  const picked = (value ?? '') === '' ? undefined : Number(value)
  const { select, form } = useShownOptions({
    ...rest,
    picked: picked === undefined ? [] : [picked],
    chosen: chosen ? [chosen] : [],
    onCreated: ({ id }) => onChange?.(id),
  })
  return (
    <>
      <Select
        {...select}
        {...(picked !== undefined && { value: picked })}
        onChange={(next: number | undefined) => onChange?.(next)}
      />
      {form}
    </>
  )
}
