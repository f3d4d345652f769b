import { files } from '@oms/contract/system/file.ts'
import type { JobRow } from '@oms/contract/system/job.ts'
import { Button } from 'antd'
import { download } from '#core/api/download.ts'
import { notification } from '#core/loading/overlays.ts'
import { describeJobEnd } from './job-words.ts'

type Made = NonNullable<JobRow['file']>

/**
 * Notification at the bottom right, above the buttons of a drawer: the menu, the account menu and the first columns of a
 * list stay visible.
 */
const place = (key: string) => ({ key, placement: 'bottomRight' }) as const

/** Notification of the progress of one job. */
export const buildProgressKey = (jobId: number) => place(`job-${jobId}`)

/** Number of finished jobs that an open notification reports, by the titles of the job and of the notification. */
const joined = new Map<string, number>()

/**
 * Shows the result of the user's own job, with a download button for its file. Results with the same title share one
 * notification, which shows the newest result.
 */
export function showJobNotification(job: JobRow, onDetails?: () => void) {
  const { level, title, description, duration } = describeJobEnd(job)
  const group = `${job.title} ${title}`
  const count = (joined.get(group) ?? 0) + 1
  const { key, placement } = place(`job-end-${group}`)
  const forget = () => void joined.delete(group)
  const close = () => {
    forget()
    notification.destroy(key)
  }
  joined.set(group, count)
  notification.destroy(buildProgressKey(job.jobId).key)
  notification.open({
    type: level,
    key,
    placement,
    title: count > 1 ? `${title}（${count} 次）` : title,
    description: count > 1 ? `最近一次：${description}` : description,
    duration,
    onClose: forget,
    actions: <Actions job={job} onClose={close} onDetails={onDetails} />,
  })
}

interface ActionsProps {
  readonly job: JobRow
  readonly onDetails: (() => void) | undefined
  onClose(): void
}

function Actions({ job, onDetails, onClose }: ActionsProps) {
  if (job.file) return <FileButton job={job} file={job.file} onDone={onClose} />
  if (!onDetails) return null
  const show = () => {
    onClose()
    onDetails()
  }
  return (
    <Button size="small" onClick={show}>
      查看
    </Button>
  )
}

function FileButton({ job, file, onDone }: { job: JobRow; file: Made; onDone(): void }) {
  const fetchIt = async () => {
    if (await downloadJobFile(file)) onDone()
  }
  return (
    <Button type="primary" size="small" disabled={file.expired} onClick={() => void fetchIt()}>
      {file.expired ? '文件已过期' : job.report ? '下载失败明细' : '下载'}
    </Button>
  )
}

/** Downloads the result file of a job. */
export const downloadJobFile = ({ id, name }: Pick<Made, 'id' | 'name'>) =>
  download(files.download, { id, download: '1' }, name)
