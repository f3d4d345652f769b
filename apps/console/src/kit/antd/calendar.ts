// antd's locale translates its buttons; names of days and months and the first day of the week come from dayjs.
import 'dayjs/locale/zh-cn.js'
import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import { formatWallClock } from '#core/text/format.ts'

// antd's calendars call `tz()` for the present time, if it exists. Today and 此刻 then use the configured zone.
dayjs.extend((_options, { prototype }) => {
  Object.assign(prototype, { tz: () => dayjs(formatWallClock()) })
})

/** antd's date picker with Chinese names of days and months, and with today in the configured zone. */
export const Calendar = DatePicker
