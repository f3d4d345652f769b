// antd brings the words of its buttons; names of days and months, and the week's first day, are dayjs' own.
import 'dayjs/locale/zh-cn.js'
import { DatePicker } from 'antd'

/** antd's calendars, in the console's language. */
export const Calendar = DatePicker
