import { FeedbackRow } from '@oms/contract/feedback-rows.ts'
import { Tag } from 'antd'
import type * as z from 'zod'
import { Link } from '#kernel/router.tsx'
import { columnsOf } from '#kit/columns.tsx'
import { time } from '#kit/time.tsx'
import { ticketAddress } from './ticket-address.ts'
import { PriorityTag, SlaTag, StatusTag, TypeTag } from './ticket-tags.tsx'

export type Ticket = z.output<typeof FeedbackRow>
const { col, actions } = columnsOf(FeedbackRow)

/** The columns of both lists; a number leads to the ticket under its own list. */
export const ticketColumns = (from: '/AfterService/Questions' | '/AfterService/PendingList') => [
  col('feedbackNo', (no, { id }) => <Link to={ticketAddress(from, id)}>{no}</Link>, { width: 135 }),
  col('priority', (value) => <PriorityTag value={value} />, { width: 80, sort: true }),
  col('status', (value) => <StatusTag value={value} />, { width: 90, sort: true }),
  col('problemType', (value) => <TypeTag value={value} />, { width: 85 }),
  col('content', { width: 146 }),
  col('slaState', (_, row) => <SlaTag ticket={row} />, { width: 142, help: '先应答后解决，按服务时限的工作时间计算' }),
  col('handler', (name, { status }) => name || <span className="kit-none">{status === 5 ? '-' : '未分派'}</span>, {
    width: 80,
  }),
  col('sn', { width: 150, hidden: true }),
  col('modelName', { width: 140, hidden: true }),
  col('tenantName', { width: 105 }),
  col('createTime', time, { width: 165, sort: true }),
  col('account', { width: 150, hidden: true }),
  col('typeName', { width: 110, hidden: true }),
  col('osVer', { width: 110, hidden: true }),
  col('tags', (tags) => tags.map((tag) => <Tag key={tag}>{tag}</Tag>), { width: 150, hidden: true }),
  col('source', { width: 90, hidden: true }),
  col('firstRespondTime', time, { width: 165, hidden: true }),
  col('closeTime', time, { width: 165, hidden: true }),
  col('suspendUntil', time, { width: 165, hidden: true }),
  col('reopenCount', { width: 90, align: 'right', hidden: true }),
  col('satisfaction', { width: 100, hidden: true }),
  col('updateTime', time, { width: 165, sort: true, hidden: true }),
]
export const ticketActions = actions
