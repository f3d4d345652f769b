import { FeedbackFilter } from '@oms/contract/feedback-input.ts'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { DateRangeFilter } from '#kit/filter-date.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { useChoices } from './use-choices.ts'

/** The filters of both ticket lists. */
export function TicketSearch(search: { initial: Record<string, unknown>; onSearch(values: object): void }) {
  const { tenants, types, models } = useChoices()
  return (
    <SearchForm {...(search as Parameters<typeof SearchForm>[0])}>
      <Filter of={FeedbackFilter} name="keyword" />
      <SelectFilter of={FeedbackFilter} name="status" />
      <SelectFilter of={FeedbackFilter} name="problemType" />
      <DateRangeFilter label="反馈时间" />
      <SelectFilter of={FeedbackFilter} name="priority" />
      <SelectFilter of={FeedbackFilter} name="slaState" />
      <SelectFilter of={FeedbackFilter} name="unassigned" />
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
