import { CalendarOutlined, SnippetsOutlined } from '@ant-design/icons'
import { applyHolidayNotice } from '@oms/contract/ticket/holiday-notice.ts'
import { type HolidayYear, findMissingYear, OFFICIAL_HOLIDAYS } from '@oms/contract/ticket/holidays.ts'
import { Alert, Button, Form, Select, type SelectProps, Space } from 'antd'
import { useState } from 'react'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { HolidayImport } from './holiday-import.tsx'
import { groupDaysByMonth } from './holiday-text.ts'

interface Props {
  readonly value?: HolidayYear
  onChange?(value: HolidayYear): void
}

const sorted = (days: Iterable<string>) => [...new Set(days)].sort()
const inYear = (days: readonly string[], year: number) => days.filter((day) => day.startsWith(`${year}-`)).length

/**
 * Edits holidays and extra working days: shows the known years, adds the official days of a year, and imports a pasted
 * notice.
 */
export function SlaDays({ value, onChange }: Props) {
  const [pasting, setPasting] = useState(false)
  const [today] = useState(() => formatDayBeforeToday())
  if (!value) return null
  const years = sorted([...value.holidays, ...value.workdays].map((day) => day.slice(0, 4)))
  const missing = findMissingYear(value, today)
  const shipped = Object.keys(OFFICIAL_HOLIDAYS).filter((year) => !years.includes(year))
  return (
    <>
      {missing && <MissingYearAlert year={missing} />}
      <Form.Item label="放假安排">
        <Space wrap>
          {shipped.map((year) => (
            <Button
              key={year}
              icon={<CalendarOutlined />}
              onClick={() => onChange?.(applyHolidayNotice(value, OFFICIAL_HOLIDAYS[Number(year)]!, Number(year)))}
            >
              载入 {year} 年国务院安排
            </Button>
          ))}
          <Button icon={<SnippetsOutlined />} onClick={() => setPasting(true)}>
            导入放假通知
          </Button>
        </Space>
        <Years calendar={value} years={years} />
      </Form.Item>
      {pasting && (
        <HolidayImport
          calendar={value}
          first={missing ?? Number(today.slice(0, 4)) + 1}
          onClose={() => setPasting(false)}
          onTake={(next) => onChange?.(next)}
        />
      )}
    </>
  )
}

function MissingYearAlert({ year }: { year: number }) {
  return (
    <Alert
      className="ticket-calendar-hint"
      type="warning"
      showIcon
      title={`日历中还没有 ${year} 年的节假日`}
      description="国务院办公厅每年 11 月前后公布次年的放假安排。请导入通知，否则放假期间仍按工作日计时。"
    />
  )
}

/** All days of each year, grouped by month. */
function Years({ calendar, years }: { calendar: HolidayYear; years: readonly string[] }) {
  return (
    <ul className="ticket-calendar-years">
      {years.map((year) => (
        <li key={year}>
          <details>
            <summary>
              {year} 年：放假 {inYear(calendar.holidays, Number(year))} 天，调休上班{' '}
              {inYear(calendar.workdays, Number(year))} 天
            </summary>
            <ul>
              {groupDaysByMonth(calendar, year).map(({ month, text }) => (
                <li key={month}>{text}</li>
              ))}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  )
}

/** Edits a list of days as text. Several days can be pasted at once. */
export const DayList = ({ name, label, hint }: { name: 'holidays' | 'workdays'; label: string; hint: string }) => (
  <Form.Item name={['calendar', name]} label={label} extra={hint}>
    <DayTags />
  </Form.Item>
)

/** Number of days that are shown before the list is expanded. */
const FOLDED = 24

function DayTags(props: SelectProps<string[]>) {
  const [isExpanded, setExpanded] = useState(false)
  const count = props.value?.length ?? 0
  return (
    <>
      <Select
        {...props}
        mode="tags"
        maxTagCount={isExpanded ? undefined : FOLDED}
        maxTagPlaceholder={(hidden) => `还有 ${hidden.length} 天`}
        tokenSeparators={[',', '，', ' ', '\n']}
        open={false}
        placeholder="输入日期后回车，可一次粘贴多个"
      />
      {count > FOLDED && (
        <Button type="link" size="small" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
          {isExpanded ? '收起' : `显示全部 ${count} 天`}
        </Button>
      )}
    </>
  )
}
