import { ClockCircleOutlined } from '@ant-design/icons'
import { FEEDBACK_PRIORITY, FEEDBACK_STATUS, PROBLEM_TYPE, SLA_STATE } from '@oms/contract/ticket/ticket-rows.ts'
import { Tag } from 'antd'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'

const STATUS_COLOR = ['orange', 'processing', 'cyan', 'purple', 'default', 'success']
const PRIORITY_COLOR = ['', 'default', 'default', 'orange', 'red']
const TYPE_COLOR = ['', 'volcano', 'gold', 'blue']
const word = (labels: Readonly<Record<number, string>>, value: number) => labels[value] ?? String(value)

export const TICKET_STATUS_DICT = 'feedback_status'
export const PROBLEM_TYPE_DICT = 'feedback_problem_type'

export const StatusTag = ({ value }: { value: number }) => (
  <DictLabelTag type={TICKET_STATUS_DICT} words={FEEDBACK_STATUS} value={value} color={STATUS_COLOR[value]} />
)
export const PriorityTag = ({ value }: { value: number }) => (
  <Tag color={PRIORITY_COLOR[value] ?? 'default'}>{word(FEEDBACK_PRIORITY, value)}</Tag>
)
export const TypeTag = ({ value }: { value: number }) => (
  <DictLabelTag type={PROBLEM_TYPE_DICT} words={PROBLEM_TYPE} value={value} color={TYPE_COLOR[value]} />
)

interface Limited {
  readonly status: number
  readonly slaState: number
  readonly firstRespondTime: string | null
  readonly slaRespondDue: string | null
  readonly slaSolveDue: string | null
}

/** Tag for the current time limit: the first reply until it was given, then the resolution. */
export function SlaTag({ ticket }: { ticket: Limited }) {
  const { status, slaState, firstRespondTime, slaRespondDue, slaSolveDue } = ticket
  if (slaState === 0) return <span className="kit-none">-</span>
  const open = status !== 5 && status !== 4
  const due = firstRespondTime === null ? slaRespondDue : slaSolveDue
  const color = slaState === 3 ? 'error' : slaState === 2 ? 'warning' : 'default'
  const title = `首次响应时限 ${slaRespondDue ?? '-'}，解决时限 ${slaSolveDue ?? '-'}`
  return (
    <Tag color={color} icon={<ClockCircleOutlined />} title={title}>
      {open && due
        ? `${firstRespondTime === null ? '首次响应' : '解决'} ${due.slice(5, 16)}`
        : word(SLA_STATE, slaState)}
    </Tag>
  )
}
