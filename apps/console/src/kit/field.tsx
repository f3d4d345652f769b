import { about } from '@oms/contract/kernel/fields.ts'
import { Form, Input, InputNumber, Select, Switch } from 'antd'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import { fullSchema, problemIn } from '#kernel/full-schema.ts'
import { digitsOnly } from './form-values.ts'
import type { Option } from './filter.tsx'
import './kit.css'

export { digitsOnly } from './form-values.ts'

export interface Of<S extends z.ZodObject> {
  of: S
  name: keyof S['shape'] & string
}

/** The path of a field inside a form of nested records: `within={['components', 0]}`. */
export interface Within {
  within?: readonly (string | number)[]
  /** Said under the control. */
  hint?: ReactNode
  disabled?: boolean
}

/** The rules of one field of a contract schema, as antd's form takes them: its star and its messages are the server's own. */
export function ruleOf<S extends z.ZodObject>({ of, name }: Of<S>) {
  const schema = of.shape[name] as z.ZodType
  const validator = async (_rule: unknown, value: unknown) => {
    const problem = problemIn(schema, value ?? undefined)
    if (problem) throw new Error(problem)
  }
  return {
    required: !fullSchema(schema).safeParse(undefined).success,
    rules: [{ validator }],
    validateTrigger: 'onBlur',
  }
}

/** One form item of a contract schema around any control. */
export function Field<S extends z.ZodObject>({
  of,
  name,
  within = [],
  hint,
  children,
  ...item
}: Of<S> & Within & { children: ReactNode; valuePropName?: string; normalize?(value: unknown): unknown }) {
  const { disabled: _, ...rest } = item
  return (
    <Form.Item name={[...within, name]} label={about(of, name).title} extra={hint} {...ruleOf({ of, name })} {...rest}>
      {children}
    </Form.Item>
  )
}

/** A line of text, with the schema's length limit counted at its end. */
export function TextField<S extends z.ZodObject>(props: Of<S> & Within) {
  const { title, max } = about(props.of, props.name)
  return (
    <Field {...props}>
      <Input {...limit(max)} placeholder={`请输入${title}`} allowClear disabled={props.disabled === true} />
    </Field>
  )
}

/** Several lines of text, with the schema's length limit counted below. */
export function NoteField<S extends z.ZodObject>({ rows = 4, ...props }: Of<S> & Within & { rows?: number }) {
  const { title, max } = about(props.of, props.name)
  return (
    <Field {...props}>
      <Input.TextArea {...limit(max)} rows={rows} placeholder={`请输入${title}`} disabled={props.disabled === true} />
    </Field>
  )
}

/** Digits kept as text: everything else is stripped as it is typed. */
export function DigitsField<S extends z.ZodObject>(props: Of<S> & Within) {
  const { title, max } = about(props.of, props.name)
  return (
    <Field {...props} normalize={digitsOnly}>
      <Input {...limit(max)} inputMode="numeric" placeholder={`请输入${title}`} disabled={props.disabled === true} />
    </Field>
  )
}

/** A number; `unit` is said behind it. */
export function NumberField<S extends z.ZodObject>({
  unit,
  ...props
}: Of<S> & Within & { unit?: string; min?: number; max?: number }) {
  const { min, max, ...field } = props
  return (
    <Field {...field}>
      <InputNumber
        style={{ width: '100%' }}
        placeholder={`请输入${about(props.of, props.name).title}`}
        disabled={props.disabled === true}
        {...(unit && { suffix: unit })}
        {...(min !== undefined && { min })}
        {...(max !== undefined && { max })}
      />
    </Field>
  )
}

/** One value of a closed set: the schema's own labels unless `options` are given. */
export function SelectField<S extends z.ZodObject>({
  options,
  multiple,
  ...props
}: Of<S> & Within & { options?: readonly Option[]; multiple?: true }) {
  const { title, labels } = about(props.of, props.name)
  const offered = options ?? Object.entries(labels ?? {}).map(([value, label]) => ({ value: Number(value), label }))
  return (
    <Field {...props}>
      <Select
        allowClear
        placeholder={`请选择${title}`}
        disabled={props.disabled === true}
        options={[...offered]}
        showSearch={offered.length > 8 && { optionFilterProp: 'label' }}
        {...(multiple && { mode: 'multiple' as const })}
      />
    </Field>
  )
}

/** On or off, kept as 1 or 0 unless `values` say otherwise. */
export function SwitchField<S extends z.ZodObject>({
  on = '启用',
  off = '停用',
  ...props
}: Of<S> & Within & { on?: string; off?: string }) {
  return (
    <Form.Item
      name={[...(props.within ?? []), props.name]}
      label={about(props.of, props.name).title}
      extra={props.hint}
      valuePropName="checked"
      getValueProps={(value: unknown) => ({ checked: value === true || value === 1 })}
      normalize={(checked: boolean) => (checked ? 1 : 0)}
    >
      <Switch className="kit-switch" checkedChildren={on} unCheckedChildren={off} disabled={props.disabled === true} />
    </Form.Item>
  )
}

/** The schema counts what people see as characters; so does the counter. */
const limit = (max: number | undefined) => (max ? { maxLength: max, showCount: true } : {})
