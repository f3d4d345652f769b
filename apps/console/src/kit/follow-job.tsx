import { files } from '@oms/contract/file.ts'
import { isOpen, type JobRow, jobs } from '@oms/contract/job.ts'
import { type App, Button, Progress } from 'antd'
import { call } from '#kernel/call.ts'
import { download } from '#kernel/download.ts'
import { onEvent } from '#kernel/events.ts'

/** The server pushes every step; this is for a line that lost one. */
const ASK_AGAIN_MS = 10_000

type Notifications = ReturnType<typeof App.useApp>['notification']

/** Follows a background job in the corner of the window, wherever the person goes meanwhile, to its file or its failure. */
export function followJob(notification: Notifications, jobId: number, message: string) {
  const key = `job-${jobId}`
  let over = false
  const show = (job: JobRow | undefined) => {
    over = job !== undefined && !isOpen(job.state)
    const level = job?.state === 'done' ? 'success' : job?.state === 'failed' ? 'error' : 'info'
    notification[level]({
      key,
      placement: 'bottomRight',
      title: job?.title || '后台任务',
      description: job ? <JobState job={job} /> : message,
      duration: 0,
      actions: <JobFile job={job} onDone={() => notification.destroy(key)} />,
    })
    if (over) stop()
  }
  const ask = () => {
    if (over) return
    call(jobs.get, { id: jobId }, { quiet: true }).then(show, () => {})
  }
  const forget = onEvent('job', (event) => event.jobId === jobId && ask())
  const timer = setInterval(ask, ASK_AGAIN_MS)
  const stop = () => {
    forget()
    clearInterval(timer)
  }
  show(undefined)
  ask()
}

function JobState({ job }: { job: JobRow }) {
  const { state, percent, error, report, rows } = job
  if (isOpen(state)) return <Progress percent={percent} size="small" aria-label="任务进度" />
  if (state !== 'done') return error || '任务没有完成'
  if (report) return `新增 ${report.created} 行，更新 ${report.updated} 行，${report.failed} 行有问题`
  return rows === null ? '已完成' : `共 ${rows} 条`
}

function JobFile({ job, onDone }: { job: JobRow | undefined; onDone(): void }) {
  const file = job?.file
  if (!file) return null
  const fetchIt = async () => {
    if (await download(files.download, { id: file.id, download: '1' }, file.name)) onDone()
  }
  return (
    <Button type="primary" size="small" disabled={file.expired} onClick={fetchIt}>
      {file.expired ? '文件已过期' : job.report ? '下载失败明细' : '下载'}
    </Button>
  )
}
