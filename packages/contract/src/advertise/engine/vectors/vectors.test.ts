import { expect, test } from 'vitest'
import { computeVector, listFailedVectors } from './check-vectors.ts'
import { VECTOR_INPUTS } from './vector-inputs-fixture.ts'

test('AD-01 the stored test vectors match their inputs; `vitest run -u` writes new vectors', async () => {
  const lines = VECTOR_INPUTS.map((input) => JSON.stringify({ ...input, expected: computeVector(input) }))
  await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('vectors.json')
}, 60_000)

test('AD-01 the engine gives the expected results of all stored test vectors', () => {
  expect(listFailedVectors()).toEqual([])
}, 60_000)
