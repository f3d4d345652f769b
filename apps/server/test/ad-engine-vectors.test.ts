import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFailedVectors } from '@oms/contract/advertise/engine/vectors/check-vectors.ts'
import { expect, test } from 'vitest'

test('AD-01 the schedule engine on the server reproduces the stored test vectors', () => {
  expect(listFailedVectors()).toEqual([])
})

/** Built-in functions that Chrome 80 lacks. The build of the player translates syntax only. */
const MISSING_IN_CHROME_80 =
  /\.(at|findLast|findLastIndex|toSorted|toReversed|toSpliced|with|replaceAll|hasOwn|groupBy|any)\(|\b(structuredClone|WeakRef|Temporal)\b/

test('AD-01 the schedule engine calls no function that is missing in Chrome 80', () => {
  const folder = join(import.meta.dirname, '../../../packages/contract/src/advertise/engine')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /^[\w/-]+\.ts$/.test(name) && !name.endsWith('-fixture.ts'),
  )
  const found = sources.filter((name) => MISSING_IN_CHROME_80.test(readFileSync(join(folder, name), 'utf8')))
  expect(sources).toContain('playing.ts')
  expect(found).toEqual([])
})
