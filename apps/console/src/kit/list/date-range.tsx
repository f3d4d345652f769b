import dayjs from 'dayjs'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { Calendar } from '#kit/antd/calendar.ts'
import type { DateRangeProps } from './filter-date.tsx'
import { usePlaceholderState } from '#kit/form/use-placeholder.ts'
import './date-range.css'

const DAY = 'YYYY-MM-DD'
const since = (days: number) => () =>
  [dayjs(formatDayBeforeToday(days)), dayjs(formatDayBeforeToday())] as [dayjs.Dayjs, dayjs.Dayjs]
const PRESETS = [
  { label: '今天', value: since(0) },
  { label: '近 7 天', value: since(6) },
  { label: '近 30 天', value: since(29) },
]

/** Calendar of a range filter with text values. */
export function DateRange({ id, from, to, due, onChange }: DateRangeProps) {
  return (
    <Calendar.RangePicker
      id={{ start: id, end: `${id}-end` }}
      value={[moment(from), moment(to)]}
      onChange={(range) => onChange(range?.[0]?.format(DAY), range?.[1]?.format(DAY))}
      presets={PRESETS}
      classNames={{ popup: { root: 'kit-range' } }}
      allowEmpty={[true, true]}
      {...usePlaceholderState(due)}
      // Without the icon, both dates fit into one cell of the filters.
      suffixIcon={null}
      style={{ width: '100%' }}
    />
  )
}

const moment = (text: string | undefined) => {
  const parsed = dayjs(text ?? '')
  return parsed.isValid() ? parsed : null
}
