import { CloseCircleFilled } from '@ant-design/icons'
import { Button, Empty } from 'antd'
import type { ReactNode } from 'react'
import type { ApiError } from '#core/api/client.ts'
import { useMayCall, useSession } from '#core/auth/session.tsx'
import { type EmptyHint, buildEmptyHint } from './empty-hint.ts'
import { Drawing, type DrawingName } from '#kit/drawing.tsx'
import '#kit/kit.css'

/** Text and action of a table without any rows. */
export interface EmptyTableState extends EmptyHint {
  readonly text: string
  readonly action?: ReactNode
  readonly drawing?: DrawingName
}

interface EmptyProps {
  filtered: boolean
  pageNum: number
  pageSize: number
  empty: EmptyTableState
  onClear(): void
  onPage?: ((pageNum: number, pageSize: number) => void) | undefined
}

/** Renders an empty list: an empty page, no match, or no rows at all. */
export function EmptyRows({ filtered, pageNum, pageSize, empty, onClear, onPage }: EmptyProps) {
  const hint = buildEmptyHint(empty, useMayCall(), useSession()?.ownerId === '1')
  if (pageNum > 1 && onPage) {
    return (
      <Empty description="本页没有数据">
        <Button onClick={() => onPage(1, pageSize)}>回到第一页</Button>
      </Empty>
    )
  }
  if (filtered) {
    return (
      <Empty image={<Drawing of="search" />} description="没有符合条件的数据">
        <Button onClick={onClear}>清空筛选条件</Button>
      </Empty>
    )
  }
  return (
    <Empty
      image={<Drawing of={empty.drawing ?? 'list'} />}
      description={
        <>
          <div>{empty.text}</div>
          {hint && <small>{hint}</small>}
        </>
      }
    >
      {empty.action && <div className="kit-empty-action">{empty.action}</div>}
    </Empty>
  )
}

/** Renders a load error: message, request id and retry button. */
export function LoadFailed({ refusal, hint, onRetry }: { refusal: ApiError; hint?: string; onRetry(): void }) {
  const { requestId } = refusal.data
  return (
    <div className="kit-failed" role="alert">
      <CloseCircleFilled aria-hidden />
      <div>
        <p>{refusal.message || '加载失败'}</p>
        {hint && <small>{hint}</small>}
        {requestId && <small>请求编号：{requestId}</small>}
      </div>
      <Button onClick={onRetry}>重试</Button>
    </div>
  )
}

const CELLS = ['14%', '9%', '18%', '7%', '22%', '11%']

/** Skeleton rows, shown only during the first load. */
export function RowsSkeleton({ rows }: { rows: number }) {
  return (
    <div className="kit-skeleton" role="status" aria-label="加载中">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index}>
          {CELLS.map((width) => (
            <span key={width} style={{ width }} />
          ))}
        </div>
      ))}
    </div>
  )
}
