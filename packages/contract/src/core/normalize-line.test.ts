import { describe, expect, test } from 'vitest'
import { normalizeCode, splitCodes, trimInvisible } from './normalize-line.ts'

describe('splitCodes', () => {
  test('splits at blanks, line breaks, control characters, commas and semicolons', () =>
    expect(splitCodes(' A1\r\nA2\tA3,A4，A5;A6；\u001DA7\u00A0A8\u3000A9 ')).toEqual(
      Array.from({ length: 9 }, (_, at) => `A${at + 1}`),
    ))
  test.each(['\u200B', '\u200C', '\u200D', '\u2060', '\uFEFF', '\u202D', '\u2069', '\u00AD'])(
    'removes the invisible character %j at the ends and inside of a code',
    (hidden) => expect(splitCodes(`${hidden}SN${hidden}1${hidden}\n${hidden}\nSN2`)).toEqual(['SN1', 'SN2']),
  )
  test('returns equal codes', () => expect(splitCodes('A1 A1')).toEqual(['A1', 'A1']))
})

describe('trimInvisible', () => {
  test.each([
    ['\u200BA\u200B1\uFEFF ', 'A1'],
    [' \u2060\u00AD', ''],
    ['第一行\n第二行  两个空格', '第一行\n第二行  两个空格'],
    ['👨\u200D👩\u200D👧', '👨\u200D👩\u200D👧'],
    ['A1 b', 'A1 b'],
  ])('returns %j as %j', (given, shown) => expect(trimInvisible(given)).toBe(shown))
})

test.each([' 797 984', '797\u200B984\u200B', '79\u00A07984', '7979\n84'])(
  'the pasted code %j is read as 797984',
  (pasted) => expect(normalizeCode(pasted)).toBe('797984'),
)
