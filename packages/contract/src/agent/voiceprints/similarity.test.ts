import { expect, test } from 'vitest'
import { findBand, DEFAULT_THRESHOLDS, parseThresholds } from './similarity.ts'

const stored = (values: Record<string, string>) => parseThresholds((key) => values[key] ?? null)

test('FORMAT-03 a similarity threshold may be stored as a fraction or as a percentage', () => {
  expect(stored({ similarityHigh: '0.9', similarityMedium: '0.7', similarityLow: '0.5' })).toEqual({
    high: 0.9,
    medium: 0.7,
    low: 0.5,
  })
  expect(stored({ similarityHigh: '85', similarityMedium: '60', similarityLow: '35.5' })).toEqual({
    high: 0.85,
    medium: 0.6,
    low: 0.355,
  })
})

test('FORMAT-03 a threshold that is missing or not a number from 0 to 100 has its default', () => {
  expect(stored({})).toEqual(DEFAULT_THRESHOLDS)
  for (const text of ['', ' ', 'high', '-1', '101', 'NaN', 'Infinity', '1e-1', '0x1', '0.5.5', '9'.repeat(10_000)])
    expect(stored({ similarityHigh: text }), text.slice(0, 20)).toEqual(DEFAULT_THRESHOLDS)
  expect(stored({ similarityHigh: ' 0.8 ' })).toEqual({ ...DEFAULT_THRESHOLDS, high: 0.8 })
})

test('FORMAT-03 all thresholds have their defaults when they are not in descending order', () => {
  expect(stored({ similarityHigh: '0.3', similarityMedium: '0.5' })).toEqual(DEFAULT_THRESHOLDS)
  expect(stored({ similarityLow: '0.5' })).toEqual(DEFAULT_THRESHOLDS)
})

test.each([
  [1, 'high'],
  [0.9, 'high'],
  [0.8999, 'medium'],
  [0.7, 'medium'],
  [0.6999, 'low'],
  [0.5, 'low'],
  [0.4999, 'none'],
  [0, 'none'],
  [-0.2, 'none'],
])('FORMAT-03 the similarity %s belongs to the band %s', (similarity, band) => {
  expect(findBand(similarity, { high: 0.9, medium: 0.7, low: 0.5 })).toBe(band)
})
