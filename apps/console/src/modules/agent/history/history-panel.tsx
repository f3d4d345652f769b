import { agentHistory, type SessionRow } from '@oms/contract/agent/history/history.ts'
import { Empty } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Pager } from '#kit/list/pager.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { time } from '#kit/record/time.tsx'
import { LoadFailed, RowsSkeleton } from '#kit/table/table-state.tsx'
import { HistoryToolbar, type Period, SearchResult, useHistorySearch, usePeriod } from './history-search.tsx'

const SessionDrawer = lazyAfterRender(() => import('./session-drawer.tsx'), 'SessionDrawer')

interface Props {
  /** Conversations of one agent, or of one device. */
  readonly of: { readonly agentId: number } | { readonly deviceId: number }
}
interface PanelProps extends Props {
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

interface ListProps extends Props {
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
    return (
      <Empty
        image={Empty.PRESENTED_IMAGE_SIMPLE}
        description={isFiltered ? '没有符合条件的对话' : '还没有对话，设备说话后会出现在这里'}
      />
    )
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
