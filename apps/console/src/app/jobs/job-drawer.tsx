import { jobs } from '@oms/contract/system/job.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Drawer } from 'antd'
import { call } from '#core/api/client.ts'
import { useServerEvent } from '#core/events/events.ts'
import { InfiniteList, useInfiniteList } from '#kit/list/infinite-list.tsx'
import { JobItem } from './job-item.tsx'
import { JOBS_KEY, replaceJob } from './job-pages.ts'
import './jobs.css'

/** Lists the account's background jobs, newest first, with live progress. */
export default function JobDrawer({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Drawer title="我的任务" open={open} onClose={onClose} size="min(480px, 100vw)">
      <JobList shown={open} />
    </Drawer>
  )
}

function JobList({ shown }: { shown: boolean }) {
  const client = useQueryClient()
  useServerEvent('job', (event) => {
    const known = client.getQueryData<JobPages>(JOBS_KEY)
    const next = event.state === 'running' ? replaceJob(known, event) : undefined
    if (next) client.setQueryData(JOBS_KEY, next)
    // The event contains no result or error, so finished jobs are refetched.
    else void client.invalidateQueries({ queryKey: JOBS_KEY })
  })
  const reading = useInfiniteList({
    key: JOBS_KEY,
    read: (page, signal) => call(jobs.list, page, { signal, quiet: true }),
    enabled: shown,
  })
  return (
    <InfiniteList reading={reading} empty="暂无任务，数据较多的导出和导入会在这里显示">
      {(rows) => (
        <ul className="job-list">
          {rows.map((job) => (
            <JobItem key={job.jobId} job={job} />
          ))}
        </ul>
      )}
    </InfiniteList>
  )
}

type JobPages = Parameters<typeof replaceJob>[0]
