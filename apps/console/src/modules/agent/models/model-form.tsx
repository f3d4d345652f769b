import {
  agentModels,
  ModelChange,
  type ModelDetail,
  ModelInput,
  type ModelRow,
  PRICE_UNITS,
} from '@oms/contract/agent/models/config.ts'
import { toFormConfig, type ModelType, RELAYED_LLMS } from '@oms/contract/agent/models/model-config.ts'
import { agentProviders, type ProviderRow } from '@oms/contract/agent/models/provider.ts'
import { Drawer, Form } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { MoneyField, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { OwnerField } from '#kit/pickers/owner-field.tsx'
import { ModelFields } from './model-fields.tsx'

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
