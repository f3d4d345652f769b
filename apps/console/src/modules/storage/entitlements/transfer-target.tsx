import { TransferInput } from '@oms/contract/storage/entitlement.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { Form, Select } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Field, SelectField } from '#kit/form/field.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'
import { buildChannelOptions } from './channel-options.ts'

/** Fields of a transfer: a device of the tenant, found by serial number, and one of its channels. */
export function TransferTarget({ tenantId }: { readonly tenantId: number }) {
  const form = Form.useFormInstance()
  const [channels, setChannels] = useState<number>()
  const onDevice = (cloudChannels: number | undefined) => {
    setChannels(cloudChannels)
    const chosen = form.getFieldValue('targetChannel') as number | undefined
    if (cloudChannels !== undefined && (chosen ?? 0) >= cloudChannels) form.setFieldsValue({ targetChannel: 0 })
  }
  return (
    <>
      <Field of={TransferInput} name="targetSn" hint="输入序列号搜索，只列出同一客户的支持云存储的设备">
        <TargetPicker tenantId={tenantId} onDevice={onDevice} />
      </Field>
      <SelectField of={TransferInput} name="targetChannel" options={buildChannelOptions(channels)} />
    </>
  )
}

interface PickerProps {
  readonly tenantId: number
  onDevice(cloudChannels: number | undefined): void
  /** Set by Field. */
  readonly id?: string
  readonly value?: string
  readonly onChange?: (sn: string | undefined) => void
}

function TargetPicker({ tenantId, onDevice, id, value, onChange }: PickerProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching } = useRead(storageOptions.targets, { tenantId, keyword }, { quiet: true })
  const devices = data?.list ?? []
  const choose = (sn: string | undefined) => {
    onDevice(devices.find(({ name }) => name === sn)?.cloudChannels)
    onChange?.(sn)
  }
  return (
    <Select
      {...(id && { id })}
      {...(value !== undefined && { value })}
      allowClear
      loading={isFetching}
      placeholder="输入序列号搜索"
      {...keepStaleOptions(isFetching)}
      showSearch={{ filterOption: false, onSearch }}
      options={devices.map(({ name, modelName }) => ({ value: name, label: `${name} · ${modelName}` }))}
      optionLabelProp="value"
      onChange={choose}
    />
  )
}
