import { files } from '@oms/contract/file.ts'
import type { JobRow } from '@oms/contract/job.ts'
import { Button } from 'antd'
import { download } from '#kernel/download.ts'
import { notification } from '#kernel/overlays.ts'
import { endOf } from './job-words.ts'

type Made = NonNullable<JobRow['file']>

/** One place for one job: its progress and its end replace each other, whoever tells them. Above, it would lie on the account menu. */
export const noticeOf = (jobId: number) => ({ key: `job-${jobId}`, placement: 'bottomRight' }) as const

/** Tells how a job of one's own ended; a file made is one click away. */
export function tellJob(job: JobRow, onDetails?: () => void) {
  const close = () => notification.destroy(noticeOf(job.jobId).key)
  const { level, ...words } = endOf(job)
  notification.open({
    type: level,
    ...noticeOf(job.jobId),
    ...words,
    actions: job.file ? (
      <FileButton job={job} file={job.file} onDone={close} />
    ) : (
      onDetails && (
        <Button
          size="small"
          onClick={() => {
            close()
            onDetails()
          }}
        >
          查看
        </Button>
      )
    ),
  })
}

function FileButton({ job, file, onDone }: { job: JobRow; file: Made; onDone(): void }) {
  const fetchIt = async () => {
    if (await downloadMade(file)) onDone()
  }
  return (
    <Button type="primary" size="small" disabled={file.expired} onClick={() => void fetchIt()}>
      {file.expired ? '文件已过期' : job.report ? '下载失败明细' : '下载'}
    </Button>
  )
}

/** Saves what a job made. */
export const downloadMade = ({ id, name }: Pick<Made, 'id' | 'name'>) =>
  download(files.download, { id, download: '1' }, name)
