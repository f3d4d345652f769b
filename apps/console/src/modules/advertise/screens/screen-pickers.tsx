import { adScreens } from '@oms/contract/advertise/screen.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Selects a device by its serial number. */
export function DevicePicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(adScreens.devices, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, modelName }) => ({
    value: id,
    label: modelName === '' ? name : `${name} · ${modelName}`,
  }))
  return (
    <RecordSelect
      placeholder="输入序列号搜索设备"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
