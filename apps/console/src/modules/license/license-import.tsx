import { DownloadOutlined, FileExcelOutlined, UploadOutlined } from '@ant-design/icons'
import { type ImportReport, type JobAnswer, TRANSFER_MESSAGES } from '@oms/contract/kernel/transfer.ts'
import { licenseCerts } from '@oms/contract/license.ts'
import { LicenseBatchInput, type LicensePreviewRow } from '@oms/contract/license-rows.ts'
import { UPLOAD, uploadProblem } from '@oms/contract/upload.ts'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Form, type FormInstance, Modal, Steps } from 'antd'
import { useState } from 'react'
import { call } from '#kernel/call.ts'
import { download } from '#kernel/download.ts'
import { toast } from '#kernel/toast.ts'
import { focusOpened } from '#kit/focus-first.ts'
import { Field, SelectField, TextField } from '#kit/field.tsx'
import { ImportProblems, SaveProblems } from '#kit/import-problems.tsx'
import { FileButton } from '#kit/upload/file-button.tsx'
import { showJob } from '#kit/show-job.ts'
import { TypeField } from './license-pickers.tsx'
import './license.css'

/** Brings a delivery in: the file, its first lines, the check of all of them, then the import. */
export function LicenseImport({ onClose }: { onClose(): void }) {
  const [form] = Form.useForm()
  const { file, preview, report, busy, choose, forget, run } = useImport(form, onClose)
  const isDone = report !== undefined && !report.dryRun
  const step = isDone ? 2 : report ? 1 : 0
  const footer = isDone ? (
    <Button type="primary" onClick={onClose}>
      完成
    </Button>
  ) : (
    <>
      <Button onClick={onClose}>取消</Button>
      <Button
        type={report ? 'default' : 'primary'}
        disabled={!file}
        loading={busy === 'check'}
        onClick={() => run(true)}
      >
        校验全部
      </Button>
      <Button
        type={report ? 'primary' : 'default'}
        disabled={!file || report?.created === 0}
        loading={busy === 'import'}
        onClick={() => run(false)}
      >
        {report ? `导入 ${report.created} 个` : '导入'}
      </Button>
    </>
  )
  return (
    <Modal
      open
      title="导入证书"
      width={860}
      mask={{ closable: false }}
      footer={footer}
      onCancel={onClose}
      afterOpenChange={focusOpened}
    >
      <Steps
        size="small"
        current={step}
        style={{ marginBottom: 16 }}
        items={[{ title: '批次与文件' }, { title: '校验结果' }, { title: '完成' }]}
      />
      {!isDone && (
        <>
          <Form form={form} layout="vertical" initialValues={{ vendor: 2, typeCode: 'P2P' }} onValuesChange={forget}>
            <BatchFields />
          </Form>
          <div className="kit-import-row">
            <FileButton label="选择表格文件" extensions={UPLOAD.table.extensions} onFiles={choose}>
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
        </>
      )}
      {preview && !report && <Preview rows={preview} />}
      {report && <Report report={report} />}
    </Modal>
  )
}

function BatchFields() {
  const of = LicenseBatchInput
  return (
    <div className="license-form-row">
      <SelectField of={of} name="vendor" />
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
    <div className="license-scroll">
      <table className="license-table" aria-label="文件预览">
        <thead>
          <tr>
            <th>行</th>
            <th>UID</th>
            <th>密钥</th>
            <th>授权类型</th>
            <th>型号编码</th>
            <th>到期日期</th>
            <th>检查</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((line) => (
            <tr key={line.row}>
              <td>{line.row}</td>
              <td className="license-uid">{line.uid || '-'}</td>
              <td>{line.hasKey ? '有' : '-'}</td>
              <td>{line.typeCode}</td>
              <td>{line.modelCode || '-'}</td>
              <td>{line.expireTime || '-'}</td>
              <td className={line.problem ? 'license-problem' : undefined}>{line.problem || '格式正确'}</td>
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
    <SaveProblems report={report} />
  </>
)

function useImport(form: FormInstance, onClose: () => void) {
  const client = useQueryClient()
  const [file, setFile] = useState<File>()
  const [preview, setPreview] = useState<readonly LicensePreviewRow[]>()
  const [report, setReport] = useState<ImportReport>()
  const [busy, setBusy] = useState<'check' | 'import'>()
  const look = async (chosen: File) => {
    const { vendor, typeCode } = form.getFieldsValue()
    const input = { file: chosen, vendor, typeCode: typeCode || 'P2P' } as never
    const shown = (await call(licenseCerts.preview, input).catch(() => undefined)) as
      | { rows: LicensePreviewRow[] }
      | undefined
    setPreview(shown?.rows)
  }
  const choose = ([chosen]: File[]) => {
    if (!chosen) return
    const problem = uploadProblem(UPLOAD.table, chosen)
    if (problem) return toast.error(problem)
    setFile(chosen)
    setReport(undefined)
    void look(chosen)
  }
  /** What was checked was another import. */
  const forget = (changed: object) => {
    setReport(undefined)
    if (file && ('vendor' in changed || 'typeCode' in changed)) void look(file)
  }
  const run = async (dryRun: boolean) => {
    const values = await form.validateFields().catch(() => undefined)
    if (!values) return
    setBusy(dryRun ? 'check' : 'import')
    try {
      const given = Object.fromEntries(
        Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
      )
      const input = { ...given, file, dryRun: dryRun ? '1' : '0' } as never
      const result = (await call(licenseCerts.import, input)) as ImportReport | JobAnswer
      if ('jobId' in result) {
        showJob(result.jobId, TRANSFER_MESSAGES.importLater)
        if (!dryRun) onClose()
      } else {
        setReport(result)
        if (!dryRun) await client.invalidateQueries({ queryKey: ['license'] })
      }
    } catch {
      // The call has told why; the file stays chosen.
    }
    setBusy(undefined)
  }
  return { file, preview, report, busy, choose, forget, run }
}
