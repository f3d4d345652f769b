import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { PROBLEM_DICT } from '@oms/contract/ticket/ticket-rows.ts'
import { Alert, Button } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useDict } from '#kit/pickers/use-dict.ts'
import { describeFilters, HIDDEN_FILTERS } from './filter-words.ts'

type Asked = InputOf<typeof ticketDesk.filterNames>

/** Shows the active filters that came from a chart of the statistics and offers to clear them. */
export function ActiveFilterNote({ initial, onClear }: { initial: object; onClear(): void }) {
  const dicts = {
    hardware: useDict(PROBLEM_DICT.hardware),
    software: useDict(PROBLEM_DICT.software),
    structure: useDict(PROBLEM_DICT.structure),
  }
  const values = initial as Record<string, unknown>
  const isFiltered = HIDDEN_FILTERS.some((key) => values[key] !== undefined)
  const { handlerId, lastHandlerId, modelId, verCode } = values as Asked
  const hasIds = [handlerId, lastHandlerId, verCode].some((each) => each !== undefined)
  const asked = { handlerId, lastHandlerId, modelId, verCode }
  const names = useRead(ticketDesk.filterNames, asked, { quiet: true, enabled: hasIds, keepPrevious: false })
  if (!isFiltered) return null
  const words = describeFilters(values, {
    names: names.data,
    partLabel: (part, option) => dicts[part].labelOf(option),
  })
  return (
    <Alert
      type="info"
      showIcon
      title={`按统计筛选 — ${words.join('，')}`}
      action={
        <Button size="small" onClick={onClear}>
          显示全部
        </Button>
      }
    />
  )
}
