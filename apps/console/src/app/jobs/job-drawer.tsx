import { jobs } from '@oms/contract/job.ts'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Drawer, Empty, Skeleton } from 'antd'
import { call } from '#kernel/call.ts'
import { useServerEvent } from '#kernel/events.ts'
import { JobItem } from './job-item.tsx'
import { JOBS_KEY, moved } from './job-pages.ts'
import './jobs.css'

const PAGE_SIZE = 20

/** One's own background jobs, newest first; progress moves as the server tells it. */
export default function JobDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Drawer title="我的任务" open={open} onClose={onClose} size="min(480px, 100vw)">
      <JobList shown={open} />
    </Drawer>
  )
}

function JobList({ shown }: { shown: boolean }) {
  const { data, isPending, isError, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useJobs(shown)
  if (isError) {
    return (
      <Empty description="任务加载失败">
        <Button onClick={() => void refetch()}>重试</Button>
      </Empty>
    )
  }
  if (isPending) return <Skeleton active paragraph={{ rows: 6 }} />
  const rows = data.pages.flatMap(({ list }) => list)
  if (!rows.length) return <Empty description="暂无任务，数据较多的导出和导入会在这里显示" />
  return (
    <>
      <ul className="job-list">
        {rows.map((job) => (
          <JobItem key={job.jobId} job={job} />
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

function useJobs(shown: boolean) {
  const client = useQueryClient()
  useServerEvent('job', (event) => {
    const known = client.getQueryData<JobPages>(JOBS_KEY)
    const next = event.state === 'running' ? moved(known, event) : undefined
    if (next) client.setQueryData(JOBS_KEY, next)
    // What a job made or why it ended is not in the event.
    else void client.invalidateQueries({ queryKey: JOBS_KEY })
  })
  return useInfiniteQuery({
    queryKey: JOBS_KEY,
    queryFn: ({ pageParam, signal }) => call(jobs.list, { pageNum: pageParam, pageSize: PAGE_SIZE }, { signal }),
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE_SIZE < total ? pages.length + 1 : undefined),
    enabled: shown,
  })
}

type JobPages = Parameters<typeof moved>[0]
