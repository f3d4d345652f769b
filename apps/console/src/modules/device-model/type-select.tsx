import { deviceModels } from '@oms/contract/device-model.ts'
import { Spin } from 'antd'
import { useRead } from '#kernel/query.ts'
import { Select } from '#kit/select.tsx'
import { useKeyword } from '#kit/use-keyword.ts'

interface TypeSelectProps {
  /** Given by the form; a filter in the address holds it as text. */
  value?: number | string
  onChange?: (typeId: number | undefined) => void
  id?: string
  /** The type chosen before anybody searched, so that a name shows instead of a number. */
  chosen?: { readonly typeId: number; readonly typeName: string } | undefined
  /** New models go under types in use only. */
  inUse?: true
}

/** Picks a device type; asks the server as one types. */
export function TypeSelect({ value, onChange, id, chosen, inUse }: TypeSelectProps) {
  const [keyword, setText] = useKeyword()
  const { data = [], isFetching } = useRead(deviceModels.types, { keyword })
  const typeId = value === undefined || value === '' ? undefined : Number(value)
  const found = data
    .filter(({ status }) => !inUse || status === 1)
    .map((type) => ({ value: type.typeId, label: type.status === 1 ? type.typeName : `${type.typeName}（已停用）` }))
  const missing = chosen && chosen.typeId === typeId && !found.some((type) => type.value === typeId)
  return (
    <Select
      {...(id && { id })}
      {...(typeId !== undefined && { value: typeId })}
      allowClear
      placeholder="请选择设备类型"
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={isFetching ? <Spin size="small" /> : '没有找到类型'}
      options={[...(missing ? [{ value: chosen.typeId, label: chosen.typeName }] : []), ...found]}
      onChange={(next: number | undefined) => onChange?.(next)}
    />
  )
}
