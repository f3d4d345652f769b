import { Select } from 'antd'
import type { NamedRecord } from '#core/routing/create-forms.ts'
import { type OptionSource, type SelectProps, useShownOptions } from './use-shown-options.tsx'

export interface RecordsSelectProps extends SelectProps {
  readonly value?: readonly number[]
  readonly onChange?: (ids: number[]) => void
  /** Initially selected records, so that names are shown instead of ids. */
  readonly chosen?: readonly NamedRecord[]
  /** Receives the names of the selected records. */
  readonly onNames?: (names: ReadonlyMap<number, string>) => void
  readonly maxTagCount?: number
}

/** Selects several records with server search while typing. */
export function RecordsSelect(props: RecordsSelectProps & { source: OptionSource }) {
  const { value = [], onChange, onNames, maxTagCount, chosen = [], ...rest } = props
  const change = (ids: readonly number[], created?: NamedRecord) => {
    const named = (id: number) => (id === created?.id ? created.name : nameOf(id))
    onNames?.(new Map(ids.map((id) => [id, named(id)])))
    onChange?.([...ids])
  }
  const { select, form, nameOf } = useShownOptions({
    ...rest,
    picked: value,
    chosen,
    onCreated: (record) => change([...value, record.id], record),
  })
  return (
    <>
      <Select
        {...select}
        mode="multiple"
        value={[...value]}
        onChange={(next: number[]) => change(next)}
        {...(maxTagCount && { maxTagCount })}
      />
      {form}
    </>
  )
}
