import { type JobRow, jobs } from '@oms/contract/job.ts'
import { Button } from 'antd'
import type { NotificationInstance } from 'antd/es/notification/interface'
import { call } from '#kernel/call.ts'
import { downloadMade } from './job-item.tsx'

/** Tells how a job of one's own ended, wherever one is by now; a file made is one click away. */
export async function tellJob(notification: NotificationInstance, jobId: number, onDetails: () => void) {
  const job = await call(jobs.get, { id: jobId }, { quiet: true }).catch(() => undefined)
  if (!job) return
  const key = `job-${jobId}`
  const close = () => notification.destroy(key)
  const failed = job.state === 'failed'
  notification[failed ? 'error' : 'success']({
    key,
    // Above, it would lie on the account menu.
    placement: 'bottomRight',
    title: `${job.title}${failed ? '失败' : '完成'}`,
    description: describe(job),
    // A failure, and a file nobody has fetched, wait for the person.
    duration: failed || job.file ? 0 : 8,
    actions: job.file ? (
      <Button type="primary" size="small" onClick={() => void downloadMade(job.file as Made).then(close)}>
        {job.report ? '下载失败明细' : '下载'}
      </Button>
    ) : (
      <Button
        size="small"
        onClick={() => {
          close()
          onDetails()
        }}
      >
        查看
      </Button>
    ),
  })
}

type Made = NonNullable<JobRow['file']>

function describe({ error, rows, report, file }: JobRow) {
  if (error) return error
  if (report) return `新增 ${report.created} 行，更新 ${report.updated} 行，${report.failed} 行有问题`
  return `共 ${(rows ?? 0).toLocaleString('zh-CN')} 条${file ? `，文件 ${file.name} 保留 7 天` : ''}`
}
