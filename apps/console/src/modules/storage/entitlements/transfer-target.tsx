import { TransferItem } from '@oms/contract/storage/entitlement.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { Form, Select } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import { Field, SelectField } from '#kit/form/field.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'
import { buildChannelOptions } from './channel-options.ts'

/** Place of the only item in the form. */
const ITEM = ['items', 0] as const

/** Fields of the transfer of one entitlement: a device of the tenant, found by serial number, and a channel. */
export function TransferTarget({ tenantId }: { readonly tenantId: number }) {
  const form = Form.useFormInstance()
  const [channels, setChannels] = useState<number>()
  const onDevice = (cloudChannels: number | undefined) => {
    setChannels(cloudChannels)
    const chosen = form.getFieldValue([...ITEM, 'targetChannel']) as number | undefined
    if (cloudChannels !== undefined && (chosen ?? 0) >= cloudChannels) form.setFieldValue([...ITEM, 'targetChannel'], 0)
  }
  return (
    <>
      <Field of={TransferItem} name="targetSn" within={ITEM} hint="输入序列号搜索，只列出同一客户的支持云存储的设备">
        <TargetPicker tenantId={tenantId} onDevice={onDevice} />
      </Field>
      <SelectField of={TransferItem} name="targetChannel" within={ITEM} options={buildChannelOptions(channels)} />
    </>
  )
}

interface PickerProps {
  readonly tenantId: number
  onDevice?(cloudChannels: number | undefined): void
  readonly label?: string
  /** `Field` passes `id`, `value` and `onChange`. */
  readonly id?: string
  readonly value?: string
  readonly onChange?: (sn: string | undefined) => void
}

/** Selects a device of the tenant whose model has cloud storage. */
export function TargetPicker({ tenantId, onDevice, label, id, value, onChange }: PickerProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(storageOptions.targets, { tenantId, keyword }, { quiet: true })
  const devices = read.data?.list ?? []
  const choose = (sn: string | undefined) => {
    onDevice?.(devices.find(({ name }) => name === sn)?.cloudChannels)
    onChange?.(sn)
  }
  return (
    <Select
      {...(id && { id })}
      {...(label && { 'aria-label': label })}
      {...(value !== undefined && { value })}
      allowClear
      loading={read.isFetching}
      placeholder="输入序列号搜索"
      {...keepStaleOptions(read.isFetching)}
      showSearch={{ filterOption: false, onSearch }}
      notFoundContent={renderNoOptions(read)}
      options={devices.map(({ name, modelName }) => ({ value: name, label: `${name} · ${modelName}` }))}
      optionLabelProp="value"
      onChange={choose}
    />
  )
}
