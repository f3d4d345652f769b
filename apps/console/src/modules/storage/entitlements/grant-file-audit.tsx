import { formatCurrency } from '@oms/contract/core/money.ts'
import { EFFECT_MODE } from '@oms/contract/storage/entitlement.ts'
import { type GrantFileRow, storageGrantFiles } from '@oms/contract/storage/grant-file.ts'
import { Form, Modal } from 'antd'
import { DecisionField, type Decisions, useDecisionButton } from '#kit/form/decision.tsx'
import { NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { showJob } from '#kit/jobs/show-job.ts'
import { GrantFileCheck } from './grant-file-check.tsx'

const DECISIONS: Decisions = [
  [1, '同意并执行'],
  [0, '驳回'],
]

/** Approves or rejects a file; an approved file is executed at once. */
export function GrantFileAudit({ row, onClose }: { row: GrantFileRow; onClose(): void }) {
  const { modal, form } = useFormModal(storageGrantFiles.audit, {
    onClose,
    initial: { id: row.id, rev: row.rev } as never,
    onSaved: ({ jobId }) => {
      if (jobId !== null) showJob(jobId, '已开始执行，完成后可在「我的任务」查看结果')
    },
  })
  const of = storageGrantFiles.audit.input
  const { okText, danger } = useDecisionButton(form.form, 'pass', DECISIONS)
  return (
    <Modal
      title={`审批「${row.fileName}」`}
      width={640}
      {...modal}
      okText={okText}
      okButtonProps={{ ...modal.okButtonProps, danger }}
    >
      <p className="kit-hint">
        {row.packageName} · {EFFECT_MODE[row.effectMode as keyof typeof EFFECT_MODE]} · {row.createName} 提交 · 原因：
        {row.reason}
      </p>
      <CheckedFigures row={row} />
      <Form {...form}>
        <DecisionField of={of} name="pass" decisions={DECISIONS} />
        <NoteField of={of} name="auditRemark" rows={3} />
      </Form>
    </Modal>
  )
}

function CheckedFigures({ row }: { row: GrantFileRow }) {
  if (row.checked) return <GrantFileCheck check={row.checked} lines={row.lines} />
  // Files that were sent before checks were stored have only the figures of all their lines.
  return (
    <p>
      文件共 {row.lines.toLocaleString()} 行，{row.devices.toLocaleString()} 台设备，{row.copies.toLocaleString()}{' '}
      份，标价合计 {formatCurrency(row.listPrice)}（含不能开通的行）
    </p>
  )
}
