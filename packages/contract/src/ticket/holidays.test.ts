import { describe, expect, test } from 'vitest'
import { listDaysBetween, findMissingYear, OFFICIAL_HOLIDAYS, parseHolidays } from './holidays.ts'

/** Published on 4 November 2025. */
const NOTICE_2026 = `国务院办公厅关于2026年部分节假日安排的通知
一、元旦：1月1日（周四）至3日（周六）放假调休，共3天。1月4日（周日）上班。
二、春节：2月15日（农历腊月二十八、周日）至23日（农历正月初七、周一）放假调休，共9天。2月14日（周六）、2月28日（周六）上班。
三、清明节：4月4日（周六）至6日（周一）放假，共3天。
四、劳动节：5月1日（周五）至5日（周二）放假调休，共5天。5月9日（周六）上班。
五、端午节：6月19日（周五）至21日（周日）放假，共3天。
六、中秋节：9月25日（周五）至27日（周日）放假，共3天。
七、国庆节：10月1日（周四）至7日（周三）放假调休，共7天。9月20日（周日）、10月10日（周六）上班。`

test('parsing the published notice of 2026 gives the shipped holidays', () => {
  expect(parseHolidays(NOTICE_2026, 2026)).toEqual(OFFICIAL_HOLIDAYS[2026])
})

test('2026 has 33 days off, and every replacement workday is at a weekend', () => {
  const { holidays = [], workdays = [] } = OFFICIAL_HOLIDAYS[2026] ?? {}
  expect(holidays).toHaveLength(33)
  expect(workdays.map((day) => new Date(`${day}T00:00:00Z`).getUTCDay() % 6)).toEqual([0, 0, 0, 0, 0, 0])
  expect(holidays.filter((day) => workdays.includes(day))).toEqual([])
})

describe('other texts', () => {
  test.each([
    ['2027-01-01 至 2027-01-03 放假', ['2027-01-01', '2027-01-02', '2027-01-03'], []],
    ['2027/2/6～2027/2/8；2027/2/14 上班', ['2027-02-06', '2027-02-07', '2027-02-08'], ['2027-02-14']],
    ['2026年12月31日至2027年1月2日放假', ['2026-12-31', '2027-01-01', '2027-01-02'], []],
    ['4月30日-5月1日', ['2027-04-30', '2027-05-01'], []],
    ['2月29日放假', [], []],
    ['13月1日、2027-04-31', [], []],
    ['5月5日至1日', [], []],
    ['1月1日至12月31日', [], []],
    ['没有日期的一句话', [], []],
    ['', [], []],
  ])('%s', (text, holidays, workdays) => {
    expect(parseHolidays(text, 2027)).toEqual({ holidays, workdays })
  })
})

test('accepts 29 February only in a leap year', () => {
  expect(listDaysBetween('2028-02-28', '2028-03-01')).toEqual(['2028-02-28', '2028-02-29', '2028-03-01'])
})

test.each([
  [['2026-01-01'], '2026-10-31', undefined],
  [['2026-01-01'], '2026-11-01', 2027],
  [['2026-01-01', '2027-01-01'], '2026-12-31', undefined],
  [['2026-01-01'], '2027-01-01', 2027],
  [[], '2026-03-01', 2026],
])('with %j on %s the year without holidays is %s', (holidays, today, year) => {
  expect(findMissingYear({ holidays }, today)).toBe(year)
})
