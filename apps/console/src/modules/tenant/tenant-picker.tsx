import { tenant } from '@oms/contract/tenant.ts'
import { Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useRead } from '#kernel/query.ts'

/** Picks a customer by name or number; a control of Filter, so its value is the text in the address. */
export function TenantPicker(props: { id?: string; value?: string; onChange?(value: string | undefined): void }) {
  const [text, setText] = useState('')
  const name = useDeferredValue(text.trim())
  const { data } = useRead(tenant.simple, { name }, { quiet: true })
  return (
    <Select
      {...props}
      allowClear
      placeholder="请选择客户"
      showSearch={{ filterOption: false, onSearch: setText }}
      options={(data?.list ?? []).map((row) => ({ value: String(row.id), label: row.name }))}
    />
  )
}
