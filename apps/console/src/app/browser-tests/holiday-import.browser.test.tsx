import type { HolidayYear } from '@oms/contract/ticket/holidays.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { HolidayImport } from '#modules/ticket/handling/holiday-import.tsx'
import { openTab } from './browser-harness.tsx'

const CALENDAR = { holidays: ['2026-10-01', '2027-05-01'], workdays: [] }
const NOTICE = `关于2027年部分节假日安排的通知
一、元旦：1月1日至3日放假调休，共3天。1月4日上班。
清明节放假1天。`

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

function openImport(calendar: HolidayYear) {
  const onTake = vi.fn<(next: HolidayYear) => void>()
  tab = openTab(<HolidayImport calendar={calendar} first={2031} onClose={() => {}} onTake={onTake} />)
  return onTake
}
test.each([
  [1280, 720],
  [390, 844],
])('the hint keeps its distance from the year: %i × %i', async (width, height) => {
  await page.viewport(width, height)
  openImport(CALENDAR)
  await expect.element(page.getByLabelText('通知年份')).toBeVisible()
  const [hint, year] = [document.querySelector('.ticket-muted'), document.querySelector('.ticket-calendar-year')]
  expect(year!.getBoundingClientRect().top - hint!.getBoundingClientRect().bottom).toBeGreaterThanOrEqual(12)
  await page.viewport(1440, 900)
})

const text = () => page.getByLabelText('通知正文')
const take = () => page.getByRole('button', { name: /载入/ })

test('a pasted notice is previewed: year, days of each sentence, unread sentences and changes', async () => {
  const onTake = openImport(CALENDAR)
  await text().fill(NOTICE)
  await expect.element(page.getByLabelText('通知年份')).toHaveValue('2027')
  const read = page.getByRole('region', { name: '识别结果' })
  await expect
    .element(read)
    .toHaveTextContent(
      '识别结果「一、元旦：1月1日至3日放假调休，共3天」放假 1月1日至3日（3 天）「1月4日上班」上班 1月4日（1 天）',
    )
  await expect.element(page.getByText('有 1 句没有识别，不会载入')).toBeVisible()
  await expect.element(page.getByText(/「清明节放假1天」：没有识别到日期/)).toBeVisible()
  const change = page.getByRole('region', { name: '日历变化' })
  await expect
    .element(change)
    .toHaveTextContent('载入后日历的变化增加：放假 1月1日至3日（3 天），上班 1月4日（1 天）移除：放假 5月1日（1 天）')
  expect(onTake).not.toHaveBeenCalled()
  await page.getByRole('button', { name: '只载入已识别的日期' }).click()
  expect(onTake).toHaveBeenCalledWith({
    holidays: ['2026-10-01', '2027-01-01', '2027-01-02', '2027-01-03'],
    workdays: ['2027-01-04'],
  })
})

test.each([
  ['另一年', '关于2026年部分节假日安排的通知\n1月1日放假', '通知标题是 2026 年，选择的年份是 2027 年，不能载入', 2027],
  ['放假又上班', '5月1日至3日放假。5月3日上班', '5月3日 既写为放假又写为上班，不能载入', 2027],
  ['没有变化', '5月1日放假', '日历中已经是这样的安排，没有可载入的变化', 2027],
])('a notice cannot be taken over: %s', async (_, notice, message, year) => {
  openImport({ holidays: ['2027-05-01'], workdays: [] })
  await text().fill(notice)
  await page.getByLabelText('通知年份').fill(String(year))
  await expect.element(page.getByText(message)).toBeVisible()
  await expect.element(take()).toBeDisabled()
})
