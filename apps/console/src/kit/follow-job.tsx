import { isOpen, type JobRow, jobs } from '@oms/contract/job.ts'
import { Progress } from 'antd'
import { call } from '#kernel/call.ts'
import { onEvent } from '#kernel/events.ts'
import { notification } from '#kernel/overlays.ts'
import { noticeOf, tellJob } from './tell-job.tsx'

/** The server pushes every step; this is for a line that lost one. */
const ASK_AGAIN_MS = 10_000

/** Follows a background job in the corner of the window, wherever the person goes meanwhile, to its file or its failure. */
export function followJob(jobId: number, message: string) {
  let over = false
  const show = (job: JobRow | undefined) => {
    if (over) return
    over = job !== undefined && !isOpen(job.state)
    if (job && over) {
      stop()
      return tellJob(job)
    }
    notification.open({
      type: 'info',
      ...noticeOf(jobId),
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
