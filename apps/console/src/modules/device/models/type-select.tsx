import { deviceModels } from '@oms/contract/device/device-model.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Selects a device type. `onlyEnabled`: offers only enabled types. */
export function TypeSelect({ onlyEnabled, ...props }: RecordSelectProps & { onlyEnabled?: true }) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(deviceModels.types, { keyword })
  const options = (read.data ?? [])
    .filter(({ status }) => !onlyEnabled || status === 1)
    .map((type) => ({ value: type.typeId, label: type.status === 1 ? type.typeName : `${type.typeName}（已停用）` }))
  return <RecordSelect {...props} placeholder="请选择设备类型" source={{ options, read, onSearch }} />
}
