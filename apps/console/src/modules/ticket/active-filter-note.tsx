import { FeedbackFilter } from '@oms/contract/ticket/ticket-input.ts'
import { PROBLEM_DICT, PROBLEM_PARTS } from '@oms/contract/ticket/ticket-rows.ts'
import { about } from '@oms/contract/core/fields.ts'
import { Alert, Button } from 'antd'
import { useDict } from '#kit/pickers/use-dict.ts'

/** Filters that a chart sets and that have no field in the search form. */
const HIDDEN = [
  'open',
  'handlerId',
  'lastHandlerId',
  'verCode',
  'breached',
  'hardware',
  'software',
  'structure',
  'weekday',
  'hour',
  'minAge',
  'maxAge',
  'reopened',
  'responded',
  'merged',
  'rated',
  'closeBegin',
  'closeEnd',
] as const
const WEEKDAYS = ['', '一', '二', '三', '四', '五', '六', '日']

/** Shows the active filters that came from a chart of the statistics and offers to clear them. */
export function ActiveFilterNote({ initial, onClear }: { initial: object; onClear(): void }) {
  const dicts = {
    hardware: useDict(PROBLEM_DICT.hardware),
    software: useDict(PROBLEM_DICT.software),
    structure: useDict(PROBLEM_DICT.structure),
  }
  const values = initial as Record<string, unknown>
  const set = HIDDEN.filter((key) => values[key] !== undefined)
  if (set.length === 0) return null
  const words = set.map((key) => {
    const { title, labels } = about(FeedbackFilter, key)
    const value = String(values[key])
    const part = PROBLEM_PARTS.find((each) => each === key)
    const shown = part
      ? dicts[part].labelOf(value)
      : key === 'weekday'
        ? `周${WEEKDAYS[Number(value)]}`
        : (labels?.[Number(value)] ?? value)
    return `${title}：${shown}`
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
