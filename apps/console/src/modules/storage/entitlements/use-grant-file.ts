import { type GrantPlan, storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { type ImportReport, type JobResponse, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { useQueryClient } from '@tanstack/react-query'
import type { FormInstance } from 'antd'
import { useState } from 'react'
import { call, type CallOptions, findErrorMessage } from '#core/api/client.ts'
import { toast } from '#core/loading/toast.ts'
import { showAtField } from '#kit/form/save/show-at-field.ts'
import { ImportRun } from '#kit/jobs/import-run.ts'
import { showJob } from '#kit/jobs/show-job.ts'
import { runImport, useBackgroundCheck } from '#kit/jobs/use-background-check.tsx'
import { useFileProblems } from '#kit/upload/file-problems.tsx'

/** The plan of a long file comes from the job of its check. */
type Report = ImportReport & { readonly plan?: GrantPlan | undefined }

const sendFile = (fields: object, isDryRun: boolean, options: CallOptions) =>
  call(storageGrantFiles.import, { ...fields, dryRun: isDryRun ? '1' : '0' } as never, options)

/** Says that the file is executed by a job, or waits for approval. */
function showLater(result: JobResponse | object) {
  if ('jobId' in result) showJob(result.jobId, TRANSFER_MESSAGES.importLater)
  else toast.success('已提交，需他人审批后执行')
}

/** Keeps the chosen file with its report. Sends the file with the form's values for a dry run or for the import. */
export function useGrantFile(form: FormInstance, onClose: () => void) {
  const client = useQueryClient()
  const { problems, accept, add, clear } = useFileProblems()
  const [file, setFile] = useState<File>()
  const [report, setReport] = useState<Report>()
  const [busy, setBusy] = useState<'check' | 'import'>()
  const [runs] = useState(() => new ImportRun())
  const { percent, wait, cancel } = useBackgroundCheck()
  /** Discards the report after a change of the file or of a field. */
  const forget = () => {
    runs.outdate()
    cancel()
    setReport(undefined)
    setBusy(undefined)
  }
  const choose = ([chosen]: File[]) => {
    // The file of a running import cannot be replaced.
    if (!chosen || busy === 'import') return
    if (!accept(storageGrantFiles.import.file, chosen, file)) return
    forget()
    setFile(chosen)
  }
  const run = async (values: object, isDryRun: boolean) => {
    clear()
    setBusy(isDryRun ? 'check' : 'import')
    const isCurrent = runs.begin()
    try {
      const request = { dryRun: isDryRun, idempotencyKey: runs.key, isCurrent, wait }
      const result = await runImport(request, (options) => sendFile({ ...values, file }, isDryRun, options))
      if (!result) return
      if ('total' in result) setReport(result)
      else showLater(result)
      if (!isDryRun) await client.invalidateQueries({ queryKey: ['oss'] })
      if (!isDryRun && !('total' in result)) onClose()
    } catch (error) {
      // The chosen file stays. A failed run of an earlier file is not shown at the present file.
      if (isCurrent() && !showAtField(form, error)) add(findErrorMessage(error))
    }
    if (isCurrent()) setBusy(undefined)
  }
  return { file, report, problems, isChecked: report?.dryRun === true, busy, percent, choose, forget, run }
}
