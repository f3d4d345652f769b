import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Selects an ad that programs use. */
export function UsedAdPicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const adId = Number(props.value) || undefined
  const { data, isFetching, error, refetch } = useRead(
    programOptions.usedAds,
    { keyword, ...(adId && { adId }) },
    { quiet: true },
  )
  const options = (data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <RecordSelect
      placeholder="输入广告名称搜索"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
