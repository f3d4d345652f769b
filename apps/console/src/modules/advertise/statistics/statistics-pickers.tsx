import { adStats } from '@oms/contract/advertise/statistics.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

interface StatPickerProps extends RecordSelectProps {
  readonly from: typeof adStats.ads | typeof adStats.programs | typeof adStats.groups
}

/** Select for an ad, a program or a device group as a filter of the statistics. Offers deleted ads and programs too. */
export function StatPicker({ from, ...props }: StatPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(from, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <RecordSelect placeholder="输入名称搜索" {...props} source={{ options, isFetching, error, refetch, onSearch }} />
  )
}
