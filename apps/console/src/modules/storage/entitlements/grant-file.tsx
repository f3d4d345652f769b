import {
  GrantCheck,
  type GrantPlan,
  type GrantFileRow,
  storageGrantFiles,
  GRANT_FILE_STATE,
} from '@oms/contract/storage/grant-file.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { ReasonList } from '#kit/jobs/import-problems.tsx'
import { createDescriptions, Descriptions } from '#kit/record/descriptions.tsx'
import { LossNotice } from '../statistics/queue-bars.tsx'
import { EFFECT_MODE } from '@oms/contract/storage/entitlement.ts'
import { Form, Modal } from 'antd'
import { DecisionField, type Decisions, useDecisionButton } from '#kit/form/decision.tsx'
import { NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { showJob } from '#kit/jobs/show-job.ts'
import { State } from '#kit/record/state.tsx'

const { item, wide } = createDescriptions(GrantCheck)
const count = (value: number) => value.toLocaleString()
/** Number of customers that are named. */
const NAMED = 5

/** Names the customers whose devices a file opens, those with the most devices first. */
export function PlanTenants({ tenants, tenantCount }: Pick<GrantPlan, 'tenants' | 'tenantCount'>) {
  if (tenantCount === 0) return null
  const named = tenants.slice(0, NAMED).map(({ name, devices }) => `${name} ${count(devices)} 台`)
  const rest = tenantCount - named.length
  return (
    <p className="kit-hint">
      涉及 {count(tenantCount)} 个客户：{named.join('、')}
      {rest > 0 && `，其余 ${count(rest)} 个客户略`}
    </p>
  )
}

/** Figures that a second person approves: what the run opens and what it skips, when the file was checked. */
export function GrantFileCheck({ check, lines }: { readonly check: GrantCheck; readonly lines: number }) {
  const items = [
    item('lines', (opened) => `${count(opened)} 行（文件共 ${count(lines)} 行）`),
    item('failed', (failed) => `${count(failed)} 行`),
    item('devices', (devices) => `${count(devices)} 台`),
    item('copies', (copies) => `${count(copies)} 份`),
    item('listPrice', formatCurrency),
    item('amount', formatCurrency),
    ...(check.allowance === null ? [] : [item('allowance', (left) => `${count(left ?? 0)} 份`)]),
    ...(check.failed > 0 ? [wide('reasons', (reasons) => <ReasonList reasons={reasons} />)] : []),
  ]
  return (
    <section aria-label="执行内容">
      <Descriptions row={check} items={items} />
      <PlanTenants {...check} />
      <LossNotice {...check} />
    </section>
  )
}

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

const COLOR: Readonly<Record<number, string>> = {
  0: 'warning',
  1: 'processing',
  2: 'success',
  3: 'default',
  4: 'error',
}

/** State of a batch. */
export const GrantFileState = ({ state }: { state: number }) => (
  <State color={COLOR[state]}>{GRANT_FILE_STATE[state as keyof typeof GRANT_FILE_STATE]}</State>
)
