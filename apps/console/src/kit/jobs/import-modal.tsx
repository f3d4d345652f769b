import { DownloadOutlined, FileExcelOutlined, UploadOutlined } from '@ant-design/icons'
import type { Endpoint, FileRule, InputOf } from '@oms/contract/core/endpoint.ts'
import type { ImportReport, JobResponse } from '@oms/contract/core/transfer.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Checkbox, Modal, Steps } from 'antd'
import { useState } from 'react'
import { call, findErrorMessage } from '#core/api/client.ts'
import { download } from '#core/api/download.ts'
import { refreshReads, readResourceName } from '#core/api/query.ts'
import { ImportRun } from './import-run.ts'
import { CheckProgress, closeForBackgroundJob, runImport, useBackgroundCheck } from './use-background-check.tsx'
import { ImportProblems, DownloadFailedRows } from './import-problems.tsx'
import '#kit/kit.css'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { TableLimits } from '#kit/upload/table-limits.tsx'

type TableEndpoint = Endpoint & { readonly file: FileRule }

interface ImportModalProps<E extends TableEndpoint> {
  title: string
  to: E
  template: Endpoint
  /** Text above the steps, for example where the values of a column are found. */
  intro?: string
  onClose(): void
  /** Called with the report of the import, for data besides the counts (one-time passwords). */
  onImported?: (report: ImportReport) => void
}

/** Imports a table in three steps: template, dry run with a report per row, import. */
export function ImportModal<E extends TableEndpoint>(props: ImportModalProps<E>) {
  const { title, to, template, intro, onClose } = props
  const { file, update, setUpdate, updateField, report, problems, choose, run, busy, percent } = useImport(props)
  const checked = report?.dryRun === true
  const taken = report ? report.created + report.updated : 0
  return (
    <Modal
      open
      title={title}
      width={640}
      okText={report && !checked ? '完成' : checked ? `导入 ${taken} 行` : '校验'}
      cancelText="取消"
      {...(report && !checked && { cancelButtonProps: { style: { display: 'none' } } })}
      // antd keeps a dialog with confirmLoading open. A dialog may close while the server runs its dry run as a job.
      confirmLoading={busy !== undefined && percent === undefined}
      okButtonProps={{ loading: busy !== undefined, disabled: !file || (checked && taken === 0) }}
      onOk={report && !checked ? onClose : () => run(!checked)}
      onCancel={onClose}
    >
      <div className="kit-stack">
        <Steps
          size="small"
          current={report ? (checked ? 1 : 2) : 0}
          items={[{ title: '选择文件' }, { title: '校验结果' }, { title: '完成' }]}
        />
        {intro && <p className="kit-muted">{intro}</p>}
        <FileRow file={file} rule={to.file} template={template} onFiles={choose} />
        <FileProblems problems={problems} />
        {updateField && (
          <Checkbox checked={update} disabled={busy !== undefined} onChange={({ target }) => setUpdate(target.checked)}>
            更新已经存在的数据
          </Checkbox>
        )}
        <CheckProgress percent={percent} />
        {report && <ImportProblems report={report} />}
        {report && <DownloadFailedRows report={report} />}
      </div>
    </Modal>
  )
}

interface FileRowProps {
  readonly file: File | undefined
  readonly rule: FileRule
  readonly template: Endpoint
  onFiles(files: File[]): void
}

function FileRow({ file, rule, template, onFiles }: FileRowProps) {
  return (
    <>
      <div className="kit-row">
        <FileButton label="选择表格文件" extensions={rule.extensions} onFiles={onFiles}>
          <Button icon={<UploadOutlined />}>{file ? '重新选择' : '选择文件'}</Button>
        </FileButton>
        <Button type="link" icon={<DownloadOutlined />} onClick={() => download(template, {}, '导入模板.xlsx')}>
          下载模板
        </Button>
      </div>
      <TableLimits rule={rule} />
      {file && (
        <p className="kit-words">
          <FileExcelOutlined aria-hidden /> {file.name}
        </p>
      )}
    </>
  )
}

function useImport<E extends TableEndpoint>(props: ImportModalProps<E>) {
  const [file, setFile] = useState<File>()
  const [update, setUpdate] = useState(false)
  const { problems, accept, add, clear } = useFileProblems()
  const { report, busy, percent, forget, send } = useImportRun({ ...props, onProblem: add })
  const updateField = ['updateExisting', 'update'].find((name) => name in shapeOf(props.to))
  const choose = ([chosen]: File[]) => {
    // The file of a running import cannot be replaced.
    if (!chosen || busy === 'import') return
    if (!accept(props.to.file, chosen, file)) return
    forget()
    setFile(chosen)
  }
  const run = (dryRun: boolean) => {
    clear()
    return send(file, updateField ? { [updateField]: update ? '1' : '0' } : {}, dryRun)
  }
  const changeUpdate = (next: boolean) => {
    setUpdate(next)
    // The dry run belongs to a different file or setting.
    forget()
  }
  return { file, update, setUpdate: changeUpdate, updateField, report, problems, choose, run, busy, percent }
}

interface RunOptions<E extends TableEndpoint> extends ImportModalProps<E> {
  onProblem(problem: string): void
}

/** Sends a dry run or an import, and keeps the report. */
function useImportRun<E extends TableEndpoint>({ to, onImported, onClose, onProblem }: RunOptions<E>) {
  const [report, setReport] = useState<ImportReport>()
  const [busy, setBusy] = useState<'check' | 'import'>()
  const [runs] = useState(() => new ImportRun())
  const { percent, wait, cancel } = useBackgroundCheck()
  const client = useQueryClient()
  /** Discards the report and cancels a running dry run. */
  const forget = () => {
    runs.outdate()
    cancel()
    setBusy(undefined)
    setReport(undefined)
  }
  const accept = (result: ImportReport | JobResponse) => {
    if ('jobId' in result) return closeForBackgroundJob(result.jobId, onClose)
    setReport(result)
    if (result.dryRun) return
    onImported?.(result)
    // The refetch is not awaited: the button 完成 would ignore clicks until the lists are loaded.
    void refreshReads(client, { resource: readResourceName(to), path: to.path })
  }
  const send = async (file: File | undefined, settings: object, dryRun: boolean) => {
    setBusy(dryRun ? 'check' : 'import')
    const isCurrent = runs.begin()
    try {
      const input = { file, ...settings, dryRun: dryRun ? '1' : '0' } as unknown as InputOf<E>
      const request = { dryRun, idempotencyKey: runs.key, isCurrent, wait }
      const result = await runImport(
        request,
        (options) => call(to, input, options) as Promise<ImportReport | JobResponse>,
      )
      if (result) accept(result)
    } catch (error) {
      // The chosen file stays. A failed run of an earlier file is not shown at the present file.
      if (isCurrent()) onProblem(findErrorMessage(error))
    }
    if (isCurrent()) setBusy(undefined)
  }
  return { report, busy, percent, forget, send }
}

const shapeOf = ({ input }: Endpoint) => ('shape' in input ? (input.shape as object) : {})
