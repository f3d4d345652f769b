import { isJobOpen, type JobDetail, jobs } from '@oms/contract/system/job.ts'
import { call } from '#core/api/client.ts'
import { onEvent } from '#core/events/events.ts'

/** Poll interval in case a server event was lost. */
const ASK_AGAIN_MS = 10_000

/** Calls `onChange` with the job now and after each change, until the job ends. Returns a function that stops earlier. */
export function watchJob(jobId: number, onChange: (job: JobDetail) => void): () => void {
  let isOver = false
  const stop = () => {
    isOver = true
    forget()
    clearInterval(timer)
  }
  const show = (job: JobDetail) => {
    if (isOver) return
    if (!isJobOpen(job.state)) stop()
    onChange(job)
  }
  const ask = () => void call(jobs.get, { id: jobId }, { quiet: true }).then(show, () => {})
  const forget = onEvent('job', (event) => event.jobId === jobId && ask())
  const timer = setInterval(ask, ASK_AGAIN_MS)
  ask()
  return stop
}
