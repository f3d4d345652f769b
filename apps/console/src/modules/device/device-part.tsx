import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Empty } from 'antd'
import { type ReactNode, useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'

/** Part of the device page with its own request, loading state and retry. */
export function DeviceDetailPart<E extends Endpoint>({
  to,
  input,
  children,
}: {
  to: E
  input: InputOf<E>
  children: (data: ResultOf<E>, turning: boolean) => ReactNode
}) {
  const { data, error, refetch, isPlaceholderData } = useRead(to, input, { quiet: true })
  if (data === undefined) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return children(data as ResultOf<E>, isPlaceholderData)
}

export const EmptyPart = ({ text }: { text: string }) => (
  <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={text} />
)

const STEP = 20
const MAX_PART_ROWS = 200

/** List with a "show more" button. */
export function useShowMore() {
  const [pageSize, setPageSize] = useState(STEP)
  return { pageSize, onShowMore: () => setPageSize(Math.min(pageSize * 2, MAX_PART_ROWS)) }
}

export function ShowMoreButton(props: { pageSize: number; total: number; turning: boolean; onShowMore(): void }) {
  const { pageSize, total, turning, onShowMore } = props
  if (total <= pageSize || pageSize >= MAX_PART_ROWS) return null
  return (
    <Button block loading={turning} onClick={onShowMore}>
      更多记录
    </Button>
  )
}
