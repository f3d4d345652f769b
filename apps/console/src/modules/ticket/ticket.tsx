import { FEEDBACK_PRIORITY, FEEDBACK_STATUS, PROBLEM_TYPE, SLA_STATE } from '@oms/contract/ticket/ticket-rows.ts'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { useWrite, useRead } from '#core/api/query.ts'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { State } from '#kit/record/state.tsx'

const STATUS_COLOR = ['warning', 'processing', 'info', 'warning', 'default', 'success']
const PRIORITY_COLOR = ['', 'default', 'default', 'orange', 'red']
const TYPE_COLOR = ['', 'danger', 'warning', 'info']
const word = (labels: Readonly<Record<number, string>>, value: number) => labels[value] ?? String(value)

export const TICKET_STATUS_DICT = 'feedback_status'
export const PROBLEM_TYPE_DICT = 'feedback_problem_type'

export const StatusTag = ({ value }: { value: number }) => (
  <DictLabelTag type={TICKET_STATUS_DICT} words={FEEDBACK_STATUS} value={value} color={STATUS_COLOR[value]} />
)
export const PriorityTag = ({ value }: { value: number }) => (
  <State color={PRIORITY_COLOR[value]}>{word(FEEDBACK_PRIORITY, value)}</State>
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
    <State color={color} title={title}>
      {open && due
        ? `${firstRespondTime === null ? '首次响应' : '解决'} ${due.slice(5, 16)}`
        : word(SLA_STATE, slaState)}
    </State>
  )
}

/** Returns the path of a ticket's page below the list that the user came from. The URL contains only the ticket id. */
export const formatTicketPath = (from: '/AfterService/Questions' | '/AfterService/PendingList', id: number) =>
  `${from}/Pendding?info=${encodeURIComponent(JSON.stringify({ id }))}`

/**
 * Reads the ticket id from the JSON in the query. Returns undefined for invalid JSON or a missing id; ignores other
 * fields.
 */
export function parseTicketId(info: string | null): number | undefined {
  try {
    const parsed: unknown = JSON.parse(info ?? '')
    const id = Number((parsed as { id?: unknown } | null)?.id)
    return Number.isInteger(id) && id > 0 && id <= 2_147_483_647 ? id : undefined
  } catch {
    return undefined
  }
}

/** Returns the list that a detail page belongs to: `Questions` or `PendingList`. */
export const ticketListPath = (pathname: string) =>
  pathname.startsWith('/AfterService/PendingList') ? '/AfterService/PendingList' : '/AfterService/Questions'

/** Returns a function that claims a ticket. The API client has already shown the error of a failed call. */
export function useClaim() {
  const { mutateAsync } = useWrite(feedback.claim)
  return ({ id }: { id: number }) => mutateAsync({ id }).catch(() => {})
}

/** Returns the tags in use as options. */
export function useTagOptions() {
  const { data = [] } = useRead(ticketDesk.tags, {}, { quiet: true, staleTime: 300_000 })
  return data.map((tag) => ({ value: tag, label: tag }))
}
