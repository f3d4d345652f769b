import { about } from '@oms/contract/core/fields.ts'
import { Form } from 'antd'
// Imports only the plain input; text areas, passwords and one-time codes load with the forms that use them.
import Input from 'antd/es/input/Input'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import { Select } from '#kit/form/select.tsx'
import { countTrimmedText } from '#kit/form/text-limit.ts'

interface Of<S extends z.ZodObject> {
  of: S
  name: keyof S['shape'] & string
}
export interface Option {
  readonly value: string | number
  readonly label: string
}

/** Search field: labelled like the filtered column, without validation rules. Default control: text input. */
export function Filter<S extends z.ZodObject>({
  of,
  name,
  placeholder,
  children,
}: Of<S> & { placeholder?: string; children?: ReactNode }) {
  const { title, max } = about(of, name)
  return (
    <Form.Item name={[name]} label={title}>
      {children ?? <Input allowClear {...countTrimmedText(max ?? 64)} placeholder={placeholder ?? `请输入${title}`} />}
    </Form.Item>
  )
}

/** Search field for a closed set. The schema's labels are the default options. `all` is shown while nothing is chosen. */
export function SelectFilter<S extends z.ZodObject>({
  of,
  name,
  options,
  multiple,
  all,
}: Of<S> & { options?: readonly Option[]; multiple?: true; all?: string }) {
  const { title, labels } = about(of, name)
  const offered = options ?? Object.entries(labels ?? {}).map(([value, label]) => ({ value, label }))
  return (
    <Filter of={of} name={name}>
      <Select
        allowClear
        placeholder={all ?? `请选择${title}`}
        {...(multiple && { mode: 'multiple' as const, maxTagCount: 'responsive' as const })}
        // The URL contains text, so option values must be text to match.
        options={offered.map(({ value, label }) => ({ value: String(value), label }))}
        showSearch={offered.length > 8 && { optionFilterProp: 'label' }}
      />
    </Filter>
  )
}
