import { CalendarOutlined, SnippetsOutlined } from '@ant-design/icons'
import { type HolidayYear, findMissingYear, OFFICIAL_HOLIDAYS, parseHolidays } from '@oms/contract/ticket/holidays.ts'
import { Alert, Button, Form, Input, InputNumber, Modal, Select, Space } from 'antd'
import { useState } from 'react'
import { formatDayBeforeToday } from '#core/text/format.ts'

interface Calendar {
  readonly holidays: readonly string[]
  readonly workdays: readonly string[]
}
interface Props {
  readonly value?: Calendar
  onChange?(value: Calendar): void
}

const sorted = (days: Iterable<string>) => [...new Set(days)].sort()
const inYear = (days: readonly string[], year: number) => days.filter((day) => day.startsWith(`${year}-`)).length

/** Replaces the days of one year in the calendar with the days of an imported holiday notice. */
function withYear(calendar: Calendar, { holidays, workdays }: HolidayYear): Calendar {
  const years = new Set([...holidays, ...workdays].map((day) => day.slice(0, 4)))
  const others = (days: readonly string[]) => days.filter((day) => !years.has(day.slice(0, 4)))
  return {
    ...calendar,
    holidays: sorted([...others(calendar.holidays), ...holidays]),
    workdays: sorted([...others(calendar.workdays), ...workdays]),
  }
}

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
              onClick={() => onChange?.(withYear(value, OFFICIAL_HOLIDAYS[Number(year)] as HolidayYear))}
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
        <PasteNotice
          first={missing ?? Number(today.slice(0, 4)) + 1}
          onClose={() => setPasting(false)}
          onTake={(year) => onChange?.(withYear(value, year))}
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

function Years({ calendar, years }: { calendar: Calendar; years: readonly string[] }) {
  return (
    <ul className="ticket-calendar-years">
      {years.map((year) => (
        <li key={year}>
          {year} 年：放假 {inYear(calendar.holidays, Number(year))} 天，调休上班{' '}
          {inYear(calendar.workdays, Number(year))} 天
        </li>
      ))}
    </ul>
  )
}

interface PasteProps {
  readonly first: number
  onClose(): void
  onTake(year: HolidayYear): void
}

function PasteNotice({ first, onClose, onTake }: PasteProps) {
  const [year, setYear] = useState(first)
  const [text, setText] = useState('')
  const found = parseHolidays(text, year)
  const take = () => {
    onTake(found)
    onClose()
  }
  return (
    <Modal
      title="导入放假通知"
      open
      okText="载入日历"
      cancelText="取消"
      okButtonProps={{ disabled: isEmpty(found) }}
      onOk={take}
      onCancel={onClose}
    >
      <p className="ticket-muted">
        粘贴国务院办公厅放假通知的正文，或逐行填写，例如「2027-01-01 至 2027-01-03 放假」「2027-01-04
        上班」。载入后替换该年已有的安排，保存后生效。
      </p>
      <YearInput year={year} onYear={(next) => setYear(next ?? first)} />
      <Input.TextArea
        aria-label="通知正文"
        rows={8}
        maxLength={8000}
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder="一、元旦：1月1日至3日放假调休，共3天。1月4日上班。"
      />
      <p role="status">{text.trim() === '' ? '' : foundText(found)}</p>
    </Modal>
  )
}

const isEmpty = ({ holidays, workdays }: HolidayYear) => holidays.length + workdays.length === 0

const foundText = (found: HolidayYear) =>
  isEmpty(found)
    ? '没有识别到日期，请检查内容'
    : `识别到放假 ${found.holidays.length} 天，调休上班 ${found.workdays.length} 天`

function YearInput({ year, onYear }: { year: number; onYear(year: number | null): void }) {
  return (
    <Space className="ticket-calendar-year">
      <span id="holiday-year">通知年份</span>
      <InputNumber aria-labelledby="holiday-year" min={2000} max={2199} precision={0} value={year} onChange={onYear} />
    </Space>
  )
}

/** Edits a list of days as text. Several days can be pasted at once. */
export const DayList = ({ name, label, hint }: { name: 'holidays' | 'workdays'; label: string; hint: string }) => (
  <Form.Item name={['calendar', name]} label={label} extra={hint}>
    <Select
      mode="tags"
      maxTagCount={24}
      tokenSeparators={[',', '，', ' ', '\n']}
      open={false}
      placeholder="输入日期后回车，可一次粘贴多个"
    />
  </Form.Item>
)
