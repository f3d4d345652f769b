import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { Button, Empty } from 'antd'
import type { ReactNode } from 'react'
import type { Refusal } from '#kernel/call.ts'
import { LoadFailed } from './table-state.tsx'
import { Waiting } from './waiting.tsx'

const PAGE_SIZE = 20

export interface ListPage<Row> {
  readonly list: readonly Row[]
  readonly total: number
}

interface Asked<Row> {
  readonly key: QueryKey
  /** Asks for one page, quietly: a failure is told in the list. */
  read(page: { pageNum: number; pageSize: number }, signal: AbortSignal): Promise<ListPage<Row>>
  /** False waits: nothing is asked yet. */
  readonly enabled: boolean
}

/** Reads a list page by page, from the first on. */
export const useEndless = <Row,>({ key, read, enabled }: Asked<Row>) =>
  useInfiniteQuery<ListPage<Row>, Refusal, InfiniteData<ListPage<Row>>, QueryKey, number>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read({ pageNum: pageParam, pageSize: PAGE_SIZE }, signal),
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE_SIZE < total ? pages.length + 1 : undefined),
    enabled,
  })

interface Props<Row> {
  readonly reading: ReturnType<typeof useEndless<Row>>
  /** Said when there is nothing. */
  readonly empty: string
  children(rows: readonly Row[]): ReactNode
}

/** What `useEndless` read, with more on demand. What is there stays there when more of it, or a newer answer, fails. */
export function EndlessList<Row>({ reading, empty, children }: Props<Row>) {
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
