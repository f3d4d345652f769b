import {
  ADJUST_DIRECTION_CODE,
  ADJUST_DIRECTION,
  AdjustInput,
  type AgentGrantRow,
  agentGrants,
} from '@oms/contract/agent/orders/order-grant.ts'
import { ALLOWANCE_UNIT, UNIT_SUFFIX } from '@oms/contract/agent/packages/package-terms.ts'
import { Form, Modal, Radio } from 'antd'
import { Field, NoteField, NumberField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { formatAllowance } from './order-cells.tsx'
import './order.css'

interface Props {
  readonly grant: AgentGrantRow
  readonly onClose: () => void
}

const UNIT: Readonly<Record<number, string>> = ALLOWANCE_UNIT
const DIRECTIONS = Object.entries(ADJUST_DIRECTION).map(([value, label]) => ({ value: Number(value), label }))

/** Corrects the balance of a grant by an amount, with a reason. */
export function AdjustDialog({ grant, onClose }: Props) {
  const { modal, form } = useFormModal(agentGrants.adjust, {
    onClose,
    initial: { id: grant.id, direction: ADJUST_DIRECTION_CODE.increase },
  })
  return (
    <Modal title={`调整余量 ${grant.targetName}`} {...modal} okText="确认调整">
      <p className="order-quiet">
        {grant.orderNo} · {grant.packageName} · 第 {grant.packNo} 份 · {UNIT[grant.unit]}
      </p>
      <Form {...form}>
        <Field of={AdjustInput} name="direction">
          <Radio.Group options={DIRECTIONS} />
        </Field>
        <NumberField of={AdjustInput} name="amount" unit={UNIT_SUFFIX[grant.unit]!} />
        <Result grant={grant} />
        <NoteField of={AdjustInput} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}

/** Shows the balance before and after the adjustment. */
function Result({ grant: { left, total } }: { readonly grant: AgentGrantRow }) {
  const amount = Form.useWatch<number | undefined>('amount') ?? 0
  const change = Form.useWatch<number | undefined>('direction') === ADJUST_DIRECTION_CODE.decrease ? -amount : amount
  const isTooMuch = left + change < 0
  return (
    <div className="order-proposal" aria-live="polite">
      <p>
        剩余 {formatAllowance(left)} → <b>{isTooMuch ? '不足' : formatAllowance(left + change)}</b>
      </p>
      <p className="order-quiet">
        {isTooMuch
          ? `最多减少 ${formatAllowance(left)}。`
          : `总量 ${formatAllowance(total)} → ${formatAllowance(total + change)}。`}
        调整记入流水，不改变订单金额；增加的部分不参与退款，减少的部分按已使用计算。
      </p>
    </div>
  )
}
