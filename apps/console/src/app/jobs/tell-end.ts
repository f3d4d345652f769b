import { jobs } from '@oms/contract/job.ts'
import { call } from '#kernel/call.ts'
import { tellJob } from '#kit/tell-job.tsx'

/** Tells how a job of one's own ended that nobody on this page is following. */
export async function tellEnd(jobId: number, onDetails: () => void) {
  const job = await call(jobs.get, { id: jobId }, { quiet: true }).catch(() => undefined)
  if (job) tellJob(job, onDetails)
}
