import { describe, expect, test } from 'vitest'
import { applyHolidayNotice, compareHolidays, findHeadingYear, readHolidayNotice } from './holiday-notice.ts'
import { listDaysBetween, OFFICIAL_HOLIDAYS } from './holidays.ts'

/** Published on 4 November 2025. */
const NOTICE_2026 = `国务院办公厅关于2026年部分节假日安排的通知
国办发明电〔2025〕7号
各省、自治区、直辖市人民政府，国务院各部委、各直属机构：
经国务院批准，现将2026年元旦、春节、清明节、劳动节、端午节、中秋节和国庆节放假调休日期的具体安排通知如下。
一、元旦：1月1日（周四）至3日（周六）放假调休，共3天。1月4日（周日）上班。
二、春节：2月15日（农历腊月二十八、周日）至23日（农历正月初七、周一）放假调休，共9天。2月14日（周六）、2月28日（周六）上班。
三、清明节：4月4日（周六）至6日（周一）放假，共3天。
四、劳动节：5月1日（周五）至5日（周二）放假调休，共5天。5月9日（周六）上班。
五、端午节：6月19日（周五）至21日（周日）放假，共3天。
六、中秋节：9月25日（周五）至27日（周日）放假，共3天。
七、国庆节：10月1日（周四）至7日（周三）放假调休，共7天。9月20日（周日）、10月10日（周六）上班。
节假日期间，各地区、各部门要妥善安排好值班和安全、保卫、疫情防控等工作，遇有重大突发事件，要按规定及时报告并妥善处置。
国务院办公厅
2025年11月4日
（此件公开发布）`
const NOTICE_2025 = `国务院办公厅关于2025年部分节假日安排的通知
一、元旦：1月1日（周三）放假1天，不调休。
二、春节：1月28日（农历除夕、周二）至2月4日（农历正月初七、周二）放假调休，共8天。1月26日（周日）、2月8日（周六）上班。
六、国庆节、中秋节：10月1日（周三）至8日（周三）放假调休，共8天。9月28日（周日）、10月11日（周六）上班。`
const read = (text: string, year = 2027) => {
  const { holidays, workdays } = readHolidayNotice(text, year)
  return { holidays, workdays }
}

test('the published notice of 2026 gives the shipped holidays', () => {
  const notice = readHolidayNotice(NOTICE_2026, 2026)
  expect({ holidays: notice.holidays, workdays: notice.workdays }).toEqual(OFFICIAL_HOLIDAYS[2026])
  expect([notice.unread, notice.doubts, notice.conflicts, notice.outside]).toEqual([[], [], [], []])
  expect(notice.read[2]).toEqual({
    text: '二、春节：2月15日（农历腊月二十八、周日）至23日（农历正月初七、周一）放假调休，共9天',
    holidays: listDaysBetween('2026-02-15', '2026-02-23'),
    workdays: [],
  })
})

test('the notice of 2025: a range over two months, a single day, two holidays in one sentence', () => {
  const notice = readHolidayNotice(NOTICE_2025, 2025)
  expect(notice).toMatchObject({
    headingYear: 2025,
    holidays: [
      '2025-01-01',
      ...listDaysBetween('2025-01-28', '2025-02-04'),
      ...listDaysBetween('2025-10-01', '2025-10-08'),
    ],
    workdays: ['2025-01-26', '2025-02-08', '2025-09-28', '2025-10-11'],
    unread: [],
    doubts: [],
  })
})

describe('dates of a sentence', () => {
  test.each([
    ['2027-01-01 至 2027-01-03 放假', ['2027-01-01', '2027-01-02', '2027-01-03'], []],
    ['2027-01-01 - 2027-01-02', ['2027-01-01', '2027-01-02'], []],
    ['2027/2/6～2027/2/8；2027/2/14 上班', ['2027-02-06', '2027-02-07', '2027-02-08'], ['2027-02-14']],
    ['2027-02-14 2027-02-20 上班', [], ['2027-02-14', '2027-02-20']],
    ['2026年12月31日至2027年1月2日放假', ['2026-12-31', '2027-01-01', '2027-01-02'], []],
    ['2026年12月31日至1月1日放假', ['2026-12-31', '2027-01-01'], []],
    ['4月30日-5月1日', ['2027-04-30', '2027-05-01'], []],
    ['１月１日（星期五）　至　２日放假', ['2027-01-01', '2027-01-02'], []],
    ['1 月 1 日 至 2 日 放假', ['2027-01-01', '2027-01-02'], []],
    ['1月1日、2日、3日放假', ['2027-01-01', '2027-01-02', '2027-01-03'], []],
    ['1月1-2号放假，1月4日上班', ['2027-01-01', '2027-01-02'], ['2027-01-04']],
    ['1月1日放假，与周末连休，共3天', ['2027-01-01'], []],
    ['元旦：1月1日', ['2027-01-01'], []],
    ['调休上班：1月4日、10月9日和9月26日', [], ['2027-01-04', '2027-09-26', '2027-10-09']],
    ['1月4日补班', [], ['2027-01-04']],
    ['没有日子的一句话', [], []],
    ['', [], []],
  ])('%s', (text, holidays, workdays) => {
    expect(read(text)).toEqual({ holidays, workdays })
    expect(readHolidayNotice(text, 2027)).toMatchObject({ unread: [], doubts: [] })
  })
})

describe('the date of the document is no problem', () => {
  const DAYS = '一、元旦：1月1日至3日放假'
  test.each([
    `${DAYS}\n国务院办公厅\n2026年11月4日`,
    `${DAYS}\n国务院办公厅 2026年11月4日`,
    `${DAYS}\n国务院办公厅\n２０２６年１１月４日\n（此件公开发布）`,
    `${DAYS}\n国务院办公厅\n二〇二六年十一月四日`,
    `${DAYS}\n国务院办公厅\n2027年1月4日`,
    `${DAYS}\n2026年11月4日`,
    `关于2027年部分节假日安排的通知\n${DAYS}\n\n2026年11月4日\n`,
  ])('%s', (text) => {
    const holidays = listDaysBetween('2027-01-01', '2027-01-03')
    expect(readHolidayNotice(text, 2027)).toMatchObject({ holidays, workdays: [], unread: [], doubts: [], outside: [] })
  })

  test.each([
    [`${DAYS}\n2026年12月31日`, '日期 2026-12-31 不在 2027 年，请核对年份'],
    [`2026年11月4日\n${DAYS}`, '日期 2026-11-04 不在 2027 年，请核对年份'],
    [`关于2027年部分节假日安排的通知\n${DAYS}\n2027年5月1日`, '像是发文日期，没有载入'],
  ])('a date that may be a day of the arrangement stays: %s', (text, reason) => {
    expect(readHolidayNotice(text, 2027).unread.map((each) => each.reason)).toEqual([reason])
  })
})

describe('a sentence that mentions days and is not understood is quoted with a reason', () => {
  test.each([
    ['2月29日放假', '日期 2027-02-29 不存在'],
    ['13月1日、2027-04-31', '日期 2027-13-01 不存在'],
    ['5月5日至1日放假', '2027-05-05 晚于 2027-05-01，起止日期颠倒'],
    ['1月1日至12月31日放假', '2027-01-01 至 2027-12-31 超过 31 天'],
    ['1月1日至下周一放假', '起止日期不完整'],
    ['延长春节假期至2月2日，2月3日起正常上班', '起止日期不完整'],
    ['清明节放假1天', '没有识别到日期，请写成「1月1日至3日放假」的样子'],
    ['一月一日放假', '没有识别到日期，请写成「1月1日至3日放假」的样子'],
    ['1.1-1.3放假', '没有识别到日期，请写成「1月1日至3日放假」的样子'],
    ['1月4日调休', '没有写明放假还是上班，请在日期后写「放假」或「上班」'],
    ['1月4日不放假', '没有写明放假还是上班，请在日期后写「放假」或「上班」'],
    ['1月1日至3日放假，1月4日', '没有写明放假还是上班，请在日期后写「放假」或「上班」'],
    ['1月1日、1/5放假', '有不能识别的数字，请只保留日期和「放假」或「上班」'],
    ['2025年1月1日放假', '日期 2025-01-01 不在 2027 年，请核对年份'],
    ['2026年11月4日', '日期 2026-11-04 不在 2027 年，请核对年份'],
  ])('%s', (text, reason) => {
    expect(readHolidayNotice(text, 2027)).toMatchObject({ holidays: [], workdays: [], unread: [{ text, reason }] })
  })
})

test('names contradictions: numbers of days, weekdays, days that are both, days of another year', () => {
  const notice = readHolidayNotice('元旦：2026年12月31日（周五）至2027年1月2日放假，共4天。1月2日上班', 2027)
  expect(notice.doubts.map(({ reason }) => reason)).toEqual([
    '写明放假 4 天，识别到 3 天',
    '写明 2026-12-31 是周五，实际是周四，请核对年份',
  ])
  expect(notice.conflicts).toEqual(['2027-01-02'])
  expect(notice.outside).toEqual(['2026-12-31'])
})

test.each([
  ['国务院办公厅关于２０２６年部分节假日安排的通知', 2026],
  ['关于2027年春节放假的通知', 2027],
  ['2027年1月1日放假', undefined],
])('the year in the heading %s is %s', (text, year) => {
  expect(findHeadingYear(text)).toBe(year)
})

describe('a notice in the calendar', () => {
  const calendar = { weekdays: [1], holidays: ['2026-10-01', '2027-05-01'], workdays: ['2026-12-31', '2027-02-14'] }
  const notice = { holidays: ['2026-12-31', '2027-01-01'], workdays: ['2027-01-04'] }
  const next = applyHolidayNotice(calendar, notice, 2027)

  test('replaces its year and adds its days in other years', () => {
    expect(next).toEqual({
      weekdays: [1],
      holidays: ['2026-10-01', '2026-12-31', '2027-01-01'],
      workdays: ['2027-01-04'],
    })
    expect(compareHolidays(calendar, next)).toEqual({
      added: { holidays: ['2026-12-31', '2027-01-01'], workdays: ['2027-01-04'] },
      removed: { holidays: ['2027-05-01'], workdays: ['2026-12-31', '2027-02-14'] },
    })
  })

  test('changes nothing the second time', () => {
    const none = { holidays: [], workdays: [] }
    const again = applyHolidayNotice(next, notice, 2027)
    expect(compareHolidays(next, again)).toEqual({ added: none, removed: none })
  })
})
