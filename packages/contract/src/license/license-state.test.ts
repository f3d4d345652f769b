import { expect, test } from 'vitest'
import { LICENSE_STATE, LICENSE_STEPS, type LicenseStep, findStateAfter, listStatesBefore } from './license-state.ts'
import { toCanonicalUid, maskUid, findUidProblem, listUidSpellings } from './license-uid.ts'

const STATES = Object.keys(LICENSE_STATE).map(Number)
/** Section 6.2 of the design: 0->1->2->3, 1->0, 2->1, 3<->4, 3->5, any->6. */
const ALLOWED = new Set(['01', '12', '23', '10', '21', '34', '43', '35', '06', '16', '26', '36', '46', '56'])

test('MODULE-01 a certificate changes its state only by the listed transitions', () => {
  const steps = Object.keys(LICENSE_STEPS) as LicenseStep[]
  const found = steps.flatMap((step) =>
    STATES.flatMap((from) => {
      const to = findStateAfter(step, from)
      expect(listStatesBefore(step).includes(from as never)).toBe(to !== undefined)
      return to === undefined ? [] : [`${from}${to}`]
    }),
  )
  expect(found.toSorted()).toEqual([...ALLOWED].toSorted())
  for (const from of STATES)
    for (const to of STATES) {
      const leads = steps.filter((step) => findStateAfter(step, from) === to)
      expect(leads.length, `${from} to ${to}`).toBe(ALLOWED.has(`${from}${to}`) ? 1 : 0)
    }
})

test('the UID of a certificate is checked against the format of its vendor and normalised', () => {
  expect(toCanonicalUid(2, ' vstc000123abcde ')).toBe('VSTC-000123-ABCDE')
  expect(toCanonicalUid(3, 'AAAA-123456-ABCDE')).toBe('AAAA-123456-ABCDE')
  expect(toCanonicalUid(1, 'abcd1-fgh2i-jklm3-nopq4')).toBe('ABCD1FGH2IJKLM3NOPQ4')
  expect(toCanonicalUid(4, 'MixedCase-01')).toBe('MixedCase-01')
  expect(findUidProblem(2, 'VSTC-000123-ABCDE')).toBeUndefined()
  expect(findUidProblem(2, 'VS-000123-ABCDE')).toContain('PPCS的UID格式不正确')
  expect(findUidProblem(2, 'VSTC-000123-ABCD1')).toBeDefined()
  expect(findUidProblem(3, 'AAAA-12345678-ABCDE')).toBeDefined()
  expect(findUidProblem(1, 'ABCD1FGH2IJKLM3NOPQ')).toBeDefined()
  expect(findUidProblem(1, 'ABCD1FGH2IJKLM3NOPQ4')).toBeUndefined()
  expect(findUidProblem(4, 'short')).toBeDefined()
  expect(findUidProblem(9, 'a:b.c_d-e')).toBeUndefined()
  expect(listUidSpellings('vstc000123abcde')).toContain('VSTC-000123-ABCDE')
})

test('a masked UID hides the middle and the check characters', () => {
  expect(maskUid('VSTC-000123-ABCDE')).toBe('VSTC-***123-****E')
  expect(maskUid('ABCD1FGH2IJKLM3NOPQ4')).toBe('ABCD************OPQ4')
  expect(maskUid('OWN12345')).toBe('OW****45')
  expect(maskUid('')).toBe('')
})
