import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OtaVersionInput } from './ota.ts'
import { formatVersionRange, includesNewerVersions, isRangeBackwards } from './version-range.ts'

const verCode = (value: unknown) => OtaVersionInput.shape.verCode.safeParse(value)

test('OTA-03 OTA-07 a version number has one to nine digits, as text or number', () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^\d{1,11}$/), fc.stringMatching(/^\s*\d{1,9}\s*$/))
  fc.assert(
    fc.property(texts, (value) => {
      const digits = /^\d{1,9}$/.test(value.trim())
      expect(verCode(value)).toMatchObject(digits ? { success: true, data: Number(value.trim()) } : { success: false })
    }),
  )
  const others = fc.oneof(fc.integer(), fc.double(), fc.anything()).filter((value) => typeof value !== 'string')
  fc.assert(
    fc.property(others, (value) => {
      const fits = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 999_999_999
      expect(verCode(value).success).toBe(fits)
    }),
  )
})

test('OTA-07 an empty limit leaves the version range open at that end', () => {
  const { oldVerMin } = OtaVersionInput.shape
  for (const empty of ['', null, undefined]) expect(oldVerMin.parse(empty)).toBeUndefined()
  expect(oldVerMin.parse('007')).toBe(7)
})

test.each([
  [{}, '适用所有旧版本'],
  [{ oldVerMin: 100, oldVerMax: 199 }, '适用 100～199'],
  [{ oldVerMin: 100 }, '适用 100 及以上'],
  [{ oldVerMax: 199 }, '适用 199 及以下'],
  [{ oldVerMin: 0, oldVerMax: 0 }, '仅适用 0'],
])('the version range %o is shown as %s', (range, words) => expect(formatVersionRange(range)).toBe(words))

test('OTA-07 a version range must be in order and must end below the version itself', () => {
  expect(isRangeBackwards({ oldVerMin: 2, oldVerMax: 1 })).toBe(true)
  expect(isRangeBackwards({ oldVerMin: 1, oldVerMax: 1 })).toBe(false)
  expect(isRangeBackwards({ oldVerMin: 9, oldVerMax: null })).toBe(false)
  expect(includesNewerVersions({ verCode: 0 })).toBe(false)
  expect(includesNewerVersions({ verCode: 5, oldVerMax: 5 })).toBe(true)
  expect(includesNewerVersions({ verCode: 5, oldVerMin: 5 })).toBe(true)
  expect(includesNewerVersions({ verCode: 5, oldVerMin: 0, oldVerMax: 4 })).toBe(false)
})
