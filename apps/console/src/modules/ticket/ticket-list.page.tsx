import { ClockCircleOutlined, PlusOutlined, SnippetsOutlined } from '@ant-design/icons'
import { desk } from '@oms/contract/feedback-desk.ts'
import { feedback } from '@oms/contract/feedback.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { later } from '#kernel/later.tsx'
import { Allowed, useCan } from '#kernel/session.tsx'
import { DataTable } from '#kit/data-table.tsx'
import { ExportButton } from '#kit/export-button.tsx'
import { Page } from '#kit/page.tsx'
import { RowActions } from '#kit/row-actions.tsx'
import { useList } from '#kit/use-list.ts'
import { DrillNote } from './drill-note.tsx'
import { ticketAddress } from './ticket-address.ts'
import { TicketBatch } from './ticket-batch.tsx'
import { type Ticket, ticketActions, ticketColumns } from './ticket-columns.tsx'
import { TicketSearch } from './ticket-search.tsx'
import { useClaim } from './use-claim.ts'

const TicketForm = later(() => import('./ticket-form.tsx'), 'TicketForm')
const Templates = later(() => import('./templates.tsx'), 'Templates')
const SlaForm = later(() => import('./sla-form.tsx'), 'SlaForm')

const HERE = '/AfterService/Questions'
const COLUMNS = ticketColumns(HERE)

/** Every ticket the account may see. */
export default function TicketListPage() {
  const list = useList(feedback.page)
  const navigate = useNavigate()
  const claim = useClaim()
  const { hash } = useLocation()
  const can = useCan()
  const [chosen, setOpen] = useState<'add' | 'templates' | 'sla'>()
  // The home page leads straight to the limits when their calendar lacks a year.
  const open = chosen ?? (hash === '#sla' && can(desk.saveSla.access) ? 'sla' : undefined)
  const close = () => {
    setOpen(undefined)
    if (hash) void navigate(HERE, { replace: true })
  }
  const show = ({ id }: Ticket) => void navigate(ticketAddress(HERE, id))
  const rowActions = (row: Ticket) => (
    <RowActions
      items={[
        { label: '详情', onClick: () => show(row) },
        !row.handlerId && row.status !== 5 && { label: '认领', to: feedback.claim, onClick: () => claim(row) },
      ]}
    />
  )
  return (
    <Page>
      <TicketSearch {...list.search} />
      <DrillNote initial={list.search.initial} onClear={list.table.onClear} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, ticketActions(rowActions, 105)]}
        actions={<Buttons onOpen={setOpen} />}
        tools={<ExportButton to={feedback.export} query={list.query} name="售后工单" />}
        batch={(picked) => <TicketBatch picked={picked} />}
        empty={{
          text: '还没有工单',
          hint: '来自App、设备和客服登记的问题都在这里跟踪到解决。',
          action: <AddButton onOpen={setOpen} />,
        }}
        onOpen={show}
      />
      {open === 'add' && <TicketForm onClose={close} onMade={(id) => void navigate(ticketAddress(HERE, id))} />}
      {open === 'templates' && <Templates onClose={close} />}
      {open === 'sla' && <SlaForm onClose={close} />}
    </Page>
  )
}

type Opens = { onOpen(what: 'add' | 'templates' | 'sla'): void }

const AddButton = ({ onOpen }: Opens) => (
  <Allowed to={feedback.create}>
    <Button type="primary" icon={<PlusOutlined />} onClick={() => onOpen('add')}>
      新建工单
    </Button>
  </Allowed>
)

const Buttons = ({ onOpen }: Opens) => (
  <>
    <AddButton onOpen={onOpen} />
    <Allowed to={desk.addTemplate}>
      <Button icon={<SnippetsOutlined />} onClick={() => onOpen('templates')}>
        备注模板
      </Button>
    </Allowed>
    <Allowed to={desk.saveSla}>
      <Button icon={<ClockCircleOutlined />} onClick={() => onOpen('sla')}>
        服务时限
      </Button>
    </Allowed>
  </>
)
