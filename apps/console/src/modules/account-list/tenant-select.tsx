import { accounts } from '@oms/contract/account-list.ts'
import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useRead } from '#kernel/query.ts'

/** Picks a customer by name or number; a control of Filter, so its value is the text in the address. */
export function TenantSelect(props: { id?: string; value?: string; onChange?(value: string | undefined): void }) {
  const [text, setText] = useState('')
  const keyword = useDeferredValue(text.trim())
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
