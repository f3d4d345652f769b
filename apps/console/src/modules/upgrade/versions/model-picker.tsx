import { deviceModels } from '@oms/contract/device/device-model.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Selects an enabled device model by name or code. */
export function DeviceModelPicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(deviceModels.choices, { keyword })
  const options = (read.data ?? []).map((model) => ({
    value: model.modelId,
    label: `${model.modelName}（${model.modelCode}）· ${model.typeName}`,
  }))
  return <RecordSelect {...props} placeholder="输入名称或编码搜索" source={{ options, read, onSearch }} />
}
