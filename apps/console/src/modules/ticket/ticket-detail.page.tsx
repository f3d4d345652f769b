import { feedback } from '@oms/contract/ticket/ticket.ts'
import { FEEDBACK_MESSAGES, RECORD_KIND } from '@oms/contract/ticket/ticket-rows.ts'
import { Button, Result, Timeline } from 'antd'
import { useState, useEffect, useEffectEvent } from 'react'
import { useLocation } from 'react-router'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useRead } from '#core/api/query.ts'
import { useSearchParams } from '#core/routing/router.tsx'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { Time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { call } from '#core/api/client.ts'
import { DevicePanel } from './device-panel.tsx'
import { DisposePanel } from './handling/dispose-panel.tsx'
import { ticketListPath, parseTicketId } from './ticket-address.ts'
import { TicketContent } from './ticket-content.tsx'
import { TicketHead } from './ticket-head.tsx'
import { StatusTag } from './ticket-tags.tsx'
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
            <div className="ticket-main kit-many kit-stack">
              <TicketContent info={info} />
              <Panel title="处理进度">
                <TicketProgress id={id} />
              </Panel>
            </div>
            <div className="ticket-side kit-stack">
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

/** Progress timeline of a ticket, newest entry first. */
function TicketProgress({ id }: { id: number }) {
  const { data, error, refetch } = useRead(feedback.records, { id }, { quiet: true, keepPrevious: false, staleTime: 0 })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return (
    <Timeline
      className="ticket-progress"
      items={data.map(({ id, kind, realname, handler, status, createTime, remark, detail }) => ({
        key: id,
        color: kind === 10 ? 'red' : status === 5 ? 'green' : 'blue',
        content: (
          <>
            <div className="kit-row">
              <b>{realname || '系统'}</b>
              <span>{RECORD_KIND[kind as keyof typeof RECORD_KIND]}</span>
              <StatusTag value={status} />
              <span className="kit-end kit-muted">
                <Time at={createTime} />
              </span>
            </div>
            {handler && <div className="kit-muted">处理人员：{handler}</div>}
            {detail && <div>{detail}</div>}
            {remark && <div className="kit-block kit-words ticket-remark">{remark}</div>}
          </>
        ),
      }))}
    />
  )
}

const BEAT_MS = 15_000
type Viewers = ResultOf<typeof ticketDesk.viewers>

/**
 * Returns the other viewers of a ticket. Reports this viewer every 15 seconds while the tab is visible, and reports
 * leaving.
 */
function useViewers(id: number, typing: boolean) {
  const [viewers, setViewers] = useState<Viewers>([])
  const beat = useEffectEvent((leave: boolean) => {
    const said = call(ticketDesk.viewers, { id, typing: typing ? 1 : 0, leave: leave ? 1 : 0 }, { quiet: true })
    // A failed report is ignored, because the next report follows within 15 seconds.
    said.then(leave ? () => {} : setViewers, () => {})
  })
  useEffect(() => {
    beat(false)
    const timer = setInterval(() => beat(false), BEAT_MS)
    return () => {
      clearInterval(timer)
      void call(ticketDesk.viewers, { id, leave: 1 }, { quiet: true }).catch(() => {})
    }
  }, [id])
  useEffect(() => {
    if (typing) beat(false)
  }, [typing])
  return viewers
}
