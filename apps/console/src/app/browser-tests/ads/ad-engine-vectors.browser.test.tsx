import { listFailedVectors } from '@oms/contract/ad-engine/vectors/check-vectors.ts'
import { expect, test } from 'vitest'

test('AD-01 a browser computes the frozen vectors of the schedule engine', () => {
  expect(listFailedVectors()).toEqual([])
})
