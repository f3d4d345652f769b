import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { FEEDBACK_STATUS } from '@oms/contract/ticket/ticket-rows.ts'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { Link } from '#core/routing/router.tsx'
import { Time } from '#kit/record/time.tsx'
import { EmptyPart, DeviceDetailPart } from './device-facts.tsx'
import { DictLabelTag } from '#kit/pickers/dict-words.tsx'

const LIST = '/AfterService/Questions'

/** After-sales tickets of the device, with a link to the ticket list. */
export default function DeviceTickets({ sn }: { sn: string }) {
  const known = useKnownPages()
  return (
    <DeviceDetailPart to={feedback.page} input={{ sn, pageNum: 1, pageSize: 50 }}>
      {({ list }) => {
        // The list matches parts of serial numbers; only exact matches are shown here.
        const own = list.filter((ticket) => ticket.sn === sn)
        if (own.length === 0) return <EmptyPart text="该设备没有工单" />
        return (
          <>
            <table className="kit-table device-records">
              <thead>
                <tr>
                  <th>工单编号</th>
                  <th>问题描述</th>
                  <th>状态</th>
                  <th>处理人员</th>
                  <th>提交时间</th>
                </tr>
              </thead>
              <tbody>
                {own.map((ticket) => (
                  <TicketLine key={ticket.id} ticket={ticket} />
                ))}
              </tbody>
            </table>
            {known(LIST) && <Link to={`${LIST}?sn=${encodeURIComponent(sn)}`}>在售后工单中查看</Link>}
          </>
        )
      }}
    </DeviceDetailPart>
  )
}

const TicketLine = ({ ticket }: { ticket: ResultOf<typeof feedback.page>['list'][number] }) => (
  <tr>
    <td data-title="工单编号">{ticket.feedbackNo}</td>
    <td data-title="问题描述">{ticket.content}</td>
    <td data-title="状态">
      <DictLabelTag type="feedback_status" words={FEEDBACK_STATUS} value={ticket.status} color="warning" />
    </td>
    <td data-title="处理人员">{ticket.handler || <span className="kit-none">-</span>}</td>
    <td data-title="提交时间">
      <Time at={ticket.createTime} />
    </td>
  </tr>
)
