import { DownloadOutlined, UploadOutlined } from '@ant-design/icons'
import { type ImportReport, type JobAnswer, TRANSFER_MESSAGES } from '@oms/contract/kernel/transfer.ts'
import { licenseCerts } from '@oms/contract/license.ts'
import { UPLOAD, uploadProblem } from '@oms/contract/upload.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Space } from 'antd'
import { useState } from 'react'
import { call } from '#kernel/call.ts'
import { download } from '#kernel/download.ts'
import { toast } from '#kernel/toast.ts'
import { ImportProblems } from '#kit/import-problems.tsx'
import { FileButton } from '#kit/upload/file-button.tsx'
import { showJob } from '#kit/show-job.ts'

/** Allots the UIDs of a table: checked first, then for good. */
export function AllotFile(props: { tenantId: number | undefined; onMissing(): void; onClose(): void }) {
  const { tenantId, onMissing, onClose } = props
  const client = useQueryClient()
  const [file, setFile] = useState<File>()
  /** What came of looking, and for whom: for another customer it says nothing. A long file answers with a job instead. */
  const [checked, setChecked] = useState<{ tenantId: number; report: ImportReport | undefined }>()
  const isChecked = checked !== undefined && checked.tenantId === tenantId
  const report = isChecked ? checked.report : undefined
  const [busy, setBusy] = useState(false)
  const choose = ([chosen]: File[]) => {
    const problem = chosen && uploadProblem(UPLOAD.table, chosen)
    if (problem) return toast.error(problem)
    setFile(chosen)
    setChecked(undefined)
  }
  const run = async (dryRun: boolean) => {
    if (tenantId === undefined) return onMissing()
    setBusy(true)
    try {
      const input = { file, tenantId, dryRun: dryRun ? '1' : '0' } as never
      const result = (await call(licenseCerts.allotFile, input)) as ImportReport | JobAnswer
      if ('jobId' in result) {
        showJob(result.jobId, TRANSFER_MESSAGES.importLater)
        if (!dryRun) return onClose()
        setChecked({ tenantId, report: undefined })
      } else {
        setChecked({ tenantId, report: result })
        if (!dryRun) await client.invalidateQueries({ queryKey: ['license'] })
      }
    } catch {
      // The call has told why; the file stays chosen.
    }
    setBusy(false)
  }
  const isDone = report !== undefined && !report.dryRun
  return (
    <>
      <div className="kit-import-row">
        <FileButton label="选择 UID 文件" extensions={UPLOAD.table.extensions} onFiles={choose}>
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
      {report && <ImportProblems report={report} />}
      {file && !isChecked && <p className="license-hint">先核对文件，再按核对出的数量分配。</p>}
      <Space style={{ marginTop: 16 }}>
        {isDone ? (
          <Button type="primary" onClick={onClose}>
            完成
          </Button>
        ) : (
          <>
            <Button type={isChecked ? 'default' : 'primary'} disabled={!file} loading={busy} onClick={() => run(true)}>
              核对
            </Button>
            <Button
              type={isChecked ? 'primary' : 'default'}
              disabled={!file || !isChecked || report?.updated === 0}
              loading={busy}
              onClick={() => run(false)}
            >
              {report ? `确认分配 ${report.updated} 个` : '分配'}
            </Button>
          </>
        )}
      </Space>
    </>
  )
}
