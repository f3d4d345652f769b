import { expect, test } from 'vitest'
import { parseBoardVersion, formatBoardVersion } from './board-version.ts'

test.each([
  ['2.0.10', 2_000_010],
  ['1', 1_000_000],
  ['2.4', 2_004_000],
  ['0.0.0', 0],
  ['999.999.999', 999_999_999],
])('the firmware version %s of a board is converted to the number %i', (version, code) => {
  expect(parseBoardVersion(version)).toBe(code)
})

test.each(['', '1.2.3.4', '1000.0.0', 'v2.0.1', '2..1', '2.0.', '2.0.1-rc', '１.0', ' 2.0'])(
  'the text %j is refused as a firmware version of a board',
  (version) => {
    expect(parseBoardVersion(version)).toBeUndefined()
  },
)

test('a version number is shown as a text with three parts', () => {
  expect(formatBoardVersion(2_000_010)).toBe('2.0.10')
  expect(parseBoardVersion(formatBoardVersion(123_004_999))).toBe(123_004_999)
})
