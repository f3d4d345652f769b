import { agentModels, type ModelDetail } from '@oms/contract/agent/models/config.ts'
import {
  toConfigValue,
  isNumberField,
  isSecretField,
  findFieldProblem,
} from '@oms/contract/agent/models/model-config.ts'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import type { ProviderRow } from '@oms/contract/agent/models/provider.ts'
import { Button, Form, Input, InputNumber, Switch } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { RevealSecretDialog } from '../reveal-dialog.tsx'

type Shown = ProviderRow['fields'][number]

/** Inputs of the provider's fields. */
export function ModelFields({ fields, row }: { fields: readonly Shown[]; row?: ModelDetail | undefined }) {
  return (
    <fieldset className="kit-box">
      <legend>接口参数</legend>
      {fields.length === 0 && <p className="kit-none">该接口没有参数</p>}
      {fields.map((field) =>
        isSecretField(field as ProviderField) ? (
          <SecretField key={field.key} field={field} row={row} />
        ) : (
          <PlainField key={field.key} field={field} all={fields} stored={row?.config[field.key]} />
        ),
      )}
    </fieldset>
  )
}

const ruleOf = (field: Shown, all: readonly Shown[], stored: unknown) => ({
  required: field.required === true && !isSecretField(field as ProviderField),
  validateTrigger: 'onBlur',
  rules: [
    {
      validator: async (_rule: unknown, value: unknown) => {
        const problem = findFieldProblem(field as ProviderField, value, all as readonly ProviderField[], stored)
        if (problem) throw new Error(problem)
      },
    },
  ],
})

interface PlainProps {
  readonly field: Shown
  /** All fields of the provider. */
  readonly all: readonly Shown[]
  /** Saved value of the field, before the user edits the form. */
  readonly stored: unknown
}

function PlainField({ field, all, stored }: PlainProps) {
  const isSwitch = field.type === 'boolean'
  return (
    <Form.Item
      name={['config', field.key]}
      label={field.label}
      extra={isNumberField(field) ? describeRange(field) : HINTS[field.type]}
      {...ruleOf(field, all, stored)}
      {...(isSwitch && { getValueProps: (value: unknown) => ({ checked: toConfigValue(field, value) === true }) })}
    >
      {controlOf(field)}
    </Form.Item>
  )
}

/** Returns a hint with the range of a number; undefined without a range or when the label contains the range. */
function describeRange({ label, min, max }: Shown) {
  const hasMin = typeof min === 'number'
  const hasMax = typeof max === 'number'
  if (label.includes('~') || (!hasMin && !hasMax)) return undefined
  return hasMin && hasMax ? `${min} 到 ${max}` : hasMin ? `不小于 ${min}` : `不大于 ${max}`
}

const HINTS: Partial<Record<Shown['type'], string>> = {
  dict: 'JSON，例如 {"speed": 1}',
  array: '多个值用分号分隔',
}

function controlOf(field: Shown) {
  const placeholder = `请输入${field.label}`
  if (field.key === 'llm') return <LlmSelect />
  if (field.type === 'boolean') return <Switch checkedChildren="是" unCheckedChildren="否" />
  if (isNumberField(field)) return <InputNumber style={{ width: '100%' }} placeholder={placeholder} />
  if (field.type === 'dict') return <Input.TextArea rows={4} placeholder={placeholder} className="kit-mono" />
  if (field.type === 'array') return <Input.TextArea rows={2} placeholder={placeholder} />
  return <Input placeholder={placeholder} allowClear />
}

/** Selects the language model that an intent or a memory calls. The value is the code of the model. */
function LlmSelect(props: { id?: string; value?: string; onChange?(code: string | undefined): void }) {
  const read = useRead(agentModels.options, { type: 'LLM' }, { quiet: true })
  const options = (read.data?.list ?? [])
    .filter(({ providerCode, status }) => status === 1 && (providerCode === 'openai' || providerCode === 'ollama'))
    .map(({ code, name }) => ({ value: code, label: `${name}（${code}）` }))
  return (
    <CreatingSelect
      {...props}
      allowClear
      showSearch={{ optionFilterProp: 'label' }}
      placeholder="请选择LLM"
      read={read}
      options={options}
    />
  )
}

/** Input of a secret. An untouched input keeps the stored secret; an emptied input removes it. */
function SecretField({ field, row }: { field: Shown; row: ModelDetail | undefined }) {
  const name = ['config', field.key]
  const form = Form.useFormInstance()
  const value: unknown = Form.useWatch(name, form)
  const stored = row?.secrets[field.key]
  const isStored = stored !== undefined
  const placeholder = !isStored
    ? `请输入${field.label}`
    : value === ''
      ? '保存后清除已设置的密钥'
      : `已设置${stored ? `（末四位 ${stored}）` : ''}，不填则保持不变`
  return (
    <Form.Item name={name} label={field.label} extra={isStored && <SecretActions field={field} row={row!} />}>
      <Input.Password placeholder={placeholder} autoComplete="new-password" visibilityToggle={value !== undefined} />
    </Form.Item>
  )
}

function SecretActions({ field, row }: { field: Shown; row: ModelDetail }) {
  const form = Form.useFormInstance()
  const mayCall = useMayCall()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      {mayCall(agentModels.reveal) && (
        <Button type="link" size="small" onClick={() => setAsking(true)}>
          查看
        </Button>
      )}
      <Button type="link" size="small" danger onClick={() => form.setFieldValue(['config', field.key], '')}>
        清除
      </Button>
      {isAsking && <RevealSecretDialog row={row} field={field} onClose={() => setAsking(false)} />}
    </>
  )
}
