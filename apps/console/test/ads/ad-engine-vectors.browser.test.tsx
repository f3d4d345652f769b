import { listFailedVectors } from '@oms/contract/advertise/engine/vectors/check-vectors.ts'
import { expect, test } from 'vitest'

test('AD-01 the schedule engine gives the expected results of all test vectors in a browser', () => {
  expect(listFailedVectors()).toEqual([])
})
