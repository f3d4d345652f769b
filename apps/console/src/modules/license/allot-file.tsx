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
import { useFollowJob } from '#kit/use-follow-job.ts'

/** Allots the UIDs of a table: checked first, then for good. */
export function AllotFile(props: { tenantId: number | undefined; onMissing(): void; onClose(): void }) {
  const { tenantId, onMissing, onClose } = props
  const client = useQueryClient()
  const follow = useFollowJob()
  const [file, setFile] = useState<File>()
  const [report, setReport] = useState<ImportReport>()
  const [busy, setBusy] = useState(false)
  const choose = ([chosen]: File[]) => {
    const problem = chosen && uploadProblem(UPLOAD.table, chosen)
    if (problem) return toast.error(problem)
    setFile(chosen)
    setReport(undefined)
  }
  const run = async (dryRun: boolean) => {
    if (tenantId === undefined) return onMissing()
    setBusy(true)
    try {
      const input = { file, tenantId, dryRun: dryRun ? '1' : '0' } as never
      const result = (await call(licenseCerts.allotFile, input)) as ImportReport | JobAnswer
      if ('jobId' in result) {
        follow(result.jobId, TRANSFER_MESSAGES.importLater)
        if (!dryRun) onClose()
      } else {
        setReport(result)
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
      <Space style={{ marginTop: 16 }}>
        {isDone ? (
          <Button type="primary" onClick={onClose}>
            完成
          </Button>
        ) : (
          <>
            <Button type={report ? 'default' : 'primary'} disabled={!file} loading={busy} onClick={() => run(true)}>
              核对
            </Button>
            <Button
              type={report ? 'primary' : 'default'}
              disabled={!file || report?.updated === 0}
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
