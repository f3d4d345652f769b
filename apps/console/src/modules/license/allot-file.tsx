import { DownloadOutlined, UploadOutlined } from '@ant-design/icons'
import type { ImportReport, JobResponse } from '@oms/contract/core/transfer.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Space } from 'antd'
import { useState } from 'react'
import { type CallOptions, call, findErrorMessage } from '#core/api/client.ts'
import { download } from '#core/api/download.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { DownloadFailedRows, ImportProblems } from '#kit/jobs/import-problems.tsx'
import { ImportRun } from '#kit/jobs/import-run.ts'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { TableLimits } from '#kit/upload/table-limits.tsx'
import { CheckProgress, closeForBackgroundJob, runImport, useBackgroundCheck } from '#kit/jobs/use-background-check.tsx'

interface AllotFileProps {
  tenantId: number | undefined
  onMissing(): void
  onClose(): void
}

/** Allots the UIDs of a file after a dry run. */
export function AllotFile(props: AllotFileProps) {
  const { onClose } = props
  const { file, isChecked, report, problems, busy, percent, choose, run } = useAllotFile(props)
  return (
    <div className="kit-stack">
      <div className="kit-row">
        <FileButton label="选择 UID 文件" extensions={licenseCerts.allotFile.file.extensions} onFiles={choose}>
          <Button icon={<UploadOutlined />}>{file ? file.name : '选择文件'}</Button>
        </FileButton>
        <Button
          type="link"
          icon={<DownloadOutlined />}
          onClick={() => download(licenseCerts.allotTemplate, {}, '证书分配模板.xlsx')}
        >
          下载模板
        </Button>
      </div>
      <TableLimits rule={licenseCerts.allotFile.file} />
      <FileProblems problems={problems} />
      <CheckProgress percent={percent} />
      {report && <ImportProblems report={report} />}
      {report && <DownloadFailedRows report={report} />}
      {file && !isChecked && <p className="kit-hint">先核对文件，再按核对出的数量分配。</p>}
      <AllotButtons {...{ file, isChecked, report, busy, run, onClose }} />
    </div>
  )
}

interface AllotButtonsProps
  extends Pick<ReturnType<typeof useAllotFile>, 'file' | 'isChecked' | 'report' | 'busy' | 'run'> {
  onClose(): void
}

function AllotButtons({ file, isChecked, report, busy, run, onClose }: AllotButtonsProps) {
  const isDone = report !== undefined && !report.dryRun
  return (
    <Space>
      {isDone ? (
        <Button type="primary" onClick={onClose}>
          完成
        </Button>
      ) : (
        <>
          <ReasonedButton
            type={isChecked ? 'default' : 'primary'}
            reason={file ? undefined : '请先选择文件'}
            loading={busy === 'check'}
            onClick={() => run(true)}
          >
            核对
          </ReasonedButton>
          <ReasonedButton
            type={isChecked ? 'primary' : 'default'}
            reason={
              !file
                ? '请先选择文件'
                : !isChecked
                  ? '请先核对'
                  : report?.updated === 0
                    ? '文件中没有可以分配的证书'
                    : undefined
            }
            loading={busy === 'import'}
            onClick={() => run(false)}
          >
            {report ? `确认分配 ${report.updated} 个` : '分配'}
          </ReasonedButton>
        </>
      )}
    </Space>
  )
}

/** Keeps the chosen file and its report, and sends the file for a dry run or the allotment. */
function useAllotFile({ tenantId, onMissing, onClose }: AllotFileProps) {
  const client = useQueryClient()
  const { problems, accept, add, clear } = useFileProblems()
  const [file, setFile] = useState<File>()
  /** Report of the dry run with its tenant; it is invalid for another tenant. */
  const [checked, setChecked] = useState<{ tenantId: number; report: ImportReport }>()
  const report = checked !== undefined && checked.tenantId === tenantId ? checked.report : undefined
  const isChecked = report !== undefined
  const [busy, setBusy] = useState<'check' | 'import'>()
  const [runs] = useState(() => new ImportRun())
  const { percent, wait, cancel } = useBackgroundCheck()
  const choose = ([chosen]: File[]) => {
    // The file of a running allotment cannot be replaced.
    if (!chosen || busy === 'import') return
    if (!accept(licenseCerts.allotFile.file, chosen, file)) return
    runs.outdate()
    cancel()
    setBusy(undefined)
    setFile(chosen)
    setChecked(undefined)
  }
  const showResult = async (allottedTo: number, result: ImportReport | JobResponse) => {
    if ('jobId' in result) return closeForBackgroundJob(result.jobId, onClose)
    setChecked({ tenantId: allottedTo, report: result })
    if (!result.dryRun) await client.invalidateQueries({ queryKey: ['license'] })
  }
  const run = async (dryRun: boolean) => {
    if (tenantId === undefined) return onMissing()
    clear()
    setBusy(dryRun ? 'check' : 'import')
    const isCurrent = runs.begin()
    try {
      // A different tenant requires a new idempotency key.
      const request = { dryRun, idempotencyKey: `${runs.key}-${tenantId}`, isCurrent, wait }
      const result = await runImport(request, (options) => sendFile({ file, tenantId, dryRun }, options))
      if (result) await showResult(tenantId, result)
    } catch (error) {
      // The chosen file stays. A failed run of an earlier file is not shown at the present file.
      if (isCurrent()) add(findErrorMessage(error))
    }
    if (isCurrent()) setBusy(undefined)
  }
  return { file, isChecked, report, problems, busy, percent, choose, run }
}

function sendFile(given: { file: File | undefined; tenantId: number; dryRun: boolean }, options: CallOptions) {
  const input = { ...given, dryRun: given.dryRun ? '1' : '0' } as never
  return call(licenseCerts.allotFile, input, options) as Promise<ImportReport | JobResponse>
}
