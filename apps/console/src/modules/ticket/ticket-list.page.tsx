import { ClockCircleOutlined, PlusOutlined, SnippetsOutlined } from '@ant-design/icons'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { PROBLEM_DICT } from '@oms/contract/ticket/ticket-rows.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed, getSession, useCan, useMayCall } from '#core/auth/session.tsx'
import { setRecordTrail } from '#core/routing/record-trail.ts'
import { useTab } from '#core/routing/tab.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { FilterNote } from '#kit/list/filter-note.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useList } from '#kit/list/use-list.ts'
import { useRead } from '#core/api/query.ts'
import { useDict } from '#kit/pickers/use-dict.ts'
import { formatTicketPath, useClaim } from './ticket.tsx'
import { TicketBatch, type Ticket, ticketActions, createTicketColumns, TicketSearch } from './ticket-rows.tsx'
import { describeFilters, HIDDEN_FILTERS } from './filter-words.ts'
import type { Filters } from '#kit/list/list-state.ts'
import { type BuiltInView, findActiveView, listViews } from '#kit/list/saved-views-state.ts'

const TicketForm = lazyAfterRender(() => import('./ticket-form.tsx'), 'TicketForm')
const Templates = lazyAfterRender(() => import('./handling/templates.tsx'), 'Templates')
const SlaForm = lazyAfterRender(() => import('./handling/sla-form.tsx'), 'SlaForm')

const LIST_PATH = '/AfterService/Questions'
const COLUMNS = createTicketColumns(LIST_PATH)
/** Access of the ticket page below this list. */
const DETAIL = { access: 'AfterService:Questions:query' }

const VIEWS: readonly BuiltInView[] = [
  { name: '我的', filters: () => ({ handlerId: String(getSession()?.uid), open: '1' }) },
  { name: '未分派', filters: { unassigned: '1', open: '1' } },
  { name: '即将超时', filters: { slaState: '2', open: '1' } },
  { name: '已超时', filters: { slaState: '3', open: '1' } },
]

/** Lists every ticket that the account may see. */
export default function TicketListPage() {
  const list = useList(feedback.page)
  const claim = useClaim()
  const { open, setOpen, close } = useOpenDialog()
  const { canShow, show, showMade } = useShowTicket(list.table.rows)
  const rowActions = (row: Ticket) => (
    <RowActions
      items={[
        { label: '详情', to: DETAIL, onClick: () => show(row) },
        !row.handlerId && row.status !== 5 && { label: '认领', to: feedback.claim, onClick: () => claim(row) },
      ]}
    />
  )
  return (
    <Page>
      <ActiveFilterNote initial={list.search.initial} onClear={list.table.onClear} />
      <TicketSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[...COLUMNS, ticketActions(rowActions, 100)]}
        actions={<Buttons onOpen={setOpen} />}
        tools={<ExportButton to={feedback.export} query={list.query} name="售后工单" />}
        batch={(picked) => <TicketBatch picked={picked} />}
        empty={{
          text: '还没有工单',
          hint: '来自App、设备和客服登记的问题都在这里跟踪到解决。',
          action: <AddButton onOpen={setOpen} />,
        }}
        {...(canShow && { onOpen: show })}
      />
      {open === 'add' && <TicketForm onClose={close} onMade={showMade} />}
      {open === 'templates' && <Templates onClose={close} />}
      {open === 'sla' && <SlaForm onClose={close} />}
    </Page>
  )
}

/** Opens the page of a ticket. A hidden list does not replace the page that the user works in. */
function useShowTicket(rows: readonly Ticket[]) {
  const navigate = useNavigate()
  const tab = useTab()
  const canShow = useCan()(DETAIL.access)
  const show = ({ id }: Pick<Ticket, 'id'>) => {
    setRecordTrail(rows.map((row) => formatTicketPath(LIST_PATH, row.id)))
    void navigate(formatTicketPath(LIST_PATH, id))
  }
  const showMade = (id: number) => tab.isShown() && canShow && show({ id })
  return { canShow, show, showMade }
}

/** Keeps which dialog is open. */
function useOpenDialog() {
  const navigate = useNavigate()
  const { hash } = useLocation()
  const mayCall = useMayCall()
  const [chosen, setOpen] = useState<'add' | 'templates' | 'sla'>()
  // The hash `#sla` opens the time limits. The home page links to it when the calendar has no holidays for a year.
  const open = chosen ?? (hash === '#sla' && mayCall(ticketDesk.saveSla) ? 'sla' : undefined)
  const close = () => {
    setOpen(undefined)
    if (hash) void navigate(LIST_PATH, { replace: true })
  }
  return { open, setOpen, close }
}

type Opens = { onOpen(what: 'add' | 'templates' | 'sla'): void }

const AddButton = ({ onOpen }: Opens) => (
  <Allowed to={feedback.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={() => onOpen('add')}>
      新增工单
    </Button>
  </Allowed>
)

const Buttons = ({ onOpen }: Opens) => (
  <>
    <AddButton onOpen={onOpen} />
    <Allowed to={ticketDesk.addTemplate}>
      <Button icon={<SnippetsOutlined />} onClick={() => onOpen('templates')}>
        备注模板
      </Button>
    </Allowed>
    <Allowed to={ticketDesk.saveSla}>
      <Button icon={<ClockCircleOutlined />} onClick={() => onOpen('sla')}>
        服务时限
      </Button>
    </Allowed>
  </>
)

type Asked = InputOf<typeof ticketDesk.filterNames>

/** Shows the active filters that came from a chart of the statistics and offers to clear them. */
function ActiveFilterNote({ initial, onClear }: { initial: Filters; onClear(): void }) {
  const dicts = {
    hardware: useDict(PROBLEM_DICT.hardware),
    software: useDict(PROBLEM_DICT.software),
    structure: useDict(PROBLEM_DICT.structure),
  }
  const values: Record<string, unknown> = initial
  const isFiltered = HIDDEN_FILTERS.some((key) => values[key] !== undefined)
  const { handlerId, lastHandlerId, modelId, verCode } = values as Asked
  const hasIds = [handlerId, lastHandlerId, verCode].some((each) => each !== undefined)
  const asked = { handlerId, lastHandlerId, modelId, verCode }
  const names = useRead(ticketDesk.filterNames, asked, { quiet: true, enabled: hasIds, keepPrevious: false })
  // The tab of the view already names these filters.
  const isView = findActiveView(listViews(LIST_PATH, VIEWS, []), { filters: initial, sort: undefined }) !== undefined
  if (!isFiltered || isView) return null
  const words = describeFilters(values, {
    names: names.data,
    partLabel: (part, option) => dicts[part].labelOf(option),
  })
  return <FilterNote words={words} onClear={onClear} />
}
