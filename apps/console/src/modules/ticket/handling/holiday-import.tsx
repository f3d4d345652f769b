import {
  applyHolidayNotice,
  compareHolidays,
  findHeadingYear,
  type HolidayNotice,
  readHolidayNotice,
  type UnreadSentence,
} from '@oms/contract/ticket/holiday-notice.ts'
import type { HolidayYear } from '@oms/contract/ticket/holidays.ts'
import { Alert, Button, Input, InputNumber, Modal, Space } from 'antd'
import { type ReactNode, useState } from 'react'
import { formatDays, formatHolidays } from './holiday-text.ts'

interface Props {
  readonly calendar: HolidayYear
  /** Year that is selected when the notice has no heading. */
  readonly first: number
  onClose(): void
  onTake(calendar: HolidayYear): void
}

/** Keeps the pasted text and the year of a notice, and reads the notice. */
function useNotice(calendar: HolidayYear, first: number) {
  const [year, setYear] = useState(first)
  const [text, setText] = useState('')
  const notice = readHolidayNotice(text, year)
  const next = applyHolidayNotice(calendar, notice, year)
  const change = compareHolidays(calendar, next)
  const isRefused = isEmpty(notice) || isOtherYear(notice, year) || notice.conflicts.length > 0
  const paste = (pasted: string) => {
    setText(pasted)
    const headingYear = findHeadingYear(pasted)
    if (headingYear !== undefined && headingYear !== notice.headingYear) setYear(headingYear)
  }
  return { year, setYear, text, paste, notice, next, change, isRefused }
}

/** Reads a pasted holiday notice and shows what would change. The calendar changes when the person confirms. */
export function HolidayImport({ calendar, first, onClose, onTake }: Props) {
  const { year, setYear, text, paste, notice, next, change, isRefused } = useNotice(calendar, first)
  const take = () => {
    onTake(next)
    onClose()
  }
  return (
    <Modal
      title="导入放假通知"
      open
      width={720}
      okText={notice.unread.length > 0 ? '只载入已识别的日期' : '载入日历'}
      cancelText="取消"
      okButtonProps={{ disabled: isRefused || isUnchanged(change) }}
      onOk={take}
      onCancel={onClose}
    >
      <p className="ticket-muted">
        粘贴国务院办公厅放假通知的正文，或逐行填写，例如「2027-01-01 至 2027-01-03 放假」「2027-01-04
        上班」。载入后替换该年已有的安排，保存后生效。
      </p>
      <YearInput year={year} onYear={(chosen) => setYear(chosen ?? first)} />
      <Input.TextArea
        aria-label="通知正文"
        rows={8}
        maxLength={8000}
        value={text}
        onChange={({ target }) => paste(target.value)}
        placeholder="一、元旦：1月1日至3日放假调休，共3天。1月4日上班。"
      />
      <p role="status">{text.trim() === '' ? '' : describeFound(notice)}</p>
      <div className="ticket-holiday-preview">
        {isOtherYear(notice, year) && <OtherYear year={year} heading={notice.headingYear!} onYear={setYear} />}
        <Problems notice={notice} year={year} />
        <ReadSentences notice={notice} year={year} />
        {!isRefused && <Change change={change} year={year} />}
      </div>
    </Modal>
  )
}

const isEmpty = ({ holidays, workdays }: HolidayYear) => holidays.length + workdays.length === 0
const isOtherYear = ({ headingYear }: HolidayNotice, year: number) => headingYear !== undefined && headingYear !== year
const isUnchanged = ({ added, removed }: ReturnType<typeof compareHolidays>) => isEmpty(added) && isEmpty(removed)

const describeFound = (notice: HolidayNotice) =>
  isEmpty(notice)
    ? '没有识别到日期，请检查内容'
    : `识别到放假 ${notice.holidays.length} 天，调休上班 ${notice.workdays.length} 天`

function OtherYear({ year, heading, onYear }: { year: number; heading: number; onYear(year: number): void }) {
  return (
    <Alert
      type="error"
      showIcon
      title={`通知标题是 ${heading} 年，选择的年份是 ${year} 年，不能载入`}
      action={
        <Button size="small" onClick={() => onYear(heading)}>
          改为 {heading} 年
        </Button>
      }
    />
  )
}

function Problems({ notice, year }: { notice: HolidayNotice; year: number }) {
  const { conflicts, unread, doubts, outside } = notice
  return (
    <>
      {conflicts.length > 0 && (
        <Alert
          type="error"
          showIcon
          title={`${formatDays(conflicts, year)} 既写为放假又写为上班，不能载入`}
          description="请在上面的正文中改正这些日期。"
        />
      )}
      <Quoted
        sentences={unread}
        title={`有 ${unread.length} 句没有识别，不会载入`}
        hint="写的是放假或上班日期时，请在上面的正文中改写；与放假安排无关时，可以忽略。"
      />
      <Quoted sentences={doubts} title="通知与识别的日期不一致，请核对" />
      {outside.length > 0 && (
        <Alert
          type="info"
          showIcon
          title={`${formatDays(outside, year)} 不在 ${year} 年`}
          description="这些日期添加到所在年份，该年其他日期不变。"
        />
      )}
    </>
  )
}

/** Sentences that a person has to look at, each with what is wrong. */
function Quoted({ sentences, title, hint }: { sentences: readonly UnreadSentence[]; title: string; hint?: ReactNode }) {
  if (sentences.length === 0) return null
  return (
    <Alert
      type="warning"
      showIcon
      title={title}
      description={
        <>
          {hint}
          <ul>
            {sentences.map(({ text, reason }) => (
              <li key={`${text}${reason}`}>
                「{text}」：{reason}
              </li>
            ))}
          </ul>
        </>
      }
    />
  )
}

function ReadSentences({ notice: { read }, year }: { notice: HolidayNotice; year: number }) {
  if (read.length === 0) return null
  return (
    <section aria-label="识别结果">
      <b>识别结果</b>
      <ul>
        {read.map((sentence, at) => (
          <li key={`${at}${sentence.text}`}>
            <span className="ticket-muted">「{sentence.text}」</span>
            <br />
            {formatHolidays(sentence, year)}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Change({ change, year }: { change: ReturnType<typeof compareHolidays>; year: number }) {
  if (isUnchanged(change)) return <Alert type="info" showIcon title="日历中已经是这样的安排，没有可载入的变化" />
  return (
    <section aria-label="日历变化">
      <b>载入后日历的变化</b>
      <ul>
        {!isEmpty(change.added) && <li>增加：{formatHolidays(change.added, year)}</li>}
        {!isEmpty(change.removed) && <li>移除：{formatHolidays(change.removed, year)}</li>}
      </ul>
    </section>
  )
}

function YearInput({ year, onYear }: { year: number; onYear(year: number | null): void }) {
  return (
    <Space className="ticket-calendar-year">
      <span id="holiday-year">通知年份</span>
      <InputNumber aria-labelledby="holiday-year" min={2000} max={2199} precision={0} value={year} onChange={onYear} />
    </Space>
  )
}
