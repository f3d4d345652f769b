import {
  agentModels,
  ModelChange,
  type ModelDetail,
  ModelInput,
  type ModelRow,
  PRICE_UNITS,
} from '@oms/contract/agent/models/config.ts'
import {
  toFormConfig,
  type ModelType,
  RELAYED_LLMS,
  toConfigValue,
  isNumberField,
  isSecretField,
  findFieldProblem,
} from '@oms/contract/agent/models/model-config.ts'
import { agentProviders, type ProviderRow } from '@oms/contract/agent/models/provider.ts'
import { Drawer, Form, Button, Input, InputNumber, Switch, Modal } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { MoneyField, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { OwnerField } from '#kit/pickers/owner-field.tsx'
import type { ProviderField } from '@oms/contract/agent/models/provider-field.ts'
import { useState, useId } from 'react'
import { useMayCall } from '#core/auth/session.tsx'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'

const PLATFORM_TENANT_ID = 1

/** Reads the providers of a type. Each provider defines the form of its models. */
function useProviders(type: string) {
  const { data } = useRead(agentProviders.list, { type: type as ModelType, pageSize: 200 }, { quiet: true })
  return data?.list ?? []
}

/** Keeps only the values of the chosen provider's fields. */
const withConfig = (values: Record<string, unknown>, provider: ProviderRow | undefined) => ({
  ...values,
  config: Object.fromEntries(
    Object.entries((values.config ?? {}) as object).filter(
      ([key, value]) => value !== undefined && provider?.fields.some((field) => field.key === key),
    ),
  ),
})

/** Creates a model of a type. */
export function ModelAddForm({ type, onClose }: { type: ModelType; onClose(): void }) {
  const providers = useProviders(type)
  const providerOf = (code: unknown) => providers.find((each) => each.code === code)
  const { drawer, footer, form } = useFormDrawer(agentModels.create, {
    onClose,
    initial: { type, code: `${type}_`, status: 1, sort: 0, priceIn: 0, priceOut: 0, relay: 0, shared: 0 },
    input: (values) =>
      selectAcceptedFields(agentModels.create, withConfig(values, providerOf(values.providerCode))) as z.input<
        typeof ModelInput
      >,
  })
  const provider = providerOf(Form.useWatch('providerCode', form.form))
  const onValuesChange = (changed: object) => {
    form.onValuesChange(changed)
    if (!('providerCode' in changed)) return
    const next = providerOf(changed.providerCode)
    form.form.setFieldValue('config', next ? toFormConfig(next.fields, undefined) : {})
  }
  return (
    <Drawer {...drawer} title="新增模型" footer={<FormFooter {...footer} />}>
      <Form {...form} onValuesChange={onValuesChange}>
        <OwnerField of={ModelInput} />
        <SelectField
          of={ModelInput}
          name="providerCode"
          options={providers.map(({ code, name }) => ({ value: code, label: `${name}（${code}）` }))}
        />
        <TextField of={ModelInput} name="code" hint="语音服务以编码区分模型，全平台唯一，保存后不能修改" />
        <ModelSettings of={ModelInput as unknown as Settings} type={type} provider={provider} />
      </Form>
    </Drawer>
  )
}

/** Edits a model. */
export function ModelEditForm({ row, onClose }: { row: ModelRow; onClose(): void }) {
  const read = () => call(agentModels.get, { id: row.id }, { quiet: true })
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑模型" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

/** Returns the unit without 元, which the field shows itself: `每百万 Token`. */
const perUnit = (unit: string) => unit.replace('元/', '每')

/**
 * Returns the form values. Sets `fallbackModelId` even without a fallback, so that a conflict can compare all fields of
 * the form.
 */
const forForm = ({ fallbackModelId, ...row }: ModelDetail) => ({
  ...row,
  fallbackModelId: fallbackModelId ?? undefined,
})

function EditForm({ row, onClose }: { row: ModelDetail; onClose(): void }) {
  const provider = useProviders(row.type).find(({ code }) => code === row.providerCode)
  const { drawer, footer, form } = useFormDrawer(agentModels.update, {
    onClose,
    initial: forForm(row),
    latest: async () => forForm(await call(agentModels.get, { id: row.id })),
    input: (values) =>
      selectAcceptedFields(agentModels.update, withConfig(values, provider)) as z.input<typeof ModelChange>,
  })
  return (
    <Drawer {...drawer} title={`编辑模型「${row.name}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <p className="kit-hint">
          {row.providerName} · {row.code} · {row.tenantName}
        </p>
        <ModelSettings of={ModelChange as unknown as Settings} type={row.type} provider={provider} row={row} />
      </Form>
    </Drawer>
  )
}

type Settings = z.ZodObject<
  Pick<
    typeof ModelChange.shape,
    | 'name'
    | 'config'
    | 'status'
    | 'sort'
    | 'docLink'
    | 'remark'
    | 'priceIn'
    | 'priceOut'
    | 'shared'
    | 'relay'
    | 'fallbackModelId'
  >
>
interface SettingsProps {
  readonly of: Settings
  readonly type: string
  readonly provider: ProviderRow | undefined
  readonly row?: ModelDetail
}

function ModelSettings({ of, type, provider, row }: SettingsProps) {
  const units = PRICE_UNITS[type]
  const isPlatform = row === undefined || row.tenantId === PLATFORM_TENANT_ID
  return (
    <>
      <TextField of={of} name="name" />
      {provider && <ModelFields fields={provider.fields} row={row} />}
      {units && (
        <div className="kit-pair">
          {units.in && <MoneyField of={of} name="priceIn" hint={perUnit(units.in)} />}
          {units.out && <MoneyField of={of} name="priceOut" hint={perUnit(units.out)} />}
        </div>
      )}
      {type === 'LLM' && provider && RELAYED_LLMS.has(provider.code) && <RelayFields of={of} row={row} />}
      <div className="kit-pair">
        <NumberField of={of} name="sort" hint="数字小的排在前面" />
        <TextField of={of} name="docLink" />
      </div>
      <div className="kit-pair">
        <SwitchField
          of={of}
          name="status"
          disabled={row?.isDefault === 1}
          {...(row?.isDefault === 1 && { hint: '默认模型不能停用，请先将其他模型设为默认' })}
        />
        {isPlatform && (
          <SwitchField
            of={of}
            name="shared"
            on="可用"
            off="不可用"
            hint="仅对平台的模型有效：客户可选用，但看不到参数和密钥；改为不可用后，客户正在使用它的设备不能再使用"
          />
        )}
      </div>
      <NoteField of={of} name="remark" rows={2} />
    </>
  )
}

/** Fields for the relay of a language model, and for the fallback that answers when the vendor fails. */
function RelayFields({ of, row }: { readonly of: Settings; readonly row: ModelDetail | undefined }) {
  const read = useRead(agentModels.options, { type: 'LLM' }, { quiet: true })
  const options = (read.data?.list ?? [])
    .filter(({ id, providerCode, status }) => id !== row?.id && status === 1 && RELAYED_LLMS.has(providerCode))
    .map(({ id, name, code }) => ({ value: id, label: `${name}（${code}）` }))
  return (
    <div className="kit-pair">
      <SwitchField
        of={of}
        name="relay"
        on="经由平台"
        off="直接调用"
        hint="语音服务只得到本系统的地址和临时密钥：厂商密钥不外传，按设备准确统计用量；每句话多经过一次转发"
      />
      <SelectField
        of={of}
        name="fallbackModelId"
        options={options}
        read={read}
        hint="经由平台调用时，厂商限流、出错或 8 秒没有响应，改由备用模型回答一次；模型停用或不再共享时，也由它代替"
      />
    </div>
  )
}

type Shown = ProviderRow['fields'][number]

/** Inputs of the provider's fields. */
function ModelFields({ fields, row }: { fields: readonly Shown[]; row?: ModelDetail | undefined }) {
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

interface RevealProps {
  readonly row: ModelDetail
  readonly field: { readonly key: string; readonly label: string }
  onClose(): void
}

/** Asks for a reason and shows a secret. The server logs the account and the reason. */
function RevealSecretDialog({ row, field, onClose }: RevealProps) {
  const id = useId()
  const [reason, setReason] = useState('')
  const reveal = useWrite(agentModels.reveal)
  const value = reveal.data?.value
  return (
    <Modal
      open
      title={`查看「${row.name}」的${field.label}`}
      okText={value === undefined ? '查看' : '关闭'}
      cancelButtonProps={{ style: value === undefined ? {} : { display: 'none' } }}
      okButtonProps={{ disabled: value === undefined && reason.trim() === '' }}
      confirmLoading={reveal.isPending}
      onOk={() => (value === undefined ? reveal.mutate({ id: row.id, field: field.key, reason }) : onClose())}
      onCancel={onClose}
    >
      {value === undefined ? (
        <Form layout="vertical" component={false}>
          <Form.Item label="查看原因" htmlFor={id} required extra="查看的人、时间和原因会记入操作日志">
            <Input
              id={id}
              value={reason}
              maxLength={100}
              showCount
              placeholder="请输入原因"
              onChange={(event) => setReason(event.target.value)}
            />
          </Form.Item>
        </Form>
      ) : (
        <p className="kit-mono kit-words">
          <CopyText text={value} />
        </p>
      )}
    </Modal>
  )
}
