import dayjs from 'dayjs'
import { Calendar } from './calendar.ts'
import type { DateRangeProps } from './filter-date.tsx'
import { useTakeOver } from './use-stand-in.ts'

const DAY = 'YYYY-MM-DD'
const daysAgo = (days: number) => dayjs().subtract(days, 'day')
const PRESETS = [
  { label: '今天', value: () => [dayjs(), dayjs()] as [dayjs.Dayjs, dayjs.Dayjs] },
  { label: '近 7 天', value: () => [daysAgo(6), dayjs()] as [dayjs.Dayjs, dayjs.Dayjs] },
  { label: '近 30 天', value: () => [daysAgo(29), dayjs()] as [dayjs.Dayjs, dayjs.Dayjs] },
]

/** The calendar of a range filter; texts in, texts out. */
export function DateRange({ id, from, to, due, onChange }: DateRangeProps) {
  return (
    <Calendar.RangePicker
      id={{ start: id, end: `${id}-end` }}
      value={[moment(from), moment(to)]}
      onChange={(range) => onChange(range?.[0]?.format(DAY), range?.[1]?.format(DAY))}
      presets={PRESETS}
      classNames={{ popup: { root: 'kit-range' } }}
      allowEmpty={[true, true]}
      {...useTakeOver(due)}
      style={{ width: '100%' }}
    />
  )
}

const moment = (text: string | undefined) => {
  const parsed = dayjs(text ?? '')
  return parsed.isValid() ? parsed : null
}
