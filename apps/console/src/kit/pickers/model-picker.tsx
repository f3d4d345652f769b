import { recordOptions } from '@oms/contract/device/options.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from './record-select.tsx'
import { RecordsSelect, type RecordsSelectProps } from './records-select.tsx'

const PLACEHOLDER = '输入型号名称或编码搜索'

/** Selects a device model by name or code. `onlyEnabled`: offers only enabled models. */
export const DeviceModelPicker = ({ onlyEnabled, ...props }: RecordSelectProps & { readonly onlyEnabled?: true }) => (
  <RecordSelect placeholder={PLACEHOLDER} {...props} source={useModelOptions(onlyEnabled)} />
)

/** Selects several device models by name or code. */
export const DeviceModelsPicker = (props: RecordsSelectProps) => (
  <RecordsSelect placeholder={PLACEHOLDER} {...props} source={useModelOptions()} />
)

function useModelOptions(onlyEnabled?: true) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(recordOptions.models, { keyword }, { quiet: true })
  const options = (read.data?.list ?? [])
    .filter(({ status }) => !onlyEnabled || status !== 0)
    .map(({ id, name, modelCode, typeName }) => ({
      value: id,
      label: typeName ? `${name}（${modelCode}）· ${typeName}` : `${name}（${modelCode}）`,
    }))
  return { options, read, onSearch }
}
