import { failedVectors } from '@oms/contract/ad-engine/check-vectors.ts'
import { expect, test } from 'vitest'

test('AD-01 a browser computes the frozen vectors of the schedule engine', () => {
  expect(failedVectors()).toEqual([])
})
