import { PreviewInput } from '@oms/contract/agent/orders/order-entities.ts'
import { Form, Input, Radio } from 'antd'
import { useState } from 'react'
import { useSession } from '#core/auth/session.tsx'
import type { NamedRecord } from '#core/routing/create-forms.ts'
import { Field, NumberField } from '#kit/form/field.tsx'
import { type RecordSelectProps, RecordSelect } from '#kit/pickers/record-select.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { useIsVendor } from './order-cells.tsx'
import './order.css'
import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'

const SCOPE = { device: 1, agent: 2 } as const
const NO_TARGETS = { deviceIds: [], groupId: undefined, serials: '', agentIds: [] }
const OF = PreviewInput

interface GoodsProps {
  /** Initially selected records with their names, so that the selects show names instead of ids. */
  readonly chosen?: {
    readonly tenant?: NamedRecord
    readonly pack?: NamedRecord
    readonly targets?: readonly NamedRecord[]
  }
}

/**
 * Fields for buyer, package and targets of an order. The form value `scope` holds the scope of the package and is not
 * sent.
 */
export function OrderItemFields({ chosen = {} }: GoodsProps) {
  const form = Form.useFormInstance()
  const chosenTenant = Form.useWatch<number | undefined>('tenantId', { form, preserve: true })
  const ownerId = useSession()?.ownerId
  const tenantId = chosenTenant ?? (ownerId ? Number(ownerId) : undefined)
  const hasBuyers = useHasManyTenants()
  const isVendor = useIsVendor()
  const onScope = (scope: number | undefined) => {
    if (scope !== form.getFieldValue('scope')) form.setFieldsValue({ ...NO_TARGETS, scope })
  }
  return (
    <>
      {isVendor && hasBuyers && (
        <Field of={OF} name="tenantId" hint="不选则归属当前客户">
          <BuyerOfForm {...(chosen.tenant && { chosen: chosen.tenant })} />
        </Field>
      )}
      <div className="order-goods">
        <Field of={OF} name="packageId">
          <PackagePicker tenantId={tenantId} onScope={onScope} {...(chosen.pack && { chosen: chosen.pack })} />
        </Field>
        <NumberField of={OF} name="copies" unit="份" hint="按顺序使用，不合并" />
      </div>
      <TargetFields tenantId={tenantId} chosen={chosen.targets ?? []} />
    </>
  )
}

/**
 * Selects the buyer. A change clears package and targets, because another buyer has other packages, devices and agents.
 */
function BuyerOfForm({ onChange, ...props }: RecordSelectProps) {
  const form = Form.useFormInstance()
  const change = (id: number | undefined) => {
    form.setFieldsValue({ ...NO_TARGETS, packageId: undefined, scope: undefined })
    onChange?.(id)
  }
  return <TenantPicker {...props} onlyEnabled create="tenant" onChange={change} />
}

interface TargetProps {
  readonly tenantId: number | undefined
  readonly chosen: readonly NamedRecord[]
}

function TargetFields({ tenantId, chosen }: TargetProps) {
  const form = Form.useFormInstance()
  const scope = Form.useWatch<number | undefined>('scope', { form, preserve: true })
  if (scope === undefined) return <p className="kit-hint">选择套餐后，选择使用该套餐的设备或智能体。</p>
  if (scope === SCOPE.device) return <DeviceFields key={tenantId} tenantId={tenantId} chosen={chosen} />
  if (scope === SCOPE.agent)
    return (
      <Field of={OF} name="agentIds" missing="请选择智能体" hint="智能体的所有设备共用">
        <OrderAgentsPicker key={tenantId} tenantId={tenantId} chosen={chosen} />
      </Field>
    )
  return <p className="kit-hint">该套餐由客户的全部设备共用，不需要选择使用对象。</p>
}

const WAYS = [
  { value: 'devices', label: '选择设备' },
  { value: 'group', label: '按设备分组' },
  { value: 'serials', label: '按序列号或文件' },
] as const
type Way = (typeof WAYS)[number]['value']

/** Fields for the devices: by selection, by group, or by serial numbers that are typed, pasted or read from a file. */
function DeviceFields({ tenantId, chosen }: TargetProps) {
  const form = Form.useFormInstance()
  const [way, setWay] = useState<Way>('devices')
  const change = (next: Way) => {
    form.setFieldsValue(NO_TARGETS)
    setWay(next)
  }
  return (
    <>
      <Form.Item label="使用对象">
        <Radio.Group
          optionType="button"
          options={[...WAYS]}
          value={way}
          onChange={({ target }) => change(target.value as Way)}
        />
      </Form.Item>
      {way === 'devices' && (
        <Field of={OF} name="deviceIds" missing="请选择设备" hint="只列出已绑定智能体的设备">
          <OrderDevicesPicker tenantId={tenantId} chosen={chosen} />
        </Field>
      )}
      {way === 'group' && (
        <Field of={OF} name="groupId" missing="请选择设备分组" hint="提交时分组内已绑定智能体的设备">
          <OrderGroupPicker tenantId={tenantId} />
        </Field>
      )}
      {way === 'serials' && (
        <Field of={OF} name="serials" missing="请输入序列号或MAC">
          <Input.TextArea rows={5} placeholder="每行一个序列号或 MAC，也可用逗号、空格分隔" />
        </Field>
      )}
    </>
  )
}

interface OfTenant {
  /** Absent: the tenant of the session. */
  readonly tenantId: number | undefined
}
const inputOf = (keyword: string, tenantId: number | undefined) => ({
  keyword,
  ...(tenantId !== undefined && { tenantId }),
})

interface PackageProps extends RecordSelectProps, OfTenant {
  /** Receives the scope of the chosen package. */
  onScope(scope: number | undefined): void
}

/** Selects a package that is offered to the buyer. */
function PackagePicker({ tenantId, onScope, onChange, ...props }: PackageProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentOrders.packages, inputOf(keyword, tenantId), { quiet: true })
  const list = read.data?.list ?? []
  const options = list.map(({ id, name, content, price }) => ({
    value: id,
    label: `${name} · ${content} · ${price === 0 ? '免费' : formatCurrency(price)}`,
  }))
  const change = (id: number | undefined) => {
    onScope(list.find((each) => each.id === id)?.scope)
    onChange?.(id)
  }
  return (
    <RecordSelect
      placeholder="输入套餐名称或编码搜索"
      {...props}
      onChange={change}
      source={{ options, read, onSearch }}
    />
  )
}

/** Selects bound devices of the buyer. */
function OrderDevicesPicker({ tenantId, ...props }: RecordsSelectProps & OfTenant) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentOrders.devices, inputOf(keyword, tenantId), { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, agentName }) => ({
    value: id,
    label: `${name} · ${agentName}`,
  }))
  return (
    <RecordsSelect
      placeholder="输入序列号、名称或 MAC 搜索"
      maxTagCount={20}
      {...props}
      source={{ options, read, onSearch }}
    />
  )
}

/** Selects agents of the buyer. */
function OrderAgentsPicker({ tenantId, ...props }: RecordsSelectProps & OfTenant) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentOrders.agents, inputOf(keyword, tenantId), { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <RecordsSelect placeholder="输入名称搜索智能体" maxTagCount={20} {...props} source={{ options, read, onSearch }} />
  )
}

/** Selects a device group of the buyer. */
function OrderGroupPicker({ tenantId, ...props }: RecordSelectProps & OfTenant) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentOrders.groups, inputOf(keyword, tenantId), { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <RecordSelect placeholder="输入名称搜索设备分组" {...props} source={{ options, read, onSearch }} />
}
