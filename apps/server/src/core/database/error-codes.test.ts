import { expect, test } from 'vitest'
import { isLockConflict, isTransientError } from '#core/jobs/isolated.ts'
import { readErrorCauses } from './error-codes.ts'

const wrapped = (code: string) =>
  new Error('Failed query', { cause: new Error('outer', { cause: Object.assign(new Error('inner'), { code }) }) })

test('readErrorCauses returns an error and its causes, outermost first, and stops at a cycle', () => {
  expect(readErrorCauses(wrapped('40P01')).map(({ code, message }) => [code, message])).toEqual([
    ['', 'Failed query'],
    ['', 'outer'],
    ['40P01', 'inner'],
  ])
  const cycle = new Error('cycle')
  cycle.cause = cycle
  expect(isTransientError(cycle)).toBe(false)
  expect(readErrorCauses('no error')).toEqual([])
})

test.each([
  ['40P01', true, true],
  ['40001', true, true],
  ['55P03', true, true],
  ['55006', true, false],
  ['08006', true, false],
  ['ECONNRESET', true, false],
  ['23505', false, false],
])('an error with the cause code %s is transient: %s, a lock conflict: %s', (code, transient, conflict) => {
  expect([isTransientError(wrapped(code)), isLockConflict(wrapped(code))]).toEqual([transient, conflict])
})
