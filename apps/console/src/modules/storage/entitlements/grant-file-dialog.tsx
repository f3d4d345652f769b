import { DownloadOutlined, FileExcelOutlined, UploadOutlined } from '@ant-design/icons'
import { GrantFileInput, type GrantPlan, needsApproval, storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Alert, Button, Form, Modal, Radio } from 'antd'
import { download } from '#core/api/download.ts'
import { Field, MoneyField, NoteField, SelectField } from '#kit/form/field.tsx'
import { DownloadFailedRows, ImportProblems } from '#kit/jobs/import-problems.tsx'
import { CheckProgress } from '#kit/jobs/use-background-check.tsx'
import { FileButton } from '#kit/upload/file-button.tsx'
import { FileProblems } from '#kit/upload/file-problems.tsx'
import { TableLimits } from '#kit/upload/table-limits.tsx'
import { EFFECT_OPTIONS } from './effect-options.ts'
import { LossNotice, PlanQueues } from '../statistics/plan-queues.tsx'
import { PackagePicker } from '../storage-pickers.tsx'
import { PlanTenants } from './grant-file-check.tsx'
import { useGrantFile } from './use-grant-file.ts'

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
