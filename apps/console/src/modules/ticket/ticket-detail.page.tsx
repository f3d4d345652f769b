import { feedback } from '@oms/contract/ticket/ticket.ts'
import { FEEDBACK_MESSAGES } from '@oms/contract/ticket/ticket-rows.ts'
import { Button, Result } from 'antd'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { DevicePanel } from './device-panel.tsx'
import { DisposePanel } from './handling/dispose-panel.tsx'
import { TicketProgress } from './handling/progress.tsx'
import { ticketListPath, parseTicketId } from './ticket-address.ts'
import { TicketContent } from './ticket-content.tsx'
import { TicketHead } from './ticket-head.tsx'
import { useViewers } from './handling/use-viewers.ts'
import './ticket.css'

/** Page of one ticket: content, processing form, device and progress timeline. */
export default function TicketDetailPage() {
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const [opened] = useState(() => ({ id: parseTicketId(params.get('info')), list: ticketListPath(pathname) }))
  if (opened.id === undefined) return <Malformed list={opened.list} />
  return <Opened id={opened.id} list={opened.list} />
}

function Malformed({ list }: { list: string }) {
  const tab = useTab()
  useTabTitle('无法打开工单')
  return (
    <Panel>
      <Result
        status="warning"
        title={FEEDBACK_MESSAGES.malformed}
        subTitle="地址可能被截断或修改过。请回到列表，从列表中打开工单。"
        extra={
          <Button type="primary" onClick={() => tab.close(list)}>
            返回列表
          </Button>
        }
      />
    </Panel>
  )
}

function Opened({ id, list }: { id: number; list: string }) {
  const read = useRead(feedback.info, { id }, { quiet: true, keepPrevious: false, staleTime: 0 })
  const [typing, setTyping] = useState(false)
  const viewers = useViewers(id, typing)
  useTabTitle(read.data && `工单 ${read.data.feedbackNo}`)
  return (
    <RecordPage read={read} list={list}>
      {(info) => (
        <Page>
          <TicketHead info={info} viewers={viewers} />
          <div className="ticket-columns">
            <div className="ticket-main">
              <TicketContent info={info} />
              <Panel title="处理进度">
                <TicketProgress id={id} />
              </Panel>
            </div>
            <div className="ticket-side">
              <DisposePanel info={info} onTyping={setTyping} />
              {info.sn && (
                <Panel title="设备">
                  <DevicePanel sn={info.sn} besides={id} />
                </Panel>
              )}
            </div>
          </div>
        </Page>
      )}
    </RecordPage>
  )
}
