import { type JobRow, jobs } from '@oms/contract/job/job.ts'
import { TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { Button } from 'antd'
import { call } from '#core/api/client.ts'
import { createRandomKey } from '#core/api/random-key.ts'
import { dialogs } from '#core/loading/overlays.ts'
import { toast } from '#core/loading/toast.ts'
import { showJob } from './show-job.ts'

interface ContinueImportProps {
  readonly job: JobRow
  /** Called after the job of the import was added. */
  onStarted?(): void
}

/** Starts the import of a finished dry run after a confirmation. Shows nothing for other jobs. */
export function ContinueImport({ job, onStarted }: ContinueImportProps) {
  if (!job.canImport) return null
  return (
    <Button
      type="primary"
      size="small"
      aria-label={`继续导入 ${job.title}`}
      onClick={() => confirmImport(job, onStarted)}
    >
      继续导入
    </Button>
  )
}

function confirmImport({ jobId, title, report }: JobRow, onStarted?: () => void) {
  const { created = 0, updated = 0, failed = 0 } = report ?? {}
  // Retries of one confirmation share the key, so that a lost response adds no second job.
  const idempotencyKey = createRandomKey()
  void dialogs.confirm({
    title: `导入 ${created + updated} 行？`,
    content: failed > 0 ? `${title}：${failed} 行有问题，不会导入。` : title,
    okText: '导入',
    cancelText: '取消',
    onOk: async () => {
      const started = await call(jobs.import, { id: jobId }, { idempotencyKey }).catch(() => undefined)
      if (!started) return
      if ('jobId' in started) showJob(started.jobId, TRANSFER_MESSAGES.importLater)
      else toast.success(TRANSFER_MESSAGES.approvalLater)
      onStarted?.()
    },
  })
}
