import { feedback } from '@oms/contract/ticket/ticket.ts'
import { useNavigate } from 'react-router'
import { setRecordTrail } from '#core/routing/record-trail.ts'
import { DataTable } from '#kit/table/data-table.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'
import { useList } from '#kit/list/use-list.ts'
import { getSession, useCan } from '#core/auth/session.tsx'
import { formatTicketPath, useClaim } from './ticket.tsx'
import { TicketBatch, type Ticket, ticketActions, createTicketColumns, TicketSearch } from './ticket-rows.tsx'

const LIST_PATH = '/AfterService/PendingList'
const COLUMNS = createTicketColumns(LIST_PATH)
/** Access of the ticket page below this list. */
const DETAIL = { access: 'AfterService:PendingList:query' }

const getOwnId = () => String(getSession()?.uid)
const VIEWS: readonly BuiltInView[] = [
  { name: '我的工单', filters: () => ({ handlerId: getOwnId() }) },
  { name: '未分派', filters: { unassigned: '1' } },
  { name: '即将超时', filters: { slaState: '2' } },
  { name: '已超时', filters: { slaState: '3' } },
  { name: '我的挂起', filters: () => ({ status: '4', handlerId: getOwnId() }) },
]

/** Lists the open tickets that are unassigned or assigned to the caller. */
export default function PendingListPage() {
  const list = useList(feedback.pending)
  const navigate = useNavigate()
  const claim = useClaim()
  const can = useCan()
  const show = ({ id }: Ticket) => {
    setRecordTrail(list.table.rows.map((row) => formatTicketPath(LIST_PATH, row.id)))
    void navigate(formatTicketPath(LIST_PATH, id))
  }
  const rowActions = (row: Ticket) => (
    <RowActions
      items={[
        { label: '处理', to: DETAIL, onClick: () => show(row) },
        !row.handlerId && { label: '认领', to: feedback.claim, onClick: () => claim(row) },
      ]}
    />
  )
  return (
    <Page>
      <TicketSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[...COLUMNS, ticketActions(rowActions, 100)]}
        batch={(picked) => <TicketBatch picked={picked} />}
        empty={{ drawing: 'done', text: '没有待处理的工单', hint: '分派给您的和尚未分派的工单会出现在这里。' }}
        {...(can(DETAIL.access) && { onOpen: show })}
      />
    </Page>
  )
}
