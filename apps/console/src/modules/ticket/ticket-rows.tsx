import { FeedbackRow, FEEDBACK_STATUS, PROBLEM_TYPE } from '@oms/contract/ticket/ticket-rows.ts'
import { Tag } from 'antd'
import type * as z from 'zod'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { time } from '#kit/record/time.tsx'
import {
  formatTicketPath,
  PriorityTag,
  SlaTag,
  StatusTag,
  TypeTag,
  TICKET_STATUS_DICT,
  PROBLEM_TYPE_DICT,
} from './ticket.tsx'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Allowed } from '#core/auth/session.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import type { Picked } from '#kit/table/data-table.tsx'
import type { BatchKind } from './handling/batch-forms.tsx'
import { FeedbackFilter } from '@oms/contract/ticket/ticket-input.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { DeviceTypePicker } from '#kit/pickers/type-picker.tsx'

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
    width: 136,
  }),
  col('priority', (value) => <PriorityTag value={value} />, { width: 80, sort: true }),
  col('status', (value) => <StatusTag value={value} />, { width: 90, sort: true }),
  col('problemType', (value) => <TypeTag value={value} />, { width: 100 }),
  col('content', { width: 124 }),
  col('slaState', (_, row) => <SlaTag ticket={row} />, {
    width: 172,
    help: '先首次响应后解决，按服务时限的工作时间计算',
  }),
  col('handler', (name, { status }) => (name ? <Ellipsis text={name} /> : <NoHandler isClosed={status === 5} />), {
    width: 86,
  }),
  col('sn', { width: 150, hidden: true }),
  col('modelName', { width: 140, hidden: true }),
  col('tenantName', { width: 116 }),
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
  // The number contains the date, so that all columns fit in a window of 1280 px.
  col('createTime', time, { width: 165, sort: true, hidden: true }),
  col('updateTime', time, { width: 165, sort: true, hidden: true }),
]
export const ticketActions = actions

const BatchForm = lazyAfterRender(() => import('./handling/batch-forms.tsx'), 'BatchForm')

const ACTIONS = [
  ['assign', '分派', feedback.assign],
  ['priority', '优先级', feedback.priority],
  ['tags', '标签', feedback.tags],
  ['suspend', '挂起', feedback.suspend],
  ['close', '关闭', feedback.close],
  ['merge', '合并', feedback.merge],
] as const satisfies readonly (readonly [BatchKind, string, { access: string }])[]

/** Returns the reason why the tickets cannot be merged. */
function findMergeProblem(rows: readonly Ticket[]) {
  if (rows.length < 2) return '请至少选择两个工单'
  return new Set(rows.map(({ tenantId }) => tenantId)).size > 1 ? '不能合并不同客户的工单' : undefined
}

/** Batch actions for the selected tickets. */
export function TicketBatch({ picked }: { picked: Picked<Ticket> }) {
  const [open, setOpen] = useState<BatchKind>()
  return (
    <>
      {ACTIONS.map(([kind, label, to]) => (
        <Allowed key={kind} to={to}>
          <ReasonedButton
            size="small"
            reason={kind === 'merge' ? findMergeProblem(picked.rows) : undefined}
            onClick={() => setOpen(kind)}
          >
            {label}
          </ReasonedButton>
        </Allowed>
      ))}
      {open && <BatchForm kind={open} rows={picked.rows} onClose={() => setOpen(undefined)} onDone={picked.clear} />}
    </>
  )
}

/** Search form of both ticket lists. */
export function TicketSearch(search: { initial: Record<string, unknown>; onSearch(values: object): void }) {
  const statuses = useDictLabels(TICKET_STATUS_DICT, FEEDBACK_STATUS).options
  const problems = useDictLabels(PROBLEM_TYPE_DICT, PROBLEM_TYPE).options
  return (
    <SearchForm {...(search as Parameters<typeof SearchForm>[0])}>
      <Filter of={FeedbackFilter} name="keyword" placeholder="编号、序列号、账号或电话" />
      <SelectFilter of={FeedbackFilter} name="status" options={statuses} />
      <SelectFilter of={FeedbackFilter} name="problemType" options={problems} />
      <DateRangeFilter label="提交时间" />
      <SelectFilter of={FeedbackFilter} name="priority" />
      <SelectFilter of={FeedbackFilter} name="slaState" />
      <SelectFilter of={FeedbackFilter} name="unassigned" all="全部" />
      <Filter of={FeedbackFilter} name="content" />
      <Filter of={FeedbackFilter} name="tag" />
      <Filter of={FeedbackFilter} name="tenantId">
        <TenantPicker />
      </Filter>
      <Filter of={FeedbackFilter} name="typeId">
        <DeviceTypePicker />
      </Filter>
      <Filter of={FeedbackFilter} name="modelId">
        <DeviceModelPicker />
      </Filter>
      <SelectFilter of={FeedbackFilter} name="source" />
      <SelectFilter of={FeedbackFilter} name="satisfaction" />
    </SearchForm>
  )
}
