import { about, Dependency } from '@oms/contract/about.ts'
import { Input, Segmented } from 'antd'
import { useDeferredValue, useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#kernel/query.ts'
import { columnsOf } from '#kit/columns.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { Panel } from '#kit/page.tsx'

type Package = z.output<typeof Dependency>
type Scope = Package['scope']

const { col } = columnsOf(Dependency)
const COLUMNS = [
  col('name', { width: 260 }),
  col('version', { width: 140 }),
  col('licence', { width: 160 }),
  col('homepage', (address) => <Home address={address} />, { width: 320 }),
]
const SCOPES: { value: Scope; label: string }[] = [
  { value: 'runtime', label: '运行时' },
  { value: 'development', label: '开发与测试' },
]

/** The packages of other people in this product, each with its licence. */
export function Dependencies() {
  const { data, error, isPending, isFetching, refetch } = useRead(about.dependencies, {}, { quiet: true })
  const [scope, setScope] = useState<Scope>('runtime')
  const [text, setText] = useState('')
  const [page, setPage] = useState({ pageNum: 1, pageSize: 20 })
  const word = useDeferredValue(text.trim().toLowerCase())
  const found = (data?.list ?? []).filter(
    (each) => each.scope === scope && `${each.name} ${each.licence}`.toLowerCase().includes(word),
  )
  const start = (page.pageNum - 1) * page.pageSize
  const first = () => setPage({ ...page, pageNum: 1 })
  return (
    <Panel title="第三方组件">
      <div className="about-search">
        <Segmented<Scope>
          options={SCOPES}
          value={scope}
          onChange={(next) => {
            setScope(next)
            first()
          }}
        />
        <Input
          type="search"
          aria-label="搜索组件"
          placeholder="组件名或许可证"
          onChange={({ target }) => {
            setText(target.value)
            first()
          }}
        />
      </div>
      <DataTable
        rows={found.slice(start, start + page.pageSize)}
        total={found.length}
        isEstimate={false}
        {...page}
        sort={undefined}
        pending={isPending}
        fetching={isFetching}
        turning={false}
        refusal={error}
        filtered={word !== ''}
        onPage={(pageNum, pageSize) => setPage({ pageNum, pageSize })}
        onSort={() => {}}
        onClear={() => setText('')}
        onRefresh={() => void refetch()}
        rowKey="name"
        columns={COLUMNS}
        empty={{ text: '没有组件信息：构建后可见' }}
      />
    </Panel>
  )
}

const Home = ({ address }: { address: string }) => (
  <a href={address} target="_blank" rel="noopener noreferrer">
    {address}
  </a>
)
