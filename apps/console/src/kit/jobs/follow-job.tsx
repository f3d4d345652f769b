import { isJobOpen, type JobRow, jobs } from '@oms/contract/job/job.ts'
import { Progress } from 'antd'
import { call } from '#core/api/client.ts'
import { onEvent } from '#core/events/events.ts'
import { notification } from '#core/loading/overlays.ts'
import { buildProgressKey, showJobNotification } from './job-notification.tsx'

/** Poll interval in case a server event was lost. */
const ASK_AGAIN_MS = 10_000

/** Shows the progress and result of a background job as a notification, on any page. */
export function followJob(jobId: number, message: string) {
  let over = false
  const show = (job: JobRow | undefined) => {
    if (over) return
    over = job !== undefined && !isJobOpen(job.state)
    if (job && over) {
      stop()
      return showJobNotification(job)
    }
    notification.open({
      type: 'info',
      ...buildProgressKey(jobId),
      title: job?.title || '后台任务',
      description: job ? <Progress percent={job.percent} size="small" aria-label="任务进度" /> : message,
      duration: 0,
    })
  }
  const ask = () => void call(jobs.get, { id: jobId }, { quiet: true }).then(show, () => {})
  const forget = onEvent('job', (event) => event.jobId === jobId && ask())
  const timer = setInterval(ask, ASK_AGAIN_MS)
  const stop = () => {
    forget()
    clearInterval(timer)
  }
  show(undefined)
  ask()
}
