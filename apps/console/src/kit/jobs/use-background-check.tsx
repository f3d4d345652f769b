import { isJobOpen, type JobDetail, jobs } from '@oms/contract/system/job.ts'
import { type ImportReport, type JobResponse, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { Alert, Progress } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '#core/api/api-error.ts'
import { type CallOptions, call } from '#core/api/client.ts'
import { followedJobs } from './followed.ts'
import { showJob } from './show-job.ts'
import { watchJob } from './watch-job.ts'

interface Check {
  readonly jobId: number
  stop(): void
}

/** Waits in an open dialog for the dry run of a long table, which the server runs as a job. */
export function useBackgroundCheck() {
  const [percent, setPercent] = useState<number>()
  const running = useRef<Check>(undefined)
  const isShown = useRef(false)
  const finish = () => {
    running.current = undefined
    setPercent(undefined)
  }
  /** Cancels the dry run of a file or setting that is no longer chosen. */
  const cancel = () => {
    const { current } = running
    if (!current) return
    current.stop()
    finish()
    cancelCheck(current.jobId)
  }
  /** Returns the report of the job. Throws when the job fails. Never ends after `cancel`. */
  const wait = async (jobId: number): Promise<ImportReport> => {
    followedJobs.add(jobId)
    // The dialog may have closed before the response arrived.
    if (!isShown.current) showJob(jobId, TRANSFER_MESSAGES.checkLater)
    setPercent(0)
    const ended = await new Promise<JobDetail>((resolve) => {
      const stop = watchJob(jobId, (job) => (isJobOpen(job.state) ? setPercent(job.percent) : resolve(job)))
      running.current = { jobId, stop }
    })
    finish()
    return readCheckReport(ended)
  }
  // A closed dialog passes the dry run on to a notification.
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
      if (running.current) showJob(running.current.jobId, TRANSFER_MESSAGES.checkLater)
    }
  }, [])
  return { percent, wait, cancel }
}

function readCheckReport({ state, error, report, file, answer }: JobDetail): ImportReport {
  if (!report)
    throw new ApiError(400, error || (state === 'cancelled' ? '校验已取消，请重新校验' : '校验没有完成，请重试'))
  return { ...answer, ...report, ...(file && !file.expired && { file }) }
}

const cancelCheck = (id: number) => void call(jobs.cancel, { id }, { quiet: true }).catch(() => {})

interface ImportRequest {
  readonly dryRun: boolean
  readonly idempotencyKey: string
  /** Tests whether the run belongs to the chosen file and settings. */
  isCurrent(): boolean
  wait(jobId: number): Promise<ImportReport>
}

/**
 * Sends the file and returns the result. When a dry run is a job, waits for the end of the job. When the file or the
 * settings have changed meanwhile, returns undefined and cancels the job of the dry run.
 */
export async function runImport<Result extends object>(
  { dryRun, idempotencyKey, isCurrent, wait }: ImportRequest,
  send: (options: CallOptions) => Promise<Result | JobResponse>,
): Promise<Result | ImportReport | JobResponse | undefined> {
  const result = await send({ idempotencyKey: dryRun ? undefined : idempotencyKey, quiet: true })
  const checkJobId = dryRun && 'jobId' in result ? result.jobId : undefined
  if (!isCurrent()) {
    if (checkJobId !== undefined) cancelCheck(checkJobId)
    return undefined
  }
  return checkJobId === undefined ? result : wait(checkJobId)
}

/** Closes a dialog after its import became a job. A notification shows the job. */
export function closeForBackgroundJob(jobId: number, onClose: () => void) {
  showJob(jobId, TRANSFER_MESSAGES.importLater)
  onClose()
}

/** Shows the progress of the dry run of a long table. */
export function CheckProgress({ percent }: { readonly percent: number | undefined }) {
  if (percent === undefined) return null
  return (
    <Alert
      type="info"
      showIcon
      title="数据较多，正在后台校验，尚未导入"
      description={<Progress percent={percent} size="small" aria-label="校验进度" />}
    />
  )
}
