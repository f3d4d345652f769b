import { feedback } from '@oms/contract/feedback.ts'
import { FEEDBACK_STATUS } from '@oms/contract/feedback-rows.ts'
import { Tag } from 'antd'
import { useKnownPages } from '#kernel/known-pages.ts'
import { Link } from '#kernel/router.tsx'
import { Time } from '#kit/time.tsx'
import { Nothing, Part } from './device-part.tsx'

const LIST = '/AfterService/Questions'

/** After-sales tickets about this device; the list of tickets has the rest. */
export default function DeviceTickets({ sn }: { sn: string }) {
  const known = useKnownPages()
  return (
    <Part to={feedback.page} input={{ sn, pageNum: 1, pageSize: 50 }}>
      {({ list }) => {
        // The list finds parts of serials; here only the whole one is meant.
        const own = list.filter((ticket) => ticket.sn === sn)
        if (own.length === 0) return <Nothing text="该设备没有工单" />
        return (
          <>
            <table className="device-table device-records">
              <thead>
                <tr>
                  <th>反馈编号</th>
                  <th>问题描述</th>
                  <th>状态</th>
                  <th>处理人员</th>
                  <th>反馈时间</th>
                </tr>
              </thead>
              <tbody>
                {own.map((ticket) => (
                  <tr key={ticket.id}>
                    <td data-title="反馈编号">{ticket.feedbackNo}</td>
                    <td data-title="问题描述">{ticket.content}</td>
                    <td data-title="状态">
                      <Tag color={ticket.status === 5 ? 'default' : 'processing'}>
                        {FEEDBACK_STATUS[ticket.status as keyof typeof FEEDBACK_STATUS] ?? ticket.status}
                      </Tag>
                    </td>
                    <td data-title="处理人员">{ticket.handler || <span className="kit-none">-</span>}</td>
                    <td data-title="反馈时间">
                      <Time at={ticket.createTime} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {known(LIST) && <Link to={`${LIST}?sn=${encodeURIComponent(sn)}`}>在售后列表中查看</Link>}
          </>
        )
      }}
    </Part>
  )
}
