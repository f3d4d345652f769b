import { Select, Spin } from 'antd'
import { useState } from 'react'
import { useRead } from '#kernel/query.ts'
import { useKeyword } from '#kit/use-keyword.ts'
import { useCalls } from './release-calls.ts'

interface Named {
  readonly id: number
  readonly name: string
}
interface ManyProps {
  value?: readonly number[]
  onChange?(ids: number[]): void
  id?: string
  /** Chosen before anybody searched, so that names show instead of numbers. */
  chosen: readonly Named[]
  /** Hears which names belong to the numbers, for words about them. */
  onNames?(names: ReadonlyMap<number, string>): void
}

/** Picks several of what the server offers as one types. */
function ManyPicker(
  props: ManyProps & { found: readonly Named[]; fetching: boolean; onSearch(text: string): void; placeholder: string },
) {
  const { value = [], onChange, id, chosen, found, fetching, onSearch, placeholder, onNames } = props
  const [seen, setSeen] = useState(() => new Map(chosen.map((each) => [each.id, each.name])))
  const options = [
    ...found,
    ...[...seen].filter(([key]) => !found.some((each) => each.id === key)).map(([key, name]) => ({ id: key, name })),
  ]
  return (
    <Select
      {...(id && { id })}
      mode="multiple"
      allowClear
      value={[...value]}
      placeholder={placeholder}
      showSearch={{ filterOption: false, onSearch }}
      notFoundContent={fetching ? <Spin size="small" /> : '没有找到'}
      options={options.map((each) => ({ value: each.id, label: each.name }))}
      onChange={(next: number[]) => {
        const names = new Map(next.map((key) => [key, options.find((each) => each.id === key)?.name ?? String(key)]))
        setSeen(names)
        onNames?.(names)
        onChange?.(next)
      }}
    />
  )
}

export function TenantsPicker(props: ManyProps) {
  const calls = useCalls()
  const [name, setText] = useKeyword()
  const { data = [], isFetching } = useRead(calls.choices.tenants, { name }, { quiet: true })
  return <ManyPicker {...props} found={data} fetching={isFetching} onSearch={setText} placeholder="不选则不限客户" />
}

export function GroupsPicker({ otaId, ...props }: ManyProps & { otaId: number }) {
  const calls = useCalls()
  const [keyword, setText] = useKeyword()
  const { data = [], isFetching } = useRead(calls.release.groups, { otaId, keyword }, { quiet: true })
  const found = data.map(({ id, name, tenantName }) => ({ id, name: tenantName ? `${name}（${tenantName}）` : name }))
  return <ManyPicker {...props} found={found} fetching={isFetching} onSearch={setText} placeholder="不选则不限分组" />
}

/** One customer, in a filter. */
export function TenantFilter({
  value,
  onChange,
  id,
}: {
  value?: number | string
  onChange?(id: number | undefined): void
  id?: string
}) {
  const calls = useCalls()
  const [name, setText] = useKeyword()
  const { data = [] } = useRead(calls.choices.tenants, { name }, { quiet: true })
  return (
    <Select
      {...(id && { id })}
      {...(value !== undefined && value !== '' && { value: Number(value) })}
      allowClear
      placeholder="请选择所属客户"
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent="没有找到"
      options={data.map((each) => ({ value: each.id, label: each.name }))}
      onChange={(next: number | undefined) => onChange?.(next)}
    />
  )
}
