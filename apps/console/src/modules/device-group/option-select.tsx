import { deviceGroups } from '@oms/contract/device-group/device-group.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'

type What = 'types' | 'models'

/** Selects a device type or model. */
export const OptionSelect = ({ what, ...props }: RecordSelectProps & { what: What }) => (
  <RecordSelect {...props} source={useOptions(what)} />
)

/** Selects several device types or models. */
export const OptionsSelect = ({ what, ...props }: RecordsSelectProps & { what: What }) => (
  <RecordsSelect {...props} source={useOptions(what)} />
)

function useOptions(what: What) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(deviceGroups.options, { keyword }, { quiet: true })
  const options = (data?.[what] ?? []).map((each) => ({ value: each.id, label: each.name }))
  return { options, isFetching, error, refetch, onSearch }
}
