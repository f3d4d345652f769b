// antd's locale translates its buttons; names of days and months and the first day of the week come from dayjs.
import 'dayjs/locale/zh-cn.js'
import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import { formatWallClock } from '#core/text/format.ts'

// antd's calendars ask `tz()` for the present time where it exists: today and 此刻 are those of the configured zone.
dayjs.extend((_options, { prototype }) => {
  Object.assign(prototype, { tz: () => dayjs(formatWallClock()) })
})

/** antd's calendar locale in Chinese. */
export const Calendar = DatePicker
