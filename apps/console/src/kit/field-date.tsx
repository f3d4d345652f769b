import { about } from '@oms/contract/kernel/fields.ts'
import dayjs, { type Dayjs } from 'dayjs'
import type * as z from 'zod'
import { Calendar } from './calendar.ts'
import { Field, type Of, type Within } from './field.tsx'

/** A day, kept as `yyyy-MM-dd`. */
export const DateField = <S extends z.ZodObject>(props: Of<S> & Within) => (
  <Field {...props}>
    <TextPicker format="YYYY-MM-DD" placeholder={placeholderOf(props)} disabled={props.disabled} />
  </Field>
)

/** A moment, kept as `yyyy-MM-dd HH:mm:ss`. */
export const DateTimeField = <S extends z.ZodObject>(props: Of<S> & Within) => (
  <Field {...props}>
    <TextPicker format="YYYY-MM-DD HH:mm:ss" placeholder={placeholderOf(props)} disabled={props.disabled} />
  </Field>
)

const placeholderOf = <S extends z.ZodObject>({ of, name }: Of<S>) => `请选择${about(of, name).title}`

/** antd's picker speaking the wire's language: a text in, a text out. */
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
      style={{ width: '100%' }}
      disabled={disabled === true}
      format={format}
      showTime={format.includes('HH')}
      value={moment?.isValid() ? moment : null}
      onChange={(next: Dayjs | null) => onChange?.(next?.format(format))}
    />
  )
}
