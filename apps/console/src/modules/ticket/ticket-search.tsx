import { FeedbackFilter } from '@oms/contract/ticket/ticket-input.ts'
import { FEEDBACK_STATUS, PROBLEM_TYPE } from '@oms/contract/ticket/ticket-rows.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { TICKET_STATUS_DICT, PROBLEM_TYPE_DICT } from './ticket-tags.tsx'
import { useTicketOptions } from './use-ticket-options.ts'

/** Search form of both ticket lists. */
export function TicketSearch(search: { initial: Record<string, unknown>; onSearch(values: object): void }) {
  const { tenants, types, models } = useTicketOptions()
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
      <SelectFilter of={FeedbackFilter} name="tenantId" options={tenants} />
      <SelectFilter of={FeedbackFilter} name="typeId" options={types} />
      <SelectFilter of={FeedbackFilter} name="modelId" options={models} />
      <SelectFilter of={FeedbackFilter} name="source" />
      <SelectFilter of={FeedbackFilter} name="satisfaction" />
    </SearchForm>
  )
}
