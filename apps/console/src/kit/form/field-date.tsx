import { about } from '@oms/contract/core/fields.ts'
import dayjs, { type Dayjs } from 'dayjs'
import { type KeyboardEvent, type SyntheticEvent, useState } from 'react'
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

/** Formats of a typed time. A part of the time that is not typed is 0. */
const TIME_FORMATS = ['YYYY-MM-DD HH:mm:ss', 'YYYY-MM-DD HH:mm', 'YYYY-MM-DD']

/** Returns a completely typed time, or undefined for any other text. */
const parseTyped = (text: string) =>
  TIME_FORMATS.map((format) => dayjs(text.trim(), format, true)).find((time) => time.isValid())

interface PickerProps {
  readonly format: string
  readonly placeholder: string
  readonly disabled?: boolean | undefined
  readonly id?: string
  readonly value?: string | null
  onChange?(value: string | undefined): void
}

/** Adapts antd's picker to text values. A typed value counts when the field is left, without a press on 确定. */
function TextPicker({ format, value, onChange, disabled, ...rest }: PickerProps) {
  const moment = value ? dayjs(value) : null
  const [open, setOpen] = useState(false)
  // The picker itself parses only the complete format. It would otherwise replace `2026-11-27` by a complete time while
  // the person still types the hour.
  const completeTyped = ({ target }: SyntheticEvent) => {
    const typed = target instanceof HTMLInputElement ? parseTyped(target.value)?.format(format) : undefined
    if (typed !== undefined && typed !== value) onChange?.(typed)
  }
  /** Enter confirms the typed date. Without this, the browser would also submit the form. */
  const keepEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    completeTyped(event)
    setOpen(false)
  }
  return (
    <Calendar
      {...rest}
      onKeyDown={keepEnter}
      onBlur={completeTyped}
      open={open}
      onOpenChange={setOpen}
      style={{ width: '100%' }}
      disabled={disabled === true}
      format={format}
      showTime={format.includes('HH')}
      needConfirm={false}
      value={moment?.isValid() ? moment : null}
      onChange={(next: Dayjs | null) => onChange?.(next?.format(format))}
    />
  )
}
