import { DownloadOutlined, FileExcelOutlined, UploadOutlined } from '@ant-design/icons'
import type { ImportReport, JobResponse } from '@oms/contract/core/transfer.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { LicenseBatchInput, type LicensePreviewRow } from '@oms/contract/license/license-rows.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Form, type FormInstance, Modal, Steps } from 'antd'
import { useRef, useState } from 'react'
import { type CallOptions, call, findErrorMessage } from '#core/api/client.ts'
import { download } from '#core/api/download.ts'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { Field, SelectField, TextField } from '#kit/form/field.tsx'
import { showAtField } from '#kit/form/save/show-at-field.ts'
import { ImportProblems, DownloadFailedRows } from '#kit/jobs/import-problems.tsx'
import { ImportRun } from '#kit/jobs/import-run.ts'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { TableLimits } from '#kit/upload/table-limits.tsx'
import { CheckProgress, closeForBackgroundJob, runImport, useBackgroundCheck } from '#kit/jobs/use-background-check.tsx'
import { useVendorLabels, TypeField } from './license.tsx'

/** Imports a delivery: file, preview, dry run, import. */
export function LicenseImport({ onClose }: { onClose(): void }) {
  const [form] = Form.useForm()
  const { file, preview, report, problems, busy, percent, choose, forget, run } = useImport(form, onClose)
  const isDone = report !== undefined && !report.dryRun
  const step = isDone ? 2 : report ? 1 : 0
  return (
    <Modal
      open
      title="导入证书"
      width={860}
      footer={<ImportFooter {...{ file, report, busy, run, onClose }} />}
      onCancel={onClose}
      afterOpenChange={focusFirstFieldOnOpen}
    >
      <Steps
        size="small"
        current={step}
        style={{ marginBottom: 16 }}
        items={[{ title: '批次与文件' }, { title: '校验结果' }, { title: '完成' }]}
      />
      {!isDone && (
        <Form form={form} layout="vertical" initialValues={{ vendor: 2, typeCode: 'P2P' }} onValuesChange={forget}>
          <BatchFields />
        </Form>
      )}
      <div className="kit-stack">
        {!isDone && <FileRow file={file} onFiles={choose} />}
        {!isDone && <TableLimits rule={licenseCerts.import.file} />}
        {!isDone && <FileProblems problems={problems} />}
        {preview && preview.length > 0 && !report && <Preview rows={preview} />}
        <CheckProgress percent={percent} />
        {report && <Report report={report} />}
      </div>
    </Modal>
  )
}

interface ImportFooterProps extends Pick<ReturnType<typeof useImport>, 'file' | 'report' | 'busy' | 'run'> {
  onClose(): void
}

function ImportFooter({ file, report, busy, run, onClose }: ImportFooterProps) {
  const isDone = report !== undefined && !report.dryRun
  return isDone ? (
    <Button type="primary" onClick={onClose}>
      完成
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>取消</Button>
      <ReasonedButton
        type={report ? 'default' : 'primary'}
        reason={file ? undefined : '请先选择文件'}
        loading={busy === 'check'}
        onClick={() => run(true)}
      >
        校验全部
      </ReasonedButton>
      <ReasonedButton
        type={report ? 'primary' : 'default'}
        reason={!file ? '请先选择文件' : report?.created === 0 ? '文件中没有可以导入的证书' : undefined}
        loading={busy === 'import'}
        onClick={() => run(false)}
      >
        {report ? `导入 ${report.created} 个` : '导入'}
      </ReasonedButton>
    </>
  )
}

function FileRow({ file, onFiles }: { file: File | undefined; onFiles(files: File[]): void }) {
  return (
    <div className="kit-row">
      <FileButton label="选择表格文件" extensions={licenseCerts.import.file.extensions} onFiles={onFiles}>
        <Button icon={<UploadOutlined />}>{file ? '重新选择' : '选择文件'}</Button>
      </FileButton>
      <Button
        type="link"
        icon={<DownloadOutlined />}
        onClick={() => download(licenseCerts.template, {}, 'P2P证书导入模板.xlsx')}
      >
        下载模板
      </Button>
      {file && (
        <span>
          <FileExcelOutlined aria-hidden /> {file.name}
        </span>
      )}
    </div>
  )
}

function BatchFields() {
  const of = LicenseBatchInput
  const vendors = useVendorLabels().options
  return (
    <div className="kit-pair">
      <SelectField of={of} name="vendor" options={vendors} />
      <Field of={of} name="typeCode" hint="文件中没有填写时使用">
        <TypeField />
      </Field>
      <TextField of={of} name="batchNo" hint="不填则自动生成" />
      <TextField of={of} name="orderNo" />
    </div>
  )
}

function Preview({ rows }: { rows: readonly LicensePreviewRow[] }) {
  return (
    <div className="kit-scroll">
      <table className="kit-table" aria-label="文件预览">
        <thead>
          <tr>
            <th>行</th>
            <th>UID</th>
            <th>密钥</th>
            <th>授权类型</th>
            <th>型号编码</th>
            <th>到期时间</th>
            <th>检查</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((line) => (
            <tr key={line.row}>
              <td>{line.row}</td>
              <td className="kit-mono">{line.uid || '-'}</td>
              <td>{line.hasKey ? '有' : '-'}</td>
              <td>{line.typeCode}</td>
              <td>{line.modelCode || '-'}</td>
              <td>{line.expireTime || '-'}</td>
              <td className={line.problem ? 'kit-problem' : undefined}>{line.problem || '格式正确'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Report = ({ report }: { report: ImportReport }) => (
  <>
    <ImportProblems report={report} />
    <DownloadFailedRows report={report} />
  </>
)

/** Reads the first rows of a chosen file. */
function usePreview(form: FormInstance, onProblem: (problem: string) => void) {
  const [preview, setPreview] = useState<readonly LicensePreviewRow[]>()
  const [looks] = useState(() => new ImportRun())
  const look = async (chosen: File) => {
    const { vendor, typeCode } = form.getFieldsValue()
    const input = { file: chosen, vendor, typeCode: typeCode || 'P2P' } as never
    const isCurrent = looks.begin()
    const shown = (await call(licenseCerts.preview, input, { quiet: true }).catch((error: unknown) => {
      if (isCurrent() && !showAtField(form, error)) onProblem(findErrorMessage(error))
      return undefined
    })) as { rows: LicensePreviewRow[] } | undefined
    if (isCurrent()) setPreview(shown?.rows)
  }
  return { preview, look }
}

function sendImport(
  { values, file, dryRun }: { values: object; file: File | undefined; dryRun: boolean },
  options: CallOptions,
) {
  const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''))
  const input = { ...filled, file, dryRun: dryRun ? '1' : '0' } as never
  return call(licenseCerts.import, input, options) as Promise<ImportReport | JobResponse>
}

function useImport(form: FormInstance, onClose: () => void) {
  const [file, setFile] = useState<File>()
  const { problems, accept, add, clear } = useFileProblems()
  const { preview, look } = usePreview(form, add)
  const { report, busy, percent, outdate, change, run } = useImportRun({ form, file, onClose, onProblem: add })
  const choose = ([chosen]: File[]) => {
    // The file of a running import cannot be replaced.
    if (!chosen || busy === 'import') return
    if (!accept(licenseCerts.import.file, chosen, file)) return
    setFile(chosen)
    outdate()
    void look(chosen)
  }
  const start = (dryRun: boolean) => {
    clear()
    return run(dryRun)
  }
  /** The dry run belongs to a different file or setting. */
  const forget = (changed: object) => {
    change()
    if (file && ('vendor' in changed || 'typeCode' in changed)) void look(file)
  }
  return { file, preview, report, problems, busy, percent, choose, forget, run: start }
}

interface RunOptions {
  readonly form: FormInstance
  readonly file: File | undefined
  onClose(): void
  onProblem(problem: string): void
}

/** Sends the file for a dry run or the import, and keeps the report. */
function useImportRun({ form, file, onClose, onProblem }: RunOptions) {
  const client = useQueryClient()
  const [report, setReport] = useState<ImportReport>()
  const [busy, setBusy] = useState<'check' | 'import'>()
  /** True when a setting was changed while the import ran. */
  const isChanged = useRef(false)
  const [runs] = useState(() => new ImportRun())
  const { percent, wait, cancel } = useBackgroundCheck()
  /** Discards the report and cancels a running dry run. */
  const outdate = () => {
    runs.outdate()
    cancel()
    setReport(undefined)
    setBusy((now) => (now === 'check' ? undefined : now))
  }
  /** Handles a changed setting. The report of a running import stays valid; only the next import differs. */
  const change = () => (busy === 'import' ? void (isChanged.current = true) : outdate())
  const accept = async (result: ImportReport | JobResponse) => {
    if ('jobId' in result) return closeForBackgroundJob(result.jobId, onClose)
    setReport(result)
    if (!result.dryRun) await client.invalidateQueries({ queryKey: ['license'] })
  }
  const run = async (dryRun: boolean) => {
    const values = await form.validateFields().catch(() => undefined)
    if (!values) return
    setBusy(dryRun ? 'check' : 'import')
    const isCurrent = runs.begin()
    try {
      const request = { dryRun, idempotencyKey: runs.key, isCurrent, wait }
      const result = await runImport(request, (options) => sendImport({ values, file, dryRun }, options))
      if (result) await accept(result)
    } catch (error) {
      if (isCurrent() && !showAtField(form, error)) onProblem(findErrorMessage(error))
    }
    if (!isCurrent()) return
    setBusy(undefined)
    if (isChanged.current) runs.outdate()
    isChanged.current = false
  }
  return { report, busy, percent, outdate, change, run }
}
