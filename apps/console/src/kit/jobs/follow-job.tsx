import { isJobOpen, type JobRow } from '@oms/contract/system/job.ts'
import { Progress } from 'antd'
import { notification } from '#core/loading/overlays.ts'
import { buildProgressKey, showJobNotification } from './job-notification.tsx'
import { watchJob } from './watch-job.ts'

/** Shows the progress and result of a background job as a notification, on any page. */
export function followJob(jobId: number, message: string) {
  const show = (job: JobRow | undefined) => {
    if (job && !isJobOpen(job.state)) return showJobNotification(job)
    notification.open({
      type: 'info',
      ...buildProgressKey(jobId),
      title: job?.title || '后台任务',
      description: job ? <Progress percent={job.percent} size="small" aria-label="任务进度" /> : message,
      duration: 0,
    })
  }
  show(undefined)
  watchJob(jobId, show)
}
