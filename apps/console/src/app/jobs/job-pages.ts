import type { ConsoleEventData } from '@oms/contract/events.ts'
import type { JobRow } from '@oms/contract/job.ts'
import type { InfiniteData } from '@tanstack/react-query'

/** Under `account`, the resource of its call: what cancels a job refetches it. */
export const JOBS_KEY = ['account', 'jobs'] as const

type Pages = InfiniteData<{ list: JobRow[]; total: number }>

/** The pages with one job moved on; undefined when they do not hold it, or hold it as ended. */
export function moved(pages: Pages | undefined, { jobId, percent }: ConsoleEventData<'job'>): Pages | undefined {
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
