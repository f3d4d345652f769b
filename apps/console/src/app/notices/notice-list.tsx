import { inbox, NOTICE_TYPE } from '@oms/contract/notice.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Empty, Skeleton, Tag } from 'antd'
import { call } from '#kernel/call.ts'

interface Props {
  readonly onlyUnread: boolean
  readonly shown: boolean
  readonly onChoose: (id: number) => void
}

const PAGE_SIZE = 20
const TYPES: Readonly<Record<number, string>> = NOTICE_TYPE

/** Messages, newest first, more on demand. */
export function NoticeList({ onlyUnread, shown, onChoose }: Props) {
  const { data, isPending, isError, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['sys', 'inbox', onlyUnread],
    queryFn: ({ pageParam, signal }) =>
      call(
        inbox.mine,
        { pageNum: pageParam, pageSize: PAGE_SIZE, ...(onlyUnread && { read: 0 as const }) },
        { signal },
      ),
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE_SIZE < total ? pages.length + 1 : undefined),
    enabled: shown,
  })
  if (isError) {
    return (
      <Empty description="消息加载失败">
        <Button onClick={() => void refetch()}>重试</Button>
      </Empty>
    )
  }
  if (isPending) return <Skeleton active paragraph={{ rows: 6 }} />
  const rows = data.pages.flatMap(({ list }) => list)
  if (!rows.length) return <Empty description={onlyUnread ? '没有未读消息' : '暂无消息'} />
  return (
    <>
      <ul className="notice-list">
        {rows.map(({ noticeId, title, type, publishTime, publisherName, readTime }) => (
          <li key={noticeId}>
            <button type="button" className="notice" onClick={() => onChoose(noticeId)}>
              <span className={readTime ? 'notice-title' : 'notice-title notice-new'}>{title}</span>
              <span className="notice-about">
                <Tag>{TYPES[type] ?? '消息'}</Tag>
                {publisherName} · {publishTime}
                {!readTime && <span className="sr-only">，未读</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button block type="text" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          加载更多
        </Button>
      )}
    </>
  )
}
