import { about } from '@oms/contract/core/fields.ts'
import dayjs, { type Dayjs } from 'dayjs'
import type { KeyboardEvent } from 'react'
import type * as z from 'zod'
import { Calendar } from '#kit/antd/calendar.ts'
import { Field, type FieldOf, type FieldOptions } from './field.tsx'

/** Date field with a value `yyyy-MM-dd`. */
export const DateField = <S extends z.ZodObject>(props: FieldOf<S> & FieldOptions) => (
  <Field {...props}>
    <TextPicker format="YYYY-MM-DD" placeholder={placeholderOf(props)} disabled={props.disabled} />
  </Field>
)

/** Time field with a value `yyyy-MM-dd HH:mm:ss`. */
export const DateTimeField = <S extends z.ZodObject>(props: FieldOf<S> & FieldOptions) => (
  <Field {...props}>
    <TextPicker format="YYYY-MM-DD HH:mm:ss" placeholder={placeholderOf(props)} disabled={props.disabled} />
  </Field>
)

const placeholderOf = <S extends z.ZodObject>({ of, name }: FieldOf<S>) => `请选择${about(of, name).title}`

/** Control of a date as text, for form items with rules of their own. */
export const DateControl = (props: Omit<Parameters<typeof TextPicker>[0], 'format'>) => (
  <TextPicker {...props} format="YYYY-MM-DD" />
)

/** Control of a time as text, for controls outside a form. */
export const DateTimeControl = (props: Omit<Parameters<typeof TextPicker>[0], 'format'>) => (
  <TextPicker {...props} format="YYYY-MM-DD HH:mm:ss" />
)

/** Enter confirms the typed date. Without this, the browser would also submit the form. */
const keepEnter = (event: KeyboardEvent) => {
  if (event.key === 'Enter') event.preventDefault()
}

/** Formats of a typed time. The first one is shown; a time that is not typed is 0. */
const TIME_FORMATS = ['YYYY-MM-DD HH:mm:ss', 'YYYY-MM-DD HH:mm', 'YYYY-MM-DD']

/** Adapts antd's picker to text values. A typed value counts when the field is left, without a press on 确定. */
function TextPicker(props: {
  format: string
  placeholder: string
  disabled?: boolean | undefined
  id?: string
  value?: string | null
  onChange?(value: string | undefined): void
}) {
  const { format, value, onChange, disabled, ...rest } = props
  const moment = value ? dayjs(value) : null
  return (
    <Calendar
      {...rest}
      onKeyDown={keepEnter}
      style={{ width: '100%' }}
      disabled={disabled === true}
      format={format.includes('HH') ? TIME_FORMATS : format}
      showTime={format.includes('HH')}
      needConfirm={false}
      value={moment?.isValid() ? moment : null}
      onChange={(next: Dayjs | null) => onChange?.(next?.format(format))}
    />
  )
}
