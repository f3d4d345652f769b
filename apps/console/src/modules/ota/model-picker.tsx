import { PlusOutlined } from '@ant-design/icons'
import { deviceModels } from '@oms/contract/device-model.ts'
import { Button, Divider, Spin } from 'antd'
import { useState } from 'react'
import { useRead } from '#kernel/query.ts'
import { Select } from '#kit/select.tsx'
import { useKeyword } from '#kit/use-keyword.ts'

interface ModelPickerProps {
  /** Given by the form; a filter in the address holds it as text. */
  value?: number | string
  onChange?: (modelId: number | undefined) => void
  /** The model chosen before anybody searched, so that a name shows instead of a number. */
  chosen?: { readonly modelId: number; readonly modelName: string } | undefined
  /** Offers to make a model that is not there yet. */
  onAdd?: () => void
  id?: string
}

/** Picks a device model by name or code; asks the server as one types. */
export function ModelPicker({ value, onChange, chosen, onAdd, id }: ModelPickerProps) {
  const [keyword, setText] = useKeyword()
  const [open, setOpen] = useState(false)
  const { data = [], isFetching } = useRead(deviceModels.choices, { keyword })
  const modelId = value === undefined || value === '' ? undefined : Number(value)
  const missing = chosen && chosen.modelId === modelId && !data.some((model) => model.modelId === modelId)
  const found = data.map((model) => ({
    value: model.modelId,
    label: `${model.modelName}（${model.modelCode}）· ${model.typeName}`,
  }))
  const add = () => {
    setOpen(false)
    onAdd?.()
  }
  return (
    <Select
      {...(id && { id })}
      {...(modelId !== undefined && { value: modelId })}
      open={open}
      onOpenChange={setOpen}
      allowClear
      placeholder="输入名称或编码搜索"
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={isFetching ? <Spin size="small" /> : '没有找到型号'}
      options={[...(missing ? [{ value: chosen.modelId, label: chosen.modelName }] : []), ...found]}
      onChange={(next: number | undefined) => onChange?.(next)}
      {...(onAdd && { popupRender: (menu) => <WithAdd menu={menu} onAdd={add} /> })}
    />
  )
}

const WithAdd = ({ menu, onAdd }: { menu: React.ReactNode; onAdd(): void }) => (
  <>
    {menu}
    <Divider style={{ margin: '4px 0' }} />
    <Button type="link" size="small" icon={<PlusOutlined />} onClick={onAdd}>
      新增型号
    </Button>
  </>
)
