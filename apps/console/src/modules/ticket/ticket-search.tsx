import { FeedbackFilter } from '@oms/contract/ticket/ticket-input.ts'
import { FEEDBACK_STATUS, PROBLEM_TYPE } from '@oms/contract/ticket/ticket-rows.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { DeviceTypePicker } from '#kit/pickers/type-picker.tsx'
import { TICKET_STATUS_DICT, PROBLEM_TYPE_DICT } from './ticket-tags.tsx'

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
