import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import {
  GIFT_PAY_WAY,
  NOT_CREATOR,
  ORDER_STATE_CODE,
  ORDER_STATE,
  type OrderDetail,
  type OrderRow,
  OWN_ORDER_MESSAGE,
  OWN_REFUND_MESSAGE,
} from '@oms/contract/agent/orders/order-entities.ts'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Alert, Button, Form, Modal } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { call, readFresh } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { DecisionField, type Decisions, useDecisionButton } from '#kit/form/decision.tsx'
import { Field, NoteField, SelectField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { joinAddresses, parseFileId, splitAddresses } from '#kit/upload/stored-file.ts'
import { formatOrderTargets, nameConfirmation } from './order-cells.tsx'

export type OrderStep = 'confirm' | 'close' | 'refund' | 'refundAudit'
type Fields = z.ZodObject<Record<string, z.ZodType>>

const TITLES = { confirm: '确认收款', close: '关闭订单', refund: '申请退款', refundAudit: '审批退款' } as const
const BUTTONS = { confirm: '确认', close: '关闭订单', refund: '提交申请' } as const
/** State of an order in which a step is possible. */
const STATE = {
  confirm: ORDER_STATE_CODE.pending,
  close: ORDER_STATE_CODE.pending,
  refund: ORDER_STATE_CODE.paid,
  refundAudit: ORDER_STATE_CODE.refunding,
} as const
const STATE_WORDS: Readonly<Record<number, string>> = ORDER_STATE
const INITIAL = { confirm: { payWay: 1 }, close: {}, refund: {}, refundAudit: {} } as const
const DECISIONS: Decisions = [
  [1, '同意'],
  [0, '驳回'],
]

interface DialogProps {
  readonly step: OrderStep
  readonly row: OrderRow
  readonly onClose: () => void
}

/** Confirms, closes or refunds an order. Loads the current state of the order when the dialog opens. */
export function OrderDialog({ step, row, onClose }: DialogProps) {
  const read = () => readFresh(agentOrders.get, { id: row.id }, row as OrderDetail)
  return (
    <FreshRecord
      of={`${step}:${row.id}`}
      read={read}
      title={`${step === 'confirm' ? nameConfirmation(row) : TITLES[step]} ${row.orderNo}`}
      onClose={onClose}
    >
      {(fresh) => <StepDialog step={step} row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function StepDialog({ step, row: opened, onClose }: DialogProps & { readonly row: OrderDetail }) {
  const [row, setRow] = useState(opened)
  const to: Endpoint = agentOrders[step]
  const isFree = row.amount === 0
  const { modal, form } = useFormModal(to, {
    onClose,
    initial: { id: row.id, rev: row.rev, ...(!(isFree && step === 'confirm') && INITIAL[step]) },
    latest: async () => {
      const { id, rev } = await call(agentOrders.get, { id: row.id })
      return { id, rev }
    },
  })
  const problem = problemOf(step, row)
  const decision = useDecisionButton(form.form, 'pass', DECISIONS)
  const loadLatest = (latest: OrderDetail) => {
    form.form.setFieldsValue({ rev: latest.rev })
    setRow(latest)
  }
  const title = step === 'confirm' ? nameConfirmation(row) : TITLES[step]
  return (
    <Modal
      title={`${title} ${row.orderNo}`}
      {...modal}
      okText={step === 'refundAudit' ? decision.okText : BUTTONS[step]}
      okButtonProps={{
        ...modal.okButtonProps,
        danger: step === 'close' || decision.danger,
        disabled: problem !== undefined,
      }}
    >
      {modal.open && !modal.confirmLoading && <ChangedAlert row={row} onLoad={loadLatest} />}
      <Facts row={row} />
      {problem !== undefined && <Alert type="warning" showIcon title={problem} className="kit-note" />}
      <Form {...form} disabled={problem !== undefined}>
        <StepFields step={step} row={row} of={to.input as Fields} />
      </Form>
    </Modal>
  )
}

interface ChangedAlertProps {
  readonly row: OrderDetail
  onLoad(latest: OrderDetail): void
}

/**
 * Appears when another person has changed the order, whose step the server would refuse. Shows the latest order on
 * request and keeps the input: a payment must not be confirmed for an amount that the person has not seen.
 */
function ChangedAlert({ row, onLoad }: ChangedAlertProps) {
  const { data } = useRead(agentOrders.get, { id: row.id }, { quiet: true })
  if (!data || data.rev <= row.rev) return null
  return (
    <Alert
      type="warning"
      showIcon
      className="kit-note"
      title="订单已被他人修改，请加载最新内容并核对后再提交"
      action={
        <Button size="small" onClick={() => onLoad(data)}>
          加载最新
        </Button>
      }
    />
  )
}

/** Returns the reason why the step is not possible, or undefined. */
function problemOf(step: OrderStep, { state, isMine, refunds, proposal, amount }: OrderDetail) {
  if (state !== STATE[step]) return `订单现在的状态是「${STATE_WORDS[state]}」，不能${TITLES[step]}`
  if (step === 'confirm' && isMine) return OWN_ORDER_MESSAGE
  if (step === 'close' && !isMine) return NOT_CREATOR.close
  // The server refuses these refunds too. A refund of an order with the amount 0 only revokes the remaining grants.
  if (step === 'refund' && (proposal === null || (proposal === 0 && amount > 0))) return NOTHING_LEFT
  if (step === 'refundAudit' && refunds[0]?.isMine) return OWN_REFUND_MESSAGE
  return undefined
}
const NOTHING_LEFT = '套餐已用完或已失效，没有可以退款的部分'

const Facts = ({ row }: { readonly row: OrderDetail }) => (
  <p className="kit-hint">
    {row.tenantName} · {row.packageName} × {row.copies} 份 · {formatOrderTargets(row)} · 订单金额{' '}
    {formatCurrency(row.amount)} · {row.createName} 创建
  </p>
)

interface FieldsProps {
  readonly step: OrderStep
  readonly row: OrderDetail
  readonly of: Fields
}

function StepFields({ step, row, of }: FieldsProps) {
  if (step === 'confirm') return row.amount === 0 ? <FreeNote row={row} /> : <PaymentFields row={row} of={of} />
  if (step === 'refundAudit') return <AuditFields row={row} of={of} />
  return (
    <>
      {step === 'refund' && <Proposal row={row} />}
      <NoteField of={of} name="reason" rows={3} />
    </>
  )
}

const FreeNote = ({ row: { payWay, remark } }: { readonly row: OrderDetail }) => (
  <p>{payWay === GIFT_PAY_WAY ? `赠送原因：${remark}。` : '应收 0 元，不需要凭证。'}确认后立即发放套餐。</p>
)

/** Converts between the file URLs of the upload field and the file ids of the request. */
const idsOf = (value: unknown) => splitAddresses(String(value ?? '')).flatMap((address) => parseFileId(address) ?? [])
const addressesOf = (ids: unknown) => ({
  value: joinAddresses((Array.isArray(ids) ? (ids as string[]) : []).map((id) => `/api/v1/file/${id}`)),
})

const PaymentFields = ({ row, of }: Omit<FieldsProps, 'step'>) => (
  <>
    <div className="kit-block kit-note kit-sum">
      <p>
        应收金额 <b>{formatCurrency(row.amount)}</b>
      </p>
      <p className="kit-hint">请核对到账金额。确认后立即发放套餐，只能通过退款收回。</p>
    </div>
    <SelectField of={of} name="payWay" missing="请选择收款方式" />
    <TextField
      of={of}
      name="voucherNo"
      missing="请输入凭证号"
      hint="银行流水号或合同编号，一个凭证号只能用于一个订单"
    />
    <Field of={of} name="voucherFiles" normalize={idsOf} getValueProps={addressesOf}>
      <FileUpload rule={UPLOAD.agentVoucher} purpose="agentVoucher" />
    </Field>
  </>
)

const Proposal = ({ row: { proposal, amount, payWay } }: { readonly row: OrderDetail }) => (
  <div className="kit-block kit-note kit-sum">
    <p>
      退款金额 <b>{formatCurrency(proposal ?? 0)}</b>
    </p>
    <p className="kit-hint">
      {payWay === GIFT_PAY_WAY
        ? '赠送的套餐不退款，只收回没有使用的部分。提交后剩余部分冻结，审批通过后作废。'
        : `订单金额 ${formatCurrency(amount)}，按各项内容中剩余最少的比例折算；还没有开始使用的全额退款（调整减少的部分除外）。提交后剩余部分冻结，审批通过后作废，金额以提交时为准。`}
    </p>
  </div>
)

function AuditFields({ row, of }: Omit<FieldsProps, 'step'>) {
  const [refund] = row.refunds
  const isRejected = Form.useWatch<number | undefined>('pass') === 0
  return (
    <>
      {refund && (
        <div className="kit-block kit-note kit-sum">
          <p>
            退款金额 <b>{formatCurrency(refund.amount)}</b>
          </p>
          <p className="kit-hint">
            {refund.createName} 于 {refund.createTime} 申请：{refund.reason}。同意后剩余部分作废，驳回后恢复使用。
          </p>
        </div>
      )}
      <DecisionField of={of} name="pass" decisions={DECISIONS} />
      <NoteField of={of} name="auditRemark" rows={3} missing={isRejected ? '驳回时请填写审批意见' : undefined} />
    </>
  )
}
