import { files } from '@oms/contract/file/file.ts'
import type { JobRow } from '@oms/contract/job/job.ts'
import { Button, Space } from 'antd'
import { download } from '#core/api/download.ts'
import { notification } from '#core/loading/overlays.ts'
import { ContinueImport } from './continue-import.tsx'
import { describeJobEnd } from './job-words.ts'

type Made = NonNullable<JobRow['file']>

/**
 * Notification key per job: progress and result replace each other. Placed at the bottom left, so that neither the
 * account menu nor the buttons of a drawer are covered.
 */
export const buildNotificationKey = (jobId: number) => ({ key: `job-${jobId}`, placement: 'bottomLeft' }) as const

/** Shows the result of the user's own job, with a download button for its file. */
export function showJobNotification(job: JobRow, onDetails?: () => void) {
  const close = () => notification.destroy(buildNotificationKey(job.jobId).key)
  const { level, ...words } = describeJobEnd(job)
  notification.open({
    type: level,
    ...buildNotificationKey(job.jobId),
    ...words,
    actions: job.canImport ? (
      <Space>
        {job.file && <FileButton job={job} file={job.file} />}
        <ContinueImport job={job} onStarted={close} />
      </Space>
    ) : job.file ? (
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

function FileButton({ job, file, onDone }: { job: JobRow; file: Made; onDone?(): void }) {
  const fetchIt = async () => {
    if (await downloadJobFile(file)) onDone?.()
  }
  return (
    <Button
      type={job.canImport ? 'default' : 'primary'}
      size="small"
      disabled={file.expired}
      onClick={() => void fetchIt()}
    >
      {file.expired ? '文件已过期' : job.report ? '下载失败明细' : '下载'}
    </Button>
  )
}

/** Downloads the result file of a job. */
export const downloadJobFile = ({ id, name }: Pick<Made, 'id' | 'name'>) =>
  download(files.download, { id, download: '1' }, name)
