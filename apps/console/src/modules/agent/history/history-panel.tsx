import {
  agentHistory,
  type SessionRow,
  type FoundSession,
  MAX_FOUND_TURNS,
} from '@oms/contract/agent/history/history.ts'
import { Empty, Button, Form, Input, Drawer } from 'antd'
import { useState, type ReactNode } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Pager } from '#kit/list/pager.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { time } from '#kit/record/time.tsx'
import { LoadFailed, RowsSkeleton } from '#kit/table/table-state.tsx'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { call, findErrorMessage } from '#core/api/client.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import './history.css'
import type { UsageRow } from '@oms/contract/agent/usage/usage.ts'

const SessionDrawer = lazyAfterRender(() => import('./session-drawer.tsx'), 'SessionDrawer')

interface HistoryPanelProps {
  /** Conversations of one agent, or of one device. */
  readonly of: { readonly agentId: number } | { readonly deviceId: number }
}
interface PanelProps extends HistoryPanelProps {
  /** Initial period. */
  readonly start?: Period
}

/** Lists conversations, the latest first, searches them, and opens their text. */
export function HistoryPanel({ of, start }: PanelProps) {
  const [shown, setShown] = useState<SessionRow>()
  const search = useHistorySearch(of)
  const period = usePeriod(start)
  return (
    <>
      <HistoryToolbar of={of} search={search} period={period} />
      {search.words === '' ? (
        <SessionList key={JSON.stringify(period.query)} of={of} period={period.query} onOpen={setShown} />
      ) : (
        <SearchResult search={search}>{(rows) => <Sessions rows={rows} onOpen={setShown} />}</SearchResult>
      )}
      {shown && <SessionDrawer key={shown.id} session={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

interface ListProps extends HistoryPanelProps {
  readonly period: Period
  onOpen(row: SessionRow): void
}

function SessionList({ of, period, onOpen }: ListProps) {
  const [page, setPage] = useState({ pageNum: 1, pageSize: 10 })
  const { data, error, refetch } = useRead(agentHistory.sessions, { ...of, ...period, ...page }, { quiet: true })
  if (error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <RowsSkeleton rows={5} />
  const isFiltered = Object.keys(period).length > 0
  if (data.total === 0)
    return <Empty description={isFiltered ? '没有符合条件的对话' : '还没有对话，设备说话后会出现在这里'} />
  return (
    <>
      <Sessions rows={data.list} onOpen={onOpen} />
      <Pager
        total={data.total}
        isEstimate={data.totalIsEstimate === true}
        {...page}
        onPage={(pageNum, pageSize) => setPage({ pageNum, pageSize })}
      />
    </>
  )
}

interface SessionsProps {
  readonly rows: readonly (SessionRow & { readonly snippet?: string })[]
  onOpen(row: SessionRow): void
}

function Sessions({ rows, onOpen }: SessionsProps) {
  const erase = useWrite(agentHistory.erase)
  return (
    <ul className="kit-items">
      {rows.map((row) => (
        <li key={row.id} className="kit-row">
          <span className="kit-main">
            <strong>{row.title || '未命名的对话'}</strong>
            {row.snippet !== undefined && <q>{row.snippet}</q>}
            <small>
              {row.deviceName} · {row.turns} 轮 · {row.characters} 字 · {time(row.lastTime)}
            </small>
          </span>
          <RowActions
            items={[
              { label: '查看', to: agentHistory.open, onClick: () => onOpen(row) },
              {
                label: '清除',
                to: agentHistory.erase,
                danger: true,
                confirm: '清除这次对话的文字和录音，不能恢复。用量不减少。',
                onClick: () => erase.mutateAsync({ id: row.id }),
              },
            ]}
          />
        </li>
      ))}
    </ul>
  )
}

type Owner = { readonly agentId: number } | { readonly deviceId: number }
type Found = ResultOf<typeof agentHistory.search>

/**
 * Holds the state of a search in conversations. Each page searches older conversations, and its results are appended.
 */
function useHistorySearch(of: Owner) {
  const [words, setWords] = useState('')
  const [pages, setPages] = useState<readonly Found[]>([])
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState('')
  const read = async (wanted: string, before: readonly Found[]) => {
    setRunning(true)
    setError('')
    try {
      const found = await call(agentHistory.search, { ...of, words: wanted, page: before.length + 1 }, { quiet: true })
      setPages([...before, found])
    } catch (refusal) {
      setError(findErrorMessage(refusal))
    } finally {
      setRunning(false)
    }
  }
  const start = (wanted: string) => {
    setWords(wanted.trim())
    setPages([])
    if (wanted.trim() !== '') void read(wanted.trim(), [])
  }
  return { words, pages, isRunning, error, start, older: () => void read(words, pages) }
}
type HistorySearch = ReturnType<typeof useHistorySearch>

/** First and last day of the listed conversations. */
interface Period {
  readonly beginTime?: string
  readonly endTime?: string
}

/** Holds the state of the period filter. The form fields have the names that `DateRangeFilter` uses. */
function usePeriod(start: Period = {}) {
  const [form] = Form.useForm()
  // The form has no values before its first render.
  const { beginTime, endTime } = (Form.useWatch([], { form, preserve: true }) as Period | undefined) ?? start
  return { form, start, query: { ...(beginTime && { beginTime }), ...(endTime && { endTime }) } }
}

interface ToolsProps {
  readonly of: Owner
  readonly search: HistorySearch
  readonly period: ReturnType<typeof usePeriod>
}

/** Search field, period and export of the conversations of an agent or a device. */
function HistoryToolbar({ of, search, period }: ToolsProps) {
  const mayRead = useMayCall()(agentHistory.open)
  return (
    <div className="kit-row kit-note">
      <Input.Search
        style={{ width: 'min(320px, 100%)' }}
        aria-label="查找标题和说过的话"
        placeholder="查找标题和说过的话"
        allowClear
        maxLength={50}
        loading={search.isRunning}
        onSearch={search.start}
      />
      <Form form={period.form} initialValues={period.start} className="talk-period">
        <DateRangeFilter label="时间" />
      </Form>
      {mayRead && (
        <ExportButton to={agentHistory.export} query={{ ...of, ...period.query }} name="对话记录" columns={[]} />
      )}
    </div>
  )
}

interface ResultProps {
  readonly search: HistorySearch
  children(rows: readonly FoundSession[]): ReactNode
}

/** Shows the results, the number of searched conversations, and the button that searches older conversations. */
function SearchResult({ search, children }: ResultProps) {
  const { words, pages, isRunning, error, older } = search
  const rows = pages.flatMap(({ list }) => list)
  const searched = pages.reduce((sum, page) => sum + page.searched, 0)
  const isCut = pages.some((page) => page.isCut)
  return (
    <>
      <p className="kit-hint" role="status">
        {isRunning && pages.length === 0
          ? '正在查找…'
          : `在最近 ${searched} 次对话中找到 ${rows.length}${isCut ? ' 次以上' : ' 次'}含“${words}”的对话（不区分大小写，不查工具调用）。`}
        {isCut && `每 1000 次对话最多列出 ${MAX_FOUND_TURNS} 次，请输入更具体的内容。`}
        查找会记入操作日志。
      </p>
      {error && <p className="kit-problem">{error}</p>}
      {children(rows)}
      {pages.at(-1)?.hasOlder && (
        <Button loading={isRunning} onClick={older}>
          继续查找更早的对话
        </Button>
      )}
    </>
  )
}

/** Tab of an agent's page: its conversations. */
const AgentHistoryTab = ({ agentId }: { agentId: number }) => <HistoryPanel of={{ agentId }} />
export default AgentHistoryTab

interface UsageTalksProps {
  readonly row: UsageRow
  readonly isDevice: boolean
  /** Period whose conversations are listed. */
  readonly period: { readonly startDate: string; readonly endDate: string }
  onClose(): void
}

/** Drawer with the conversations of an agent or a device in a period. */
export const UsageTalks = ({ row: { id, name }, isDevice, period, onClose }: UsageTalksProps) => (
  <Drawer open size="min(720px, 100vw)" title={`${name || '已删除'}的对话`} onClose={onClose}>
    <HistoryPanel
      of={isDevice ? { deviceId: id } : { agentId: id }}
      start={{ beginTime: period.startDate, endTime: period.endDate }}
    />
  </Drawer>
)
