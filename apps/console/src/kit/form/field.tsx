import { about } from '@oms/contract/core/fields.ts'
import { ENABLED_LABELS } from '@oms/contract/core/status-labels.ts'
import { Checkbox, Form, type FormRule, Input, InputNumber, Switch } from 'antd'
import type { ReactNode } from 'react'
import type * as z from 'zod'
import type { CreatableKind } from '#core/routing/create-forms.ts'
import type { Option } from '#kit/list/filter.tsx'
import type { OptionsQuery } from './no-options.tsx'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { fenToYuan, findProblem, formatYuanInput, keepDigits, yuanToFen } from './form-values.ts'
import { buildLabelOptions } from './label-options.ts'
import { showCount } from './text-limit.ts'
import '#kit/kit.css'

export { keepDigits as digitsOnly } from './form-values.ts'

export interface FieldOf<S extends z.ZodObject> {
  of: S
  name: keyof S['shape'] & string
}

/** Options of a form field. */
export interface FieldOptions {
  /** Path of the field inside nested records: `within={['components', 0]}`. */
  within?: readonly (string | number)[]
  /** Help text below the control. */
  hint?: ReactNode
  disabled?: boolean
  /** Message for an empty value, in a form that requires a field which the contract leaves optional. */
  missing?: string | undefined
  /** Example of a value, shown in the empty control. */
  example?: string
}

/** Returns antd's form rules for a contract field: required mark and messages are equal to the server's. */
export function buildFieldRules<S extends z.ZodObject>({ of, name }: FieldOf<S>) {
  const schema = of.shape[name] as z.ZodType
  const validator = async (_rule: unknown, value: unknown) => {
    const problem = findProblem(schema, value ?? undefined)
    if (problem) throw new Error(problem)
  }
  return {
    required: !schema.safeParse(undefined).success,
    rules: [{ validator }],
    validateTrigger: 'onBlur',
  }
}

/** Conversion between the form's value and the control's value. */
interface Conversion {
  normalize?(value: unknown): unknown
  getValueProps?(value: unknown): Record<string, unknown>
}

/** Renders a form item of a contract field around a control. */
export function Field<S extends z.ZodObject>({
  of,
  name,
  within = [],
  hint,
  missing,
  children,
  ...item
}: FieldOf<S> & FieldOptions & Conversion & { children: ReactNode; valuePropName?: string }) {
  const { disabled: _, example: __, ...rest } = item
  const { rules, required, ...rule } = buildFieldRules({ of, name })
  const path = [...within, name]
  const all = missing === undefined ? rules : [filledRule(missing), ...rules]
  return (
    <Form.Item
      name={path}
      label={about(of, name).title}
      extra={hint}
      {...rule}
      required={required || missing !== undefined}
      rules={all.flatMap((each) => acceptUntouched(each, path))}
      validateFirst
      {...rest}
    >
      {children}
    </Form.Item>
  )
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (Array.isArray(value) ? value.length === 0 : String(value).trim() === '')

interface ValidatorRule {
  validator(rule: unknown, value: unknown): Promise<void>
}

/**
 * Accepts an empty field that the user focused and left without typing, for example the first field of a dialog.
 * Submitting the form still validates the field with the rule of the trigger `onSubmit`.
 */
const acceptUntouched = ({ validator }: ValidatorRule, path: (string | number)[]): FormRule[] => [
  ({ isFieldTouched }) => ({
    validateTrigger: 'onBlur',
    validator: async (rule: unknown, value: unknown) => {
      if (!isEmpty(value) || isFieldTouched(path)) await validator(rule, value)
    },
  }),
  { validateTrigger: 'onSubmit', validator },
]

/** Returns antd's form rule that refuses an empty value. */
const filledRule = (message: string) => ({
  validator: async (_rule: unknown, value: unknown) => {
    if (isEmpty(value)) throw new Error(message)
  },
})

const exampleOf = ({ example }: FieldOptions) => (example ? `如 ${example}` : '')

/** Single-line text field; the character count uses the schema's limit. */
export function TextField<S extends z.ZodObject>(props: FieldOf<S> & FieldOptions) {
  const { max } = about(props.of, props.name)
  return (
    <Field {...props}>
      <Input {...limit(max)} placeholder={exampleOf(props)} allowClear disabled={props.disabled === true} />
    </Field>
  )
}

/** Multi-line text field; the character count uses the schema's limit. */
export function NoteField<S extends z.ZodObject>({
  rows = 4,
  ...props
}: FieldOf<S> & FieldOptions & { rows?: number }) {
  const { max } = about(props.of, props.name)
  return (
    <Field {...props}>
      <Input.TextArea {...limit(max)} rows={rows} placeholder={exampleOf(props)} disabled={props.disabled === true} />
    </Field>
  )
}

/** Text field for digits; other characters are removed while typing. */
export function DigitsField<S extends z.ZodObject>(props: FieldOf<S> & FieldOptions) {
  const { max } = about(props.of, props.name)
  return (
    <Field {...props} normalize={keepDigits}>
      <Input {...limit(max)} inputMode="numeric" placeholder={exampleOf(props)} disabled={props.disabled === true} />
    </Field>
  )
}

/**
 * Number field; `unit` is shown after the number. The contract checks the limits and names them. Limits of the control
 * would replace a typed number without a message.
 */
export function NumberField<S extends z.ZodObject>({ unit, ...props }: FieldOf<S> & FieldOptions & { unit?: string }) {
  return (
    <Field {...props}>
      <InputNumber
        style={{ width: '100%' }}
        placeholder={exampleOf(props)}
        disabled={props.disabled === true}
        {...(unit && { suffix: unit })}
      />
    </Field>
  )
}

/** Value of a limit field without a limit. */
const UNLIMITED = -1
/** Limit of a field whose checkbox is cleared. */
const FIRST_LIMIT = 100

/** Number field for a limit, with a checkbox for the value -1, which means no limit. */
export function LimitField<S extends z.ZodObject>({ unit, ...props }: FieldOf<S> & FieldOptions & { unit: string }) {
  return (
    <Field {...props} missing={`请输入${about(props.of, props.name).title}，或选择不限`}>
      <LimitControl unit={unit} />
    </Field>
  )
}

interface LimitControlProps {
  readonly unit: string
  readonly value?: number | null
  onChange?(value: number | null): void
}

function LimitControl({ unit, value, onChange, ...control }: LimitControlProps) {
  const isUnlimited = value === UNLIMITED
  return (
    <div className="kit-limit">
      <InputNumber
        {...control}
        value={isUnlimited ? null : (value ?? null)}
        disabled={isUnlimited}
        placeholder={isUnlimited ? '不限' : ''}
        suffix={unit}
        onChange={(next) => onChange?.(next)}
      />
      <Checkbox checked={isUnlimited} onChange={({ target }) => onChange?.(target.checked ? UNLIMITED : FIRST_LIMIT)}>
        不限
      </Checkbox>
    </div>
  )
}

/**
 * Amount field. The form stores fen, and the control shows yuan with two decimals. The control keeps further typed
 * decimals, and the contract refuses them.
 */
export function MoneyField<S extends z.ZodObject>(props: FieldOf<S> & FieldOptions) {
  return (
    <Field {...props} normalize={yuanToFen} getValueProps={(fen) => ({ value: fenToYuan(fen) })}>
      <InputNumber
        style={{ width: '100%' }}
        placeholder={exampleOf(props)}
        disabled={props.disabled === true}
        formatter={formatYuanInput}
        suffix="元"
      />
    </Field>
  )
}

/** Select for a closed set; the schema's labels are the default options. */
export function SelectField<S extends z.ZodObject>({
  options,
  multiple,
  create,
  read,
  ...props
}: FieldOf<S> &
  FieldOptions & { options?: readonly Option[]; multiple?: true; create?: CreatableKind; read?: OptionsQuery }) {
  const { title, labels } = about(props.of, props.name)
  const offered = options ?? buildLabelOptions(labels ?? {})
  return (
    <Field {...props}>
      <CreatingSelect
        create={create}
        read={read}
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

/** Switch with the values 1 and 0. The switch shows the labels of the field, or the texts `on` and `off`. */
export function SwitchField<S extends z.ZodObject>(props: FieldOf<S> & FieldOptions & { on?: string; off?: string }) {
  const { title, labels } = about(props.of, props.name)
  const on = props.on ?? labels?.[1] ?? ENABLED_LABELS.on
  const off = props.off ?? labels?.[0] ?? ENABLED_LABELS.off
  return (
    <Form.Item
      name={[...(props.within ?? []), props.name]}
      label={title}
      extra={props.hint}
      valuePropName="checked"
      getValueProps={(value: unknown) => ({ checked: value === true || value === 1 })}
      normalize={(checked: boolean) => (checked ? 1 : 0)}
    >
      <Switch className="kit-switch" checkedChildren={on} unCheckedChildren={off} disabled={props.disabled === true} />
    </Form.Item>
  )
}

const limit = (max: number | undefined) => (max ? showCount(max) : {})
