import { agentHistory, type FoundSession, MAX_FOUND_TURNS } from '@oms/contract/agent/history/history.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Form, Input } from 'antd'
import { type ReactNode, useState } from 'react'
import { call, findErrorMessage } from '#core/api/client.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import './history.css'

type Owner = { readonly agentId: number } | { readonly deviceId: number }
type Found = ResultOf<typeof agentHistory.search>

/**
 * Holds the state of a search in conversations. Each page searches older conversations, and its results are appended.
 */
export function useHistorySearch(of: Owner) {
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
export interface Period {
  readonly beginTime?: string
  readonly endTime?: string
}

/** Holds the state of the period filter. The form fields have the names that `DateRangeFilter` uses. */
export function usePeriod(start: Period = {}) {
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
export function HistoryToolbar({ of, search, period }: ToolsProps) {
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
export function SearchResult({ search, children }: ResultProps) {
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
