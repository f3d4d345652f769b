import { about, Dependency } from '@oms/contract/system/about.ts'
import { Input, Segmented } from 'antd'
import { useDeferredValue, useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Panel } from '#kit/record/page.tsx'

type Package = z.output<typeof Dependency>
type Scope = Package['scope']

const { col } = createColumns(Dependency)
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

/** Lists the third-party packages of the product with their licences. */
export function Dependencies() {
  const { data, error, isPending, isFetching, refetch } = useRead(about.dependencies, {}, { quiet: true })
  const { scope, word, found, shown, page, setPage, choose, clear } = useFoundPackages(data?.list ?? [])
  return (
    <Panel title="第三方组件">
      <DependencySearch
        scope={scope}
        onScope={(next) => choose({ scope: next })}
        onText={(next) => choose({ text: next })}
      />
      <DataTable
        rows={shown}
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
        onClear={clear}
        onRefresh={() => void refetch()}
        rowKey="name"
        columns={COLUMNS}
        empty={{ text: '没有组件信息：构建后可见' }}
      />
    </Panel>
  )
}

/** Filters the packages and divides the result into pages. A changed filter shows the first page. */
function useFoundPackages(packages: readonly Package[]) {
  const [scope, setScope] = useState<Scope>('runtime')
  const [text, setText] = useState('')
  const [page, setPage] = useState({ pageNum: 1, pageSize: 20 })
  const word = useDeferredValue(text.trim().toLowerCase())
  const found = packages.filter(
    (each) => each.scope === scope && `${each.name} ${each.licence}`.toLowerCase().includes(word),
  )
  const start = (page.pageNum - 1) * page.pageSize
  const shown = found.slice(start, start + page.pageSize)
  const choose = (next: { scope?: Scope; text?: string }) => {
    if (next.scope !== undefined) setScope(next.scope)
    if (next.text !== undefined) setText(next.text)
    setPage({ ...page, pageNum: 1 })
  }
  return { scope, word, found, shown, page, setPage, choose, clear: () => setText('') }
}

interface DependencySearchProps {
  readonly scope: Scope
  onScope(scope: Scope): void
  onText(text: string): void
}

const DependencySearch = ({ scope, onScope, onText }: DependencySearchProps) => (
  <div className="kit-row kit-note">
    <Segmented<Scope> options={SCOPES} value={scope} onChange={onScope} />
    <Input
      type="search"
      aria-label="搜索组件"
      placeholder="组件名或许可证"
      onChange={({ target }) => onText(target.value)}
    />
  </div>
)

const Home = ({ address }: { address: string }) => (
  <a href={address} target="_blank" rel="noopener noreferrer">
    {address}
  </a>
)
