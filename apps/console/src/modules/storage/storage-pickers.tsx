import { storageOptions } from '@oms/contract/storage/options.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'

/** Selects several models; no selection means all models. */
export function ModelsPicker(props: RecordsSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching } = useRead(storageOptions.models, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, modelCode }) => ({ value: id, label: `${name}（${modelCode}）` }))
  return <RecordsSelect placeholder="不选表示全部型号" {...props} source={{ options, isFetching, onSearch }} />
}

/** Selects several tenants; no selection means all tenants. */
export function TenantsPicker(props: RecordsSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching } = useRead(storageOptions.tenants, { keyword, inUse: 1 }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, tenantNo }) => ({ value: id, label: `${name}（${tenantNo}）` }))
  return <RecordsSelect placeholder="不选表示全部客户" {...props} source={{ options, isFetching, onSearch }} />
}
