import { FeedbackRow } from '@oms/contract/ticket/ticket-rows.ts'
import { Tag } from 'antd'
import type * as z from 'zod'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { minutes, time } from '#kit/record/time.tsx'
import { formatTicketPath } from './ticket-address.ts'
import { PriorityTag, SlaTag, StatusTag, TypeTag } from './ticket-tags.tsx'

export type Ticket = z.output<typeof FeedbackRow>
const { col, actions } = createColumns(FeedbackRow)

const TicketTags = ({ tags }: Pick<Ticket, 'tags'>) => (
  <TagList>
    {tags.map((tag) => (
      <Tag key={tag}>{tag}</Tag>
    ))}
  </TagList>
)

/** Shown in place of the handler. A closed ticket needs no handler. */
const NoHandler = ({ isClosed }: { isClosed: boolean }) => <span className="kit-none">{isClosed ? '-' : '未分派'}</span>

/** Columns of both ticket lists. The ticket number links to the ticket below the same list. */
export const createTicketColumns = (from: '/AfterService/Questions' | '/AfterService/PendingList') => [
  col('feedbackNo', (no, { id }) => <PermittedLink to={formatTicketPath(from, id)}>{no}</PermittedLink>, {
    width: 135,
  }),
  col('priority', (value) => <PriorityTag value={value} />, { width: 80, sort: true }),
  col('status', (value) => <StatusTag value={value} />, { width: 90, sort: true }),
  col('problemType', (value) => <TypeTag value={value} />, { width: 82 }),
  col('content', { width: 138 }),
  col('slaState', (_, row) => <SlaTag ticket={row} />, {
    width: 166,
    help: '先首次响应后解决，按服务时限的工作时间计算',
  }),
  col('handler', (name, { status }) => (name ? <Ellipsis text={name} /> : <NoHandler isClosed={status === 5} />), {
    width: 92,
  }),
  col('sn', { width: 150, hidden: true }),
  col('modelName', { width: 140, hidden: true }),
  col('tenantName', { width: 130 }),
  col('createTime', minutes, { width: 126, sort: true }),
  col('account', { width: 150, hidden: true }),
  col('typeName', { width: 110, hidden: true }),
  col('osVer', { width: 110, hidden: true }),
  col('tags', (tags) => <TicketTags tags={tags} />, { width: 150, hidden: true }),
  col('source', { width: 160, hidden: true }),
  col('firstRespondTime', time, { width: 165, hidden: true }),
  col('closeTime', time, { width: 165, hidden: true }),
  col('suspendUntil', time, { width: 165, hidden: true }),
  col('reopenCount', { width: 120, align: 'right', hidden: true }),
  col('satisfaction', { width: 100, hidden: true }),
  col('updateTime', time, { width: 165, sort: true, hidden: true }),
]
export const ticketActions = actions
