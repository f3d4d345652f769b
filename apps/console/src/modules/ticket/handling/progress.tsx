import { feedback } from '@oms/contract/ticket/ticket.ts'
import { RECORD_KIND } from '@oms/contract/ticket/ticket-rows.ts'
import { Timeline } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { StatusTag } from '../ticket-tags.tsx'

/** Progress timeline of a ticket, newest entry first. */
export function TicketProgress({ id }: { id: number }) {
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
            <div className="ticket-progress-head">
              <b>{realname || '系统'}</b>
              <span>{RECORD_KIND[kind as keyof typeof RECORD_KIND]}</span>
              <StatusTag value={status} />
              <Time at={createTime} />
            </div>
            {handler && <div className="ticket-muted">处理人员：{handler}</div>}
            {detail && <div>{detail}</div>}
            {remark && <div className="ticket-remark">{remark}</div>}
          </>
        ),
      }))}
    />
  )
}
