import { Form } from 'antd'
import dayjs from 'dayjs'
import { useId } from 'react'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { Calendar } from '#kit/antd/calendar.ts'
import '#kit/kit.css'

const DAY = 'YYYY-MM-DD'
const since = (days: number) => () =>
  [dayjs(formatDayBeforeToday(days)), dayjs(formatDayBeforeToday())] as [dayjs.Dayjs, dayjs.Dayjs]
const PRESETS = [
  { label: '今天', value: since(0) },
  { label: '近 7 天', value: since(6) },
  { label: '近 30 天', value: since(29) },
]

/** Date range filter with both ends inclusive, sent as `beginTime` and `endTime`. */
export function DateRangeFilter({
  label,
  begin = 'beginTime',
  end = 'endTime',
}: {
  label: string
  begin?: string
  end?: string
}) {
  const form = Form.useFormInstance()
  const id = useId()
  const from = Form.useWatch(begin, { form, preserve: true }) as string | undefined
  const to = Form.useWatch(end, { form, preserve: true }) as string | undefined
  return (
    <Form.Item label={label} htmlFor={id}>
      <Calendar.RangePicker
        id={{ start: id, end: `${id}-end` }}
        value={[moment(from), moment(to)]}
        onChange={(range) => form.setFieldsValue({ [begin]: range?.[0]?.format(DAY), [end]: range?.[1]?.format(DAY) })}
        presets={PRESETS}
        classNames={{ popup: { root: 'kit-range' } }}
        allowEmpty={[true, true]}
        style={{ width: '100%' }}
      />
    </Form.Item>
  )
}

const moment = (text: string | undefined) => {
  const parsed = dayjs(text ?? '')
  return parsed.isValid() ? parsed : null
}
