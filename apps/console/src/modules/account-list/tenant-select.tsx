import { accounts } from '@oms/contract/account-list.ts'
import { Select } from 'antd'
import { useRead } from '#kernel/query.ts'
import { useKeyword } from '#kit/use-keyword.ts'

/** Picks a customer by name or number; a control of Filter, so its value is the text in the address. */
export function TenantSelect(props: { id?: string; value?: string; onChange?(value: string | undefined): void }) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(accounts.tenants, { keyword }, { quiet: true })
  return (
    <Select
      {...props}
      allowClear
      placeholder="请选择所属客户"
      showSearch={{ filterOption: false, onSearch: setText }}
      options={(data?.list ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
    />
  )
}
