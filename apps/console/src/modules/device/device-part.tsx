import type { Endpoint, InputOf, ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { Button, Empty } from 'antd'
import { type ReactNode, useState } from 'react'
import { useRead } from '#kernel/query.ts'
import { Waiting } from '#kit/waiting.tsx'
import './device.css'

/** One part of a device's page with its own request: loading, failed with another try, or there. */
export function Part<E extends Endpoint>({
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

export const Nothing = ({ text }: { text: string }) => <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={text} />

const STEP = 20
const MOST = 200

/** A list that shows more of itself when asked. */
export function useLonger() {
  const [pageSize, setPageSize] = useState(STEP)
  return { pageSize, onLonger: () => setPageSize(Math.min(pageSize * 2, MOST)) }
}

export function Longer(props: { pageSize: number; total: number; turning: boolean; onLonger(): void }) {
  const { pageSize, total, turning, onLonger } = props
  if (total <= pageSize || pageSize >= MOST) return null
  return (
    <Button block loading={turning} onClick={onLonger}>
      更多记录
    </Button>
  )
}
