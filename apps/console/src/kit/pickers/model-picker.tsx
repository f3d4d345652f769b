import type { devices } from '@oms/contract/device/device-info.ts'
import type { licenseOptions } from '@oms/contract/license/license.ts'
import { recordOptions } from '@oms/contract/options/options.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from './record-select.tsx'

interface ModelPickerProps extends RecordSelectProps {
  /** Another options call with the permission of the screen. */
  readonly from?: typeof devices.modelOptions | typeof licenseOptions.models | typeof recordOptions.models
  /** Offers only enabled models. */
  readonly onlyEnabled?: true
}
interface Row {
  readonly id: number
  readonly name: string
  readonly modelCode: string
  readonly typeName?: string
  readonly status?: number
}

/** Selects a device model by name or code. */
export function DeviceModelPicker({ from = recordOptions.models, onlyEnabled, ...props }: ModelPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(from, { keyword }, { quiet: true })
  const rows: readonly Row[] = data?.list ?? []
  const options = rows
    .filter(({ status }) => !onlyEnabled || status !== 0)
    .map(({ id, name, modelCode, typeName }) => ({
      value: id,
      label: typeName ? `${name}（${modelCode}）· ${typeName}` : `${name}（${modelCode}）`,
    }))
  return (
    <RecordSelect
      placeholder="输入型号名称或编码搜索"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
