import { DownloadOutlined, FileExcelOutlined, UploadOutlined } from '@ant-design/icons'
import type { Endpoint, InputOf } from '@oms/contract/kernel/endpoint.ts'
import { type ImportReport, type JobAnswer, TRANSFER_MESSAGES } from '@oms/contract/kernel/transfer.ts'
import { UPLOAD, uploadProblem } from '@oms/contract/upload.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Checkbox, Modal, Steps } from 'antd'
import { useState } from 'react'
import { call } from '#kernel/call.ts'
import { download } from '#kernel/download.ts'
import { resourceOf } from '#kernel/query.ts'
import { toast } from '#kernel/toast.ts'
import { showJob } from './show-job.ts'
import { ImportProblems, SaveProblems } from './import-problems.tsx'
import './kit.css'
import { FileButton } from './upload/file-button.tsx'

interface ImportModalProps<E extends Endpoint> {
  title: string
  to: E
  template: Endpoint
  onClose(): void
  /** The report of the real run, for what it holds beside the counts (passwords handed out once). */
  onImported?: (report: ImportReport) => void
}

/** Imports a table in three steps: template, a dry run with its report row by row, then the real one. */
export function ImportModal<E extends Endpoint>(props: ImportModalProps<E>) {
  const { title, template, onClose } = props
  const { file, update, setUpdate, updateField, report, choose, run, busy } = useImport(props)
  const checked = report?.dryRun === true
  const taken = report ? report.created + report.updated : 0
  return (
    <Modal
      open
      title={title}
      width={640}
      mask={{ closable: false }}
      okText={report && !checked ? '完成' : checked ? `导入 ${taken} 行` : '校验'}
      cancelText="取消"
      confirmLoading={busy}
      okButtonProps={{ disabled: !file || (checked && taken === 0) }}
      onOk={report && !checked ? onClose : () => run(!checked)}
      onCancel={onClose}
    >
      <div className="kit-import">
        <Steps
          size="small"
          current={report ? (checked ? 1 : 2) : 0}
          items={[{ title: '选择文件' }, { title: '校验结果' }, { title: '完成' }]}
        />
        <div className="kit-import-row">
          <FileButton label="选择表格文件" extensions={UPLOAD.table.extensions} onFiles={choose}>
            <Button icon={<UploadOutlined />}>{file ? '重新选择' : '选择文件'}</Button>
          </FileButton>
          <Button type="link" icon={<DownloadOutlined />} onClick={() => download(template, {}, '导入模板.xlsx')}>
            下载模板
          </Button>
        </div>
        {file && (
          <p className="kit-import-file">
            <FileExcelOutlined aria-hidden /> {file.name}
          </p>
        )}
        {updateField && (
          <Checkbox checked={update} disabled={busy} onChange={({ target }) => setUpdate(target.checked)}>
            更新已经存在的数据
          </Checkbox>
        )}
        {report && <ImportProblems report={report} />}
        {report && <SaveProblems report={report} />}
      </div>
    </Modal>
  )
}

function useImport<E extends Endpoint>({ to, onImported, onClose }: ImportModalProps<E>) {
  const [file, setFile] = useState<File>()
  const [update, setUpdate] = useState(false)
  const [report, setReport] = useState<ImportReport>()
  const [busy, setBusy] = useState(false)
  const client = useQueryClient()
  const updateField = ['updateExisting', 'update'].find((name) => name in shapeOf(to))
  const choose = ([chosen]: File[]) => {
    if (!chosen) return
    const problem = uploadProblem(UPLOAD.table, chosen)
    if (problem) return toast.error(problem)
    setFile(chosen)
    setReport(undefined)
  }
  const run = async (dryRun: boolean) => {
    setBusy(true)
    const fields = { file, dryRun: dryRun ? '1' : '0', ...(updateField && { [updateField]: update ? '1' : '0' }) }
    try {
      const result = (await call(to, fields as unknown as InputOf<E>)) as ImportReport | JobAnswer
      if ('jobId' in result) {
        showJob(result.jobId, TRANSFER_MESSAGES.importLater)
        return onClose()
      }
      setReport(result)
      if (!dryRun) {
        onImported?.(result)
        await client.invalidateQueries({ queryKey: [resourceOf(to)] })
      }
    } catch {
      // The call has told why; the file stays chosen.
    }
    setBusy(false)
  }
  const changeUpdate = (next: boolean) => {
    setUpdate(next)
    // What was checked was another import.
    setReport(undefined)
  }
  return { file, update, setUpdate: changeUpdate, updateField, report, choose, run, busy }
}

const shapeOf = ({ input }: Endpoint) => ('shape' in input ? (input.shape as object) : {})
