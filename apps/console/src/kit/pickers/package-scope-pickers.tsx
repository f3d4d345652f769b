import type { agentProducts } from '@oms/contract/agent/packages/product.ts'
import type { storageOptions } from '@oms/contract/storage/options.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordsSelect, type RecordsSelectProps } from './records-select.tsx'

/** Selects the models of a package; no selection means all models. */
export function PackageModelsPicker({
  from,
  ...props
}: RecordsSelectProps & { from: typeof storageOptions.models | typeof agentProducts.models }) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(from, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, modelCode }) => ({ value: id, label: `${name}（${modelCode}）` }))
  return (
    <RecordsSelect
      create="deviceModel"
      placeholder="不选表示全部型号"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}

/** Selects the tenants of a package; no selection means all tenants. */
export function PackageTenantsPicker({
  from,
  ...props
}: RecordsSelectProps & { from: typeof storageOptions.tenants | typeof agentProducts.tenants }) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(from, { keyword, inUse: 1 }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, tenantNo }) => ({ value: id, label: `${name}（${tenantNo}）` }))
  return (
    <RecordsSelect
      create="tenant"
      placeholder="不选表示全部客户"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
