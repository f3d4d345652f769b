import { type GrantPlan, storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { type ImportReport, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { UPLOAD, findUploadProblem } from '@oms/contract/core/upload.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '#core/api/client.ts'
import { toast } from '#core/loading/toast.ts'
import { ImportRun } from '#kit/jobs/import-run.ts'
import { showJob } from '#kit/jobs/show-job.ts'
import { showRefusedFile } from '#kit/upload/refused-file.ts'

type Report = ImportReport & { readonly plan?: GrantPlan | undefined }

/** Keeps the chosen file with its report. Sends the file with the form's values for a dry run or for the import. */
export function useGrantFile(onClose: () => void) {
  const client = useQueryClient()
  const [file, setFile] = useState<File>()
  const [report, setReport] = useState<Report>()
  /** True when the dry run of a long file was added as a job. The dialog has no report of a job. */
  const [isChecking, setChecking] = useState(false)
  const [busy, setBusy] = useState<'check' | 'import'>()
  const [runs] = useState(() => new ImportRun())
  /** Discards the report after a change of the file or of a field. */
  const forget = () => {
    runs.outdate()
    setReport(undefined)
    setChecking(false)
    setBusy(undefined)
  }
  const choose = ([chosen]: File[]) => {
    // The file of a running import cannot be replaced.
    if (!chosen || busy === 'import') return
    const problem = findUploadProblem(UPLOAD.table, chosen)
    if (problem) return showRefusedFile(problem, file)
    forget()
    setFile(chosen)
  }
  const run = async (values: object, isDryRun: boolean) => {
    setBusy(isDryRun ? 'check' : 'import')
    const isCurrent = runs.begin()
    const fields = { ...values, file, dryRun: isDryRun ? '1' : '0' } as never
    try {
      const result = await call(storageGrantFiles.import, fields, { idempotencyKey: isDryRun ? undefined : runs.key })
      if (!isCurrent()) return
      if ('grantFileId' in result) toast.success('已提交，需他人审批后执行')
      else if ('jobId' in result) showJob(result.jobId, TRANSFER_MESSAGES.importLater)
      else setReport(result)
      if (isDryRun) setChecking('jobId' in result)
      else await client.invalidateQueries({ queryKey: ['oss'] })
      if (!isDryRun && !('total' in result)) onClose()
    } catch {
      // The call has shown its error; the chosen file stays.
    }
    if (isCurrent()) setBusy(undefined)
  }
  return { file, report, isChecked: report?.dryRun === true || isChecking, busy, choose, forget, run }
}
