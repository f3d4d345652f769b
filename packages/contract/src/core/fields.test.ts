import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  about,
  asDecimal,
  choice,
  dateTime,
  day,
  id,
  identifier,
  ids,
  money,
  month,
  note,
  noteLine,
  optional,
  optionalRev,
  reference,
  rev,
  search,
  text,
  textLine,
  whole,
} from './fields.ts'
import { formatCurrency, formatFenAsYuan } from './money.ts'
import { edge, pageQuery, sortedPage } from './page.ts'

const said = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message

describe('text fields', () => {
  const name = text('版本名称', 5)
  test.each([
    [undefined, '请输入版本名称'],
    [null, '请输入版本名称'],
    ['  ', '请输入版本名称'],
    ['123456', '版本名称不能超过5个字符'],
    ['a\u0000b', '版本名称含有不支持的字符'],
    ['\ud800', '版本名称含有不支持的字符'],
    [{ toString: 1 }, '请输入版本名称'],
  ])('the value %j gives the message %s', (value, message) => expect(said(name, value)).toBe(message))
  test.each(['\u200B', '\u2060\u200B', '\u3164', '\u0301', '\u202E', '\u2800', ' \u00A0 '])(
    'a text that has only invisible characters counts as missing: %j',
    (value) => expect(said(name, value)).toBe('请输入版本名称'),
  )
  test.each(['e\u0301', '👨\u200D👩', '管\u200B理'])('a visible text may contain invisible characters: %j', (value) =>
    expect(name.parse(value)).toBe(value),
  )
  test('a text is trimmed, and its metadata has the title and the maximum length', () => {
    expect(name.parse(' 春季 ')).toBe('春季')
    expect(about(z.object({ name }), 'name')).toMatchObject({ title: '版本名称', max: 5 })
  })
  test('a search text is normalised like stored text: no invisible characters, single blanks', () => {
    expect(search('序列号').parse('\u200BSN\u200B1\u00A0 A\uFEFF')).toBe('SN1 A')
    expect(search('序列号').parse('\u200B')).toBe('')
    expect(said(search('序列号'), 'a\u0000')).toBe('序列号含有不支持的字符')
  })

  test('a missing note becomes an empty text, and a missing search text stays undefined', () => {
    expect(note('备注', 5).parse(undefined)).toBe('')
    expect(search('账号').parse(undefined)).toBeUndefined()
  })
})

describe('a text of one line', () => {
  const name = textLine('名称', 10)
  test.each([
    ['zero-width space', '管\u200B理员'],
    ['zero-width non-joiner', '管\u200C理员'],
    ['zero-width joiner', '管\u200D理员'],
    ['byte order mark', '\uFEFF管理员'],
    ['right-to-left override', '管理员\u202E'],
    ['left-to-right mark', '管理员\u200E'],
    ['isolate', '\u2068管理员\u2069'],
    ['soft hyphen', '管\u00AD理员'],
    ['variation selector', '管\uFE0F理员'],
    ['ideographic variation selector', '管\u{E0100}理员'],
    ['tag character', '管理员\u{E0041}'],
    ['Hangul filler', '管\u3164理员'],
    ['word joiner', '管\u2060理员'],
    ['blanks at the ends', '\u3000管理员\u00A0'],
  ])('equals the text without %s', (_, value) => expect(name.parse(value)).toBe('管理员'))
  test.each(['华东  区', '华东\u00A0区', '华东\u3000区', '华东\t区', '华东\n区', '华东\u2800区', '华东\u2009\u200B区'])(
    'has single blanks: %j',
    (value) => expect(name.parse(value)).toBe('华东 区'),
  )
  test('has composed accents', () => expect(name.parse('Cafe\u0301')).toBe('Caf\u00E9'))
  test('keeps the joiners of emoji', () => {
    expect(name.parse('👨\u200D👩\u200D👧')).toBe('👨\u200D👩\u200D👧')
    expect(name.parse('👩🏽\u200D🚀')).toBe('👩🏽\u200D🚀')
    expect(name.parse('❤\uFE0F\u200D🔥')).toBe('❤\u200D🔥')
  })
  test.each([
    [undefined, '请输入名称'],
    ['\u200B\u2060', '请输入名称'],
    ['\u200D', '请输入名称'],
    ['\u0301', '请输入名称'],
    ['a\u0000b', '名称含有不支持的字符'],
    ['a\u0085b', '名称含有不支持的字符'],
    ['12345678901', '名称不能超过10个字符'],
  ])('%j → %s', (value, message) => expect(said(name, value)).toBe(message))
  test('counts the length without invisible characters', () =>
    expect(name.parse(`123456789${'\u200B'.repeat(50)}0`)).toBe('1234567890'))
  test('a field exposes its title and maximum length', () =>
    expect(about(z.object({ name }), 'name')).toMatchObject({ title: '名称', max: 10 }))
})

describe('identifier', () => {
  const orderNo = identifier('订单号', 8)
  test.each([
    [undefined, '请输入订单号'],
    ['', '请输入订单号'],
    ['123456789', '订单号不能超过8个字符'],
    ['S1\n', '订单号含有不支持的字符'],
    ['S1\r', '订单号含有不支持的字符'],
    ['S\t1', '订单号含有不支持的字符'],
    [' S1', '订单号含有不支持的字符'],
    ['S1\u0085', '订单号含有不支持的字符'],
    ['S\u20281', '订单号含有不支持的字符'],
    ['S\u00001', '订单号含有不支持的字符'],
    ['S\u009f1', '订单号含有不支持的字符'],
    ['\ud800', '订单号含有不支持的字符'],
  ])('%j → %s', (value, message) => expect(said(orderNo, value)).toBe(message))
  test('an identifier with invisible characters is refused', () => {
    for (const hidden of ['\u200B', '\u200D', '\u202E', '\u00AD', '\uFE0F', '\uFEFF'])
      expect(said(orderNo, `S${hidden}1`)).toBe('订单号含有看不见的字符，请重新输入')
  })
  test('an identifier keeps its inner blanks', () => expect(orderNo.parse('单 1-a')).toBe('单 1-a'))
})

test('the number of a voucher is stored without invisible characters and with single blanks, and may be empty', () => {
  const voucher = noteLine('凭证号', 8)
  expect([voucher.parse(undefined), voucher.parse(' A\u200B1  2\uFEFF '), voucher.parse('\u200B')]).toEqual([
    '',
    'A1 2',
    '',
  ])
  expect(said(voucher, '123456789')).toBe('凭证号不能超过8个字符')
  expect(said(voucher, 'A\u00001')).toBeDefined()
})

describe('number fields', () => {
  test('an id is accepted as a number or a text and must fit into an integer column', () => {
    expect([id.parse('7'), id.parse(7)]).toEqual([7, 7])
    for (const wrong of ['0', '-1', '1.5', 'x', '', null, true, 2 ** 31, '9007199254740993', [], [7], {}])
      expect(said(id, wrong)).toBeDefined()
  })
  test('a reference is a required id with its own title', () => {
    const model = reference('型号')
    expect([model.parse('7'), about(z.object({ model }), 'model').title]).toEqual([7, '型号'])
    for (const wrong of [undefined, null, '', 'x', ' 7', '7 ', '7\n', 0]) expect(said(model, wrong)).toBe('请选择型号')
  })
  test('a revision is a number or digits, and any other value counts as a missing revision', () => {
    expect([rev.parse('0'), rev.parse(0), rev.parse('12')]).toEqual([0, 0, 12])
    const wrong = [undefined, null, '', ' ', true, false, [], [0], {}, 'x', ' 12 ', '0x1', '1e1', -1, 0.5, 2 ** 31]
    for (const value of wrong) expect(said(rev, value), JSON.stringify(value)).toBe('缺少版本信息，请刷新后重试')
    expect(optionalRev.parse(undefined)).toBeUndefined()
    for (const value of [null, '', true]) expect(said(optionalRev, value)).toBe('缺少版本信息，请刷新后重试')
  })
  test('a number with decimals is a number or its text', () => {
    const factor = asDecimal(z.number('请输入系数'))
    expect([factor.parse('1.25'), factor.parse(0.5), factor.parse('-3')]).toEqual([1.25, 0.5, -3])
    for (const wrong of [null, '', true, [], [1.5], '1e3', '.5', '1,5', ' 1.5', '1.5\n'])
      expect(said(factor, wrong)).toBe('请输入系数')
  })
  test('a list of ids accepts one id or several ids, up to the limit', () => {
    expect(ids().parse('3')).toEqual([3])
    expect(ids().parse(['3', 4])).toEqual([3, 4])
    expect(said(ids(2), [1, 2, 3])).toBe('一次最多选择2条数据')
    expect(said(ids(), [])).toBe('请选择数据')
  })
  test('whole numbers and choices are parsed from the texts of a form', () => {
    expect(whole('排序', 0, 9).parse('7')).toBe(7)
    expect(said(whole('排序', 0, 9), '10')).toBe('排序不能大于9')
    for (const missing of [undefined, null, '']) expect(said(whole('排序', 0, 9), missing)).toBe('请输入排序')
    for (const wrong of ['abc', '1.5', 1.5, true, []]) expect(said(whole('排序', 0, 9), wrong)).toBe('排序应为整数')
    const status = choice('状态', { 0: '停用', 1: '启用' })
    expect([status.parse('0'), status.parse(1)]).toEqual([0, 1])
    for (const wrong of ['2', true, '', null, '01x']) expect(said(status, wrong)).toBe('请选择状态')
  })
})

describe('money fields', () => {
  const price = money('单价', { max: 1_000_000 })
  test('an amount of money is a whole number of fen, as a number or a text', () => {
    expect([price.parse('1234'), price.parse(0)]).toEqual([1234, 0])
    expect(about(z.object({ price }), 'price')).toMatchObject({ title: '单价', unit: 'fen' })
    expect(about(z.object({ price: optional(price) }), 'price').unit).toBe('fen')
  })
  test.each([
    [undefined, '请输入单价'],
    ['', '请输入单价'],
    ['12.34', '单价格式不正确'],
    [0.5, '单价最多两位小数'],
    [Number.NaN, '请输入单价'],
    [-1, '单价不能小于0.00元'],
    [1_000_001, '单价不能大于10000.00元'],
  ])('the value %j gives the message %s', (value, message) => expect(said(price, value)).toBe(message))
  test('an amount in fen is shown in yuan with exactly two decimals', () => {
    for (const fen of [0, 1, 10, 99, 100, 115, 1_005, 2_147_483_647])
      expect(formatFenAsYuan(fen)).toBe(`${Math.floor(fen / 100)}.${String(fen % 100).padStart(2, '0')}`)
  })
})

describe('currency texts, dates and times', () => {
  test.each([
    [123_456, '¥1,234.56'],
    [-2376, '-¥23.76'],
    [-123_456_789, '-¥1,234,567.89'],
    [0, '¥0.00'],
    [-0.4, '¥0.00'],
  ])('%s fen are shown as %s, with the minus sign before the currency', (fen, shown) => {
    expect(formatCurrency(fen)).toBe(shown)
  })

  test('dates and times that do not exist are refused', () => {
    expect(said(dateTime('发布日期'), '2028-02-29 23:59:59')).toBeUndefined()
    for (const wrong of ['2028-01-01T00:00:00', '2028-01-01', '2028-1-1 00:00:00'])
      expect(said(dateTime('发布日期'), wrong)).toBe('发布日期格式应为 yyyy-MM-dd HH:mm:ss')
    for (const wrong of ['2027-02-29 00:00:00', '2028-13-01 00:00:00'])
      expect(said(dateTime('发布日期'), wrong)).toBe('日期不存在')
    expect(said(dateTime('发布日期'), '2028-01-01 24:00:00')).toBe('时间不存在')
    expect(said(dateTime('发布日期'), undefined)).toBe('请选择发布日期')
    expect(said(day('生日'), '2027-02-29')).toBe('日期不存在')
    expect(said(day('生日'), '2027/02/28')).toBe('生日格式应为 yyyy-MM-dd')
    expect(said(month('月份'), '2027-13')).toBe('月份不存在')
    expect(said(month('月份'), '2027-3')).toBe('月份格式应为 yyyy-MM')
  })
  test('every kind of date refuses years before 1900, also the year 0000, which PostgreSQL does not have', () => {
    for (const year of ['0000', '0001', '1899']) {
      expect(said(month('月份'), `${year}-01`)).toBe('月份不能早于1900年')
      expect(said(day('生日'), `${year}-01-01`)).toBe('生日不能早于1900年')
      expect(said(dateTime('时间'), `${year}-01-01 00:00:00`)).toBe('时间不能早于1900年')
      for (const time of ['', ' 00:00:00']) expect(said(edge('时间'), `${year}-01-01${time}`)).toBe('时间格式不正确')
    }
    expect(said(month('月份'), '1900-12')).toBeUndefined()
    for (const wrong of ['2026-00', '2026-13', '2026-1', '2026-01-01']) expect(said(month('月份'), wrong)).toBeDefined()
  })
  test('an optional date that is empty counts as not sent', () => {
    expect(optional(day('生日')).parse('')).toBeUndefined()
    expect(optional(day('生日')).parse(null)).toBeUndefined()
    expect(about(z.object({ d: optional(day('生日')) }), 'd').title).toBe('生日')
  })
})

describe('paging', () => {
  test('PAGER-01 a list query has page 1 with 20 rows by default and parses its numbers from text', () => {
    expect(pageQuery.parse({})).toEqual({ pageNum: 1, pageSize: 20 })
    expect(pageQuery.parse({ pageNum: '3', pageSize: '50' })).toEqual({ pageNum: 3, pageSize: 50 })
    for (const wrong of [
      { pageNum: 0 },
      { pageSize: 201 },
      { pageNum: 'x' },
      { pageSize: -1 },
      { pageNum: null },
      { pageNum: '' },
      { pageSize: [20] },
    ])
      expect(said(pageQuery, wrong)).toBeDefined()
  })
  test('a list query can sort only by the declared columns', () => {
    const sorted = sortedPage(['createTime'])
    expect(sorted.parse({ orderByColumn: 'createTime', isAsc: 'asc' })).toMatchObject({ orderByColumn: 'createTime' })
    expect(said(sorted, { orderByColumn: 'password_hash' })).toBe('排序字段不正确')
    expect(said(sorted, { isAsc: 'asc; drop table' })).toBe('排序方向不正确')
  })
})
