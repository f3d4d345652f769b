import { DownloadOutlined, FileExcelOutlined, UploadOutlined } from '@ant-design/icons'
import {
  GrantFileInput,
  type GrantPlan,
  needsApproval,
  storageGrantFiles,
  type GrantFileDetail,
  GrantFileRow,
} from '@oms/contract/storage/grant-file.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Alert, Button, Form, Modal, Radio, type FormInstance } from 'antd'
import { download } from '#core/api/download.ts'
import { Field, MoneyField, NoteField, SelectField } from '#kit/form/field.tsx'
import { DownloadFailedRows, ImportProblems, ProblemList } from '#kit/jobs/import-problems.tsx'
import { CheckProgress, runImport, useBackgroundCheck } from '#kit/jobs/use-background-check.tsx'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems, useFileProblems } from '#kit/upload/file-problems.tsx'
import { TableLimits } from '#kit/upload/table-limits.tsx'
import { EFFECT_OPTIONS } from './entitlement-dialogs.tsx'
import { LossNotice, PlanQueues } from '../statistics/queue-bars.tsx'
import { PackagePicker } from '../storage-pickers.tsx'
import { PlanTenants, GrantFileCheck, GrantFileState } from './grant-file.tsx'
import { type ImportReport, type JobResponse, TRANSFER_MESSAGES } from '@oms/contract/core/transfer.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type CallOptions, findErrorMessage } from '#core/api/client.ts'
import { toast } from '#core/loading/toast.ts'
import { showAtField } from '#kit/form/save/show-at-field.ts'
import { ImportRun } from '#kit/jobs/import-run.ts'
import { showJob } from '#kit/jobs/show-job.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer, type RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { time } from '#kit/record/time.tsx'

const INITIAL = { effectMode: 1, source: 2, amount: 0 }

/**
 * Opens a package on the devices of a file. A dry run shows the plan; then the file is executed or submitted for
 * approval.
 */
export function GrantFileDialog({ onClose }: { onClose(): void }) {
  const [form] = Form.useForm()
  const { file, report, problems, isChecked, busy, percent, choose, forget, run } = useGrantFile(form, onClose)
  const isDone = report !== undefined && !report.dryRun
  const send = async () => {
    if (isDone) return onClose()
    const values = await form.validateFields().catch(() => undefined)
    if (values) await run(values, !isChecked)
  }
  const isForApproval = report?.plan !== undefined && needsApproval(report.plan)
  return (
    <Modal
      open
      title="批量开通云存储"
      width={720}
      okText={isDone ? '完成' : isChecked ? (isForApproval ? '提交审批' : '执行') : '校验'}
      cancelText="取消"
      {...(isDone && { cancelButtonProps: { style: { display: 'none' } } })}
      // antd keeps a dialog with confirmLoading open. A dialog may close while the server runs its dry run as a job.
      confirmLoading={busy !== undefined && percent === undefined}
      okButtonProps={{ loading: busy !== undefined, disabled: !file || (isChecked && report?.created === 0) }}
      onOk={send}
      onCancel={onClose}
    >
      <Form form={form} layout="vertical" initialValues={INITIAL} disabled={isDone} onValuesChange={forget}>
        <GrantFields />
      </Form>
      <div className="kit-stack">
        <FileRow file={file} onFiles={choose} />
        <FileProblems problems={problems} />
        <CheckProgress percent={percent} />
        {report && <ImportProblems report={report} />}
        {report && <DownloadFailedRows report={report} />}
        {report?.plan && <PlanFacts plan={report.plan} />}
      </div>
    </Modal>
  )
}

function GrantFields() {
  const of = GrantFileInput
  const source = Form.useWatch<number | undefined>('source')
  return (
    <>
      <div className="kit-pair">
        <Field of={of} name="packageId">
          <PackagePicker onSale create="storagePackage" />
        </Field>
        <SelectField of={of} name="source" />
        {source === 1 && <MoneyField of={of} name="amount" />}
      </div>
      <Field of={of} name="effectMode">
        <Radio.Group vertical options={EFFECT_OPTIONS} />
      </Field>
      <NoteField of={of} name="reason" rows={2} />
    </>
  )
}

const FileRow = ({ file, onFiles }: { file: File | undefined; onFiles(files: File[]): void }) => (
  <>
    <div className="kit-row">
      <FileButton label="选择表格文件" extensions={storageGrantFiles.import.file.extensions} onFiles={onFiles}>
        <Button icon={<UploadOutlined />}>{file ? '重新选择' : '选择文件'}</Button>
      </FileButton>
      <Button
        type="link"
        icon={<DownloadOutlined />}
        onClick={() => download(storageGrantFiles.template, {}, '云存开通导入模板.xlsx')}
      >
        下载模板
      </Button>
    </div>
    <TableLimits rule={storageGrantFiles.import.file} intro="列：序列号、通道、份数。" />
    {file && (
      <p className="kit-words">
        <FileExcelOutlined aria-hidden /> {file.name}
      </p>
    )}
  </>
)

const PlanFacts = ({ plan }: { plan: GrantPlan }) => (
  <section className="kit-block" aria-label="开通预览">
    <p>
      将为 <b>{plan.devices.toLocaleString()}</b> 台设备开通 <b>{plan.entitlements.toLocaleString()}</b> 份，标价合计{' '}
      {formatCurrency(plan.listPrice)}，金额合计 {formatCurrency(plan.amount)}
      {plan.allowance !== null && `，执行后剩余额度 ${plan.allowance.toLocaleString()} 份`}
    </p>
    <PlanTenants {...plan} />
    <ApprovalNotice plan={plan} />
    <LossNotice {...plan} />
    <PlanQueues queues={plan.queues} />
  </section>
)

const ApprovalNotice = ({ plan }: { plan: GrantPlan }) =>
  needsApproval(plan) && (
    <Alert
      type="warning"
      showIcon
      className="kit-note"
      title={`文件共 ${plan.fileDevices.toLocaleString()} 台设备，超过批量开通审批台数 ${plan.approvalAbove.toLocaleString()} 台，提交后需他人审批后执行`}
    />
  )

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
function useGrantFile(form: FormInstance, onClose: () => void) {
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

const { item, wide } = createDescriptions(GrantFileRow)
const count = (value: number) => value.toLocaleString()
const ITEMS = [
  item('packageName'),
  item('state', (state) => <GrantFileState state={state} />),
  item('lines', count),
  item('devices', count),
  item('copies', count),
  item('listPrice', formatCurrency),
  item('done', count),
  item('failed', count),
  item('effectMode'),
  item('source'),
  item('createName'),
  item('createTime', time),
  wide('reason'),
]
const AUDIT_ITEMS = [item('auditName'), item('auditTime', time), wide('auditRemark')]

/** Batch drawer: facts of the file, and the report of its run. */
export function GrantFileDrawer(props: RecordNavigation<GrantFileRow>) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ fileName }) => fileName}>
      {(row) => (
        <>
          <Descriptions row={row} items={row.auditTime ? [...ITEMS, ...AUDIT_ITEMS] : ITEMS} />
          {row.checked && row.state !== 2 && <GrantFileCheck check={row.checked} lines={row.lines} />}
          <section>
            <h3 className="kit-heading">执行结果</h3>
            <FileReport key={row.id} row={row} />
          </section>
        </>
      )}
    </DetailDrawer>
  )
}

function FileReport({ row }: { row: GrantFileRow }) {
  const { data, error, refetch } = useRead(storageGrantFiles.get, { id: row.id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  const { problems, hasFile } = data
  return (
    <>
      <p className="kit-hint">{resultOf(data)}</p>
      <ProblemList rows={problems} failed={data.row.failed} />
      {hasFile === 1 && (
        <Button
          icon={<DownloadOutlined />}
          onClick={() => void download(storageGrantFiles.failedLines, { id: row.id }, `失败明细-${row.fileName}`)}
        >
          下载失败明细
        </Button>
      )}
    </>
  )
}

const NOT_RUN: Readonly<Record<number, string>> = {
  0: '等待他人审批，审批通过后执行',
  1: '正在执行，完成后在此查看每行的结果',
  3: '已驳回，没有执行',
  4: '执行失败，没有开通任何设备，可由审批人重新执行',
}

function resultOf({ row: { state, lines, done, failed }, problems }: GrantFileDetail) {
  const notRun = NOT_RUN[state]
  if (notRun) return notRun
  const sums = `共 ${count(lines)} 行：成功 ${count(done)} 行，失败 ${count(failed)} 行`
  // Batches that ran before reports were stored have no list of problems.
  return failed > 0 && problems.length === 0 ? `${sums}（该批次执行时尚未保存失败原因）` : sums
}
