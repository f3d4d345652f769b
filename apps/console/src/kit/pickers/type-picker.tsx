import { recordOptions } from '@oms/contract/device/options.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from './record-select.tsx'
import { RecordsSelect, type RecordsSelectProps } from './records-select.tsx'

const PLACEHOLDER = '请选择设备类型'

/** Selects a device type by name. */
export const DeviceTypePicker = (props: RecordSelectProps) => (
  <RecordSelect placeholder={PLACEHOLDER} {...props} source={useTypeOptions()} />
)

/** Selects several device types by name. */
export const DeviceTypesPicker = (props: RecordsSelectProps) => (
  <RecordsSelect placeholder={PLACEHOLDER} {...props} source={useTypeOptions()} />
)

function useTypeOptions() {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(recordOptions.types, { keyword }, { quiet: true })
  return { options: (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name })), read, onSearch }
}
