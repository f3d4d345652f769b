import { about } from '@oms/contract/kernel/fields.ts'
import { Form } from 'antd'
// Only the plain input: areas, passwords and one-time codes come with the forms that need them.
import Input from 'antd/es/input/Input'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import { Select } from './select.tsx'

interface Of<S extends z.ZodObject> {
  of: S
  name: keyof S['shape'] & string
}
export interface Option {
  readonly value: string | number
  readonly label: string
}

/** A search field: the label of the column it filters, and no rule. A text unless it is given another control. */
export function Filter<S extends z.ZodObject>({ of, name, children }: Of<S> & { children?: ReactNode }) {
  const { title, max } = about(of, name)
  return (
    <Form.Item name={[name]} label={title}>
      {children ?? <Input allowClear maxLength={max ?? 64} placeholder={`请输入${title}`} />}
    </Form.Item>
  )
}

/** A search field with a closed set of values: the schema's own labels unless `options` are given. */
export function SelectFilter<S extends z.ZodObject>({
  of,
  name,
  options,
  multiple,
}: Of<S> & { options?: readonly Option[]; multiple?: true }) {
  const { title, labels } = about(of, name)
  const offered = options ?? Object.entries(labels ?? {}).map(([value, label]) => ({ value, label }))
  return (
    <Filter of={of} name={name}>
      <Select
        allowClear
        placeholder={`请选择${title}`}
        {...(multiple && { mode: 'multiple' as const, maxTagCount: 'responsive' as const })}
        // The address holds texts, so the values offered must be texts to be found in it.
        options={offered.map(({ value, label }) => ({ value: String(value), label }))}
        showSearch={offered.length > 8 && { optionFilterProp: 'label' }}
      />
    </Filter>
  )
}
