import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { Button, Empty } from 'antd'
import type { ReactNode } from 'react'
import type { ApiError } from '#core/api/client.ts'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'

const PAGE_SIZE = 20

export interface ListPage<Row> {
  readonly list: readonly Row[]
  readonly total: number
}

interface Asked<Row> {
  readonly key: QueryKey
  /** Loads one page quietly; the list shows an error. */
  read(page: { pageNum: number; pageSize: number }, signal: AbortSignal): Promise<ListPage<Row>>
  /** False postpones the request. */
  readonly enabled: boolean
}

/** Loads a list page by page, starting with the first page. */
export const useInfiniteList = <Row,>({ key, read, enabled }: Asked<Row>) =>
  useInfiniteQuery<ListPage<Row>, ApiError, InfiniteData<ListPage<Row>>, QueryKey, number>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read({ pageNum: pageParam, pageSize: PAGE_SIZE }, signal),
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE_SIZE < total ? pages.length + 1 : undefined),
    enabled,
  })

interface Props<Row> {
  readonly reading: ReturnType<typeof useInfiniteList<Row>>
  /** Text of an empty list. */
  readonly empty: string
  children(rows: readonly Row[]): ReactNode
}

/**
 * Renders an infinite list from `useInfiniteList`. Loaded rows stay visible when loading more rows or refreshing
 * fails.
 */
export function InfiniteList<Row>({ reading, empty, children }: Props<Row>) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage, isFetchNextPageError } = reading
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={6} />
  const rows = data.pages.flatMap(({ list }) => list)
  const again = () => void (isFetchNextPageError ? fetchNextPage() : refetch())
  return (
    <>
      {rows.length > 0 ? children(rows) : <Empty description={empty} />}
      {error && !isFetchingNextPage && <LoadFailed refusal={error} onRetry={again} />}
      {hasNextPage && (!error || isFetchingNextPage) && (
        <Button block type="text" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          加载更多
        </Button>
      )}
    </>
  )
}
