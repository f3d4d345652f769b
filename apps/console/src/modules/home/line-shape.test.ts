import { expect, test } from 'vitest'
import { lineOf, roundTop } from './line-shape.ts'

test.each([
  [0, 5],
  [3, 5],
  [7, 10],
  [11, 20],
  [21, 50],
  [99, 100],
  [1234, 2000],
])('an axis over %i ends with %i', (value, top) => expect(roundTop(value)).toBe(top))

test('a line breaks where nothing was measured', () => {
  const points = [1, null, 2, 4].map((value, i) => ({ at: String(i), value }))
  expect(lineOf(points, 4)).toEqual([
    { line: 'M0.00 75.00h0.01', isDot: true, area: 'M0.00 75.00L0.00 100L0.00 100Z' },
    { line: 'M66.67 50.00L100.00 0.00', isDot: false, area: 'M66.67 50.00L100.00 0.00L100.00 100L66.67 100Z' },
  ])
})
