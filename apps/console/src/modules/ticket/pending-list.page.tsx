import { feedback } from '@oms/contract/ticket/ticket.ts'
import { useNavigate } from 'react-router'
import { useRead } from '#core/api/query.ts'
import { setRecordTrail } from '#core/routing/record-trail.ts'
import { DataTable } from '#kit/table/data-table.tsx'
import { MetricGrid } from '#kit/chart/metric.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useList } from '#kit/list/use-list.ts'
import { useCan, useSession } from '#core/auth/session.tsx'
import { formatTicketPath, useClaim } from './ticket.tsx'
import { TicketBatch, type Ticket, ticketActions, createTicketColumns, TicketSearch } from './ticket-rows.tsx'
import './ticket.css'

const LIST_PATH = '/AfterService/PendingList'
const COLUMNS = createTicketColumns(LIST_PATH)
/** Access of the ticket page below this list. */
const DETAIL = { access: 'AfterService:PendingList:query' }

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
      <QueueCounts initial={list.search.initial} onSearch={list.search.onSearch} />
      <TicketSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, ticketActions(rowActions, 105)]}
        batch={(picked) => <TicketBatch picked={picked} />}
        empty={{ drawing: 'done', text: '没有待处理的工单', hint: '分派给您的和尚未分派的工单会出现在这里。' }}
        {...(can(DETAIL.access) && { onOpen: show })}
      />
    </Page>
  )
}

/** Ticket counts by queue. A click on a count filters the list to the counted tickets. */
function QueueCounts({ initial, onSearch }: { initial: object; onSearch(values: object): void }) {
  const uid = Number(useSession()?.uid)
  const { data } = useRead(feedback.pending, { pageNum: 1, pageSize: 10 }, { quiet: true })
  const counts = data?.counts
  const tiles = [
    { title: '我的工单', count: counts?.mine, filter: { handlerId: String(uid) } },
    { title: '未分派', count: counts?.unassigned, filter: { unassigned: '1' } },
    { title: '即将超时', count: counts?.near, filter: { slaState: '2' }, tone: 'warn' },
    { title: '已超时', count: counts?.breached, filter: { slaState: '3' }, tone: 'bad' },
    { title: '挂起待提醒', count: counts?.reminded, filter: { status: '4', handlerId: String(uid) } },
  ]
  const now = JSON.stringify(initial)
  return (
    <MetricGrid columns={tiles.length}>
      {tiles.map(({ title, count, filter, tone }) => {
        const on = now === JSON.stringify(filter)
        return (
          <button
            key={title}
            type="button"
            className="kit-tile ticket-queue"
            data-tone={count ? tone : undefined}
            aria-pressed={on}
            onClick={() => onSearch(on ? {} : filter)}
          >
            <span>{title}</span>
            <b>{count ?? '-'}</b>
          </button>
        )
      })}
    </MetricGrid>
  )
}
