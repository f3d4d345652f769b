import { expect, test } from 'vitest'
import { DEFAULT_THRESHOLDS, readThresholds, similarityOf } from './similarity.ts'

const stored = (text: string | null) => readThresholds({ getItem: () => text })

test('FORMAT-03 thresholds come from local storage; broken ones are the defaults', () => {
  expect(stored('{"high":0.9,"medium":0.6,"low":0.3}')).toEqual({ high: 0.9, medium: 0.6, low: 0.3 })
  for (const text of [null, 'x', '[]', '{"high":0.1}', '{"high":"a","low":7}']) {
    expect(stored(text)).toEqual(DEFAULT_THRESHOLDS)
  }
})

test('FORMAT-03 a share falls into its band', () => {
  const bands = [0.9, 0.85, 0.7, 0.5, 0.1].map((share) => similarityOf(share, DEFAULT_THRESHOLDS))
  expect(bands).toEqual(['high', 'high', 'medium', 'low', 'none'])
})
