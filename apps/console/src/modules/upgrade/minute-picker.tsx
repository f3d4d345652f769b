import { TimePicker } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'

/** A date without a daylight-saving change. */
const ANY_DAY = '2000-01-01'

/** Time picker whose value is in minutes after midnight. */
export function MinutePicker(props: {
  value?: number | null
  onChange?(minute: number | null): void
  id?: string
  placeholder?: string
}) {
  const { value, onChange, ...rest } = props
  const at = value === undefined || value === null ? null : dayjs(ANY_DAY).add(value, 'minute')
  return (
    <TimePicker
      {...rest}
      style={{ width: '100%' }}
      format="HH:mm"
      needConfirm={false}
      value={at}
      onChange={(next: Dayjs | null) => onChange?.(next ? next.hour() * 60 + next.minute() : null)}
    />
  )
}
