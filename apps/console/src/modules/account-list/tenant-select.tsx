import { accounts } from '@oms/contract/account-list/account-list.ts'
import { Select } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'
import { NoOptions } from '#kit/pickers/no-options.tsx'

/** Selects a tenant by name or number; a control for Filter with the URL's text as value. */
export function TenantSelect(props: { id?: string; value?: string; onChange?(value: string | undefined): void }) {
  const [keyword, setText] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(accounts.tenants, { keyword }, { quiet: true })
  return (
    <Select
      {...props}
      allowClear
      placeholder="请选择所属客户"
      {...keepStaleOptions(isFetching)}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent={<NoOptions {...{ isFetching, error, refetch }} />}
      options={(data?.list ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
    />
  )
}
