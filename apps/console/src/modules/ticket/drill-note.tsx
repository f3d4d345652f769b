import { FeedbackFilter } from '@oms/contract/feedback-input.ts'
import { PROBLEM_DICT, PROBLEM_PARTS } from '@oms/contract/feedback-rows.ts'
import { about } from '@oms/contract/kernel/fields.ts'
import { Alert, Button } from 'antd'
import { useDict } from '#kit/use-dict.ts'

/** Filters that a chart sets and the search area has no field for. */
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

/** Says what else narrows the list: it was opened from a figure of the statistics. */
export function DrillNote({ initial, onClear }: { initial: object; onClear(): void }) {
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
