import type { SelectProps as AntdSelectProps } from 'antd'
import { type ReactElement, type ReactNode, useState } from 'react'
import type { CreatableKind, CreateForm, NamedRecord } from '#core/routing/create-forms.ts'
import { type OptionsQuery, renderNoOptions } from '#kit/form/no-options.tsx'
import { useCreateInPlace } from './create-in-place.tsx'
import { keepStaleOptions } from './keep-stale-options.ts'

export interface RecordOption {
  readonly value: number
  readonly label: string
  /** True for a record that cannot be selected; the label says why. */
  readonly disabled?: boolean
}

/** Options of a select that asks the server while the user types. */
export interface OptionSource {
  readonly options: readonly RecordOption[]
  /** The request of the options; a failure is shown with a retry in place of the options. */
  readonly read: OptionsQuery
  /** Text of a list without options. Default: `没有找到`. */
  readonly emptyText?: ReactNode
  onSearch(text: string): void
}

/** Props that the select of one record and the select of several records share. */
export interface SelectProps {
  readonly id?: string
  readonly placeholder?: string
  readonly disabled?: boolean
  /** Accessible name of a select outside a form. */
  readonly label?: string
  /** Offers to create a missing record, with its create permission. */
  readonly create?: CreatableKind | CreateForm | undefined
}

interface Shown extends SelectProps {
  readonly source: OptionSource
  /** Ids of the selected records. */
  readonly picked: readonly number[]
  /** Initially selected records, so that names are shown instead of ids. */
  readonly chosen: readonly NamedRecord[]
  onCreated(record: NamedRecord): void
}

/** Returns the props of antd's Select. Names stay known when a selected record is not in the search result. */
export function useShownOptions({ create, source, picked, chosen, onCreated, ...control }: Shown) {
  const { id, placeholder, disabled, label } = control
  const { read } = source
  const [names, setNames] = useState<ReadonlyMap<number, string>>(
    () => new Map(chosen.map((record) => [record.id, record.name])),
  )
  const fresh = source.options.filter(({ value, label }) => names.get(value) !== label)
  if (fresh.length > 0) setNames(new Map([...names, ...fresh.map(({ value, label }) => [value, label] as const)]))
  const inPlace = useCreateInPlace(create, (record) => {
    setNames(new Map([...names, [record.id, record.name]]))
    onCreated(record)
  })
  const [isSearching, setIsSearching] = useState(false)
  const search = (text: string) => {
    setIsSearching(text !== '')
    source.onSearch(text)
  }
  const nameOf = (value: number) => names.get(value) ?? String(value)
  const missing = picked.filter((value) => names.has(value) && !source.options.some((each) => each.value === value))
  return {
    nameOf,
    form: inPlace.form,
    select: {
      ...(id && { id }),
      ...(placeholder && { placeholder }),
      ...(disabled && { disabled }),
      ...(label && { 'aria-label': label }),
      ...inPlace.select,
      // Hides the create button after a failure, because the record may already exist among the options that were not
      // loaded.
      ...(read.error !== null && { popupRender: showMenu }),
      onOpenChange: forgetSearch(search, inPlace.select.onOpenChange),
      ...keepStaleOptions(read.isFetching),
      allowClear: true,
      showSearch: { filterOption: false as const, onSearch: search },
      notFoundContent: renderNoOptions(read, source.emptyText),
      // A search shows only its results; otherwise Enter selects the selected record again.
      options: [...(isSearching ? [] : missing.map((value) => ({ value, label: nameOf(value) }))), ...source.options],
      labelRender: renderLabel(nameOf),
    },
  }
}

const renderLabel =
  (nameOf: (id: number) => string): NonNullable<AntdSelectProps['labelRender']> =>
  ({ label, value }) =>
    label ?? nameOf(Number(value))

const showMenu = (menu: ReactElement) => menu

/** Ends the search when the list closes: antd clears the typed text then, and does not report that. */
const forgetSearch = (search: (text: string) => void, onOpenChange?: (open: boolean) => void) => (open: boolean) => {
  onOpenChange?.(open)
  if (!open) search('')
}
