import { expect, test } from 'vitest'
import { computeContrast } from './contrast.ts'

test('the contrast of two colours is that of WCAG 2', () => {
  expect(computeContrast('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(computeContrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
  expect(computeContrast('#155eef', '#ffffff')).toBeGreaterThan(4.5)
})
