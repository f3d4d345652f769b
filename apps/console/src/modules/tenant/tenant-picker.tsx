import { tenant } from '@oms/contract/tenant.ts'
import { Select } from 'antd'
import { useRead } from '#kernel/query.ts'
import { useKeyword } from '#kit/use-keyword.ts'

/** Picks a customer by name or number; a control of Filter, so its value is the text in the address. */
export function TenantPicker(props: { id?: string; value?: string; onChange?(value: string | undefined): void }) {
  const [name, setText] = useKeyword()
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
