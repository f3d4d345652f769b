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

/**
 * Starts the import of a finished dry run, or sends its table for approval, after a confirmation. Shows nothing for other
 * jobs.
 */
export function ContinueImport({ job, onStarted }: ContinueImportProps) {
  if (!job.canImport) return null
  const label = job.report?.needsApproval ? '提交审批' : '继续导入'
  return (
    <Button
      type="primary"
      size="small"
      aria-label={`${label} ${job.title}`}
      onClick={() => confirmImport(job, onStarted)}
    >
      {label}
    </Button>
  )
}

function describeConfirmation({ title, report }: JobRow) {
  const { created = 0, updated = 0, failed = 0, needsApproval = false } = report ?? {}
  const lines = `${created + updated} 行`
  const refused = failed > 0 && `${failed} 行有问题，不会导入`
  const facts = [needsApproval && '需他人审批后执行', refused].filter(Boolean).join('；')
  return {
    title: needsApproval ? `将 ${lines}提交审批？` : `导入 ${lines}？`,
    content: facts ? `${title}：${facts}。` : title,
    okText: needsApproval ? '提交审批' : '导入',
  }
}

function confirmImport(job: JobRow, onStarted?: () => void) {
  // Retries of one confirmation share the key, so that a lost response adds no second job.
  const idempotencyKey = createRandomKey()
  void dialogs.confirm({
    ...describeConfirmation(job),
    cancelText: '取消',
    onOk: async () => {
      const started = await call(jobs.import, { id: job.jobId }, { idempotencyKey }).catch(() => undefined)
      if (!started) return
      if ('jobId' in started) showJob(started.jobId, TRANSFER_MESSAGES.importLater)
      else toast.success(TRANSFER_MESSAGES.approvalLater)
      onStarted?.()
    },
  })
}
