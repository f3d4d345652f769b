import type { ConsoleEventData } from '@oms/contract/system/events.ts'
import type { JobRow } from '@oms/contract/system/job.ts'
import type { InfiniteData } from '@tanstack/react-query'

/**
 * Query key of the job list. It begins with `account`, the resource of the call, so that cancelling a job refetches the
 * list.
 */
export const JOBS_KEY = ['account', 'jobs'] as const

type Pages = InfiniteData<{ list: JobRow[]; total: number }>

/** Returns the pages with one updated job; undefined when the job is missing or already finished. */
export function replaceJob(pages: Pages | undefined, { jobId, percent }: ConsoleEventData<'job'>): Pages | undefined {
  const isMeant = (job: JobRow) => job.jobId === jobId && (job.state === 'waiting' || job.state === 'running')
  if (!pages?.pages.some(({ list }) => list.some(isMeant))) return undefined
  return {
    ...pages,
    pages: pages.pages.map((page) => ({
      ...page,
      list: page.list.map((job) => (isMeant(job) ? { ...job, state: 'running' as const, percent } : job)),
    })),
  }
}
