import { jobs } from '@oms/contract/system/job.ts'
import { call } from '#core/api/client.ts'
import { showJobNotification } from '#kit/jobs/job-notification.tsx'

/** Shows the notification of a finished job that no screen follows. */
export async function notifyJobEnd(jobId: number, onDetails: () => void) {
  const job = await call(jobs.get, { id: jobId }, { quiet: true }).catch(() => undefined)
  if (job) showJobNotification(job, onDetails)
}
